#pragma once
// Control messages from a peer that may die meanwhile.
//
// Borrows the channel. Thread: one. Remembers from call to call when the peer last gave a sign of life; after a second without one it is probed, so a
// peer that computes, and says nothing, counts as alive.

#include <portals3.h>

#include <chrono>
#include <memory>
#include <optional>

#include "control_channel.h"
#include "peer_probe.h"

namespace lintel::perf {

class LivePeer {
 public:
  // `deadline`: how long a probe may stay unanswered.
  LivePeer(ControlChannel& control, ptl_handle_ni_t ni, ptl_process_id_t peer, std::chrono::duration<double> deadline);

  // The next control message, from anybody, or nothing after `limit`. Throws PeerLost when the peer is dead; messages that have arrived stay in the channel.
  std::optional<ControlMessage> receive(std::chrono::duration<double> limit);

  ptl_process_id_t id() const { return peer_; }
  bool is(ptl_process_id_t process) const { return process.nid == peer_.nid && process.pid == peer_.pid; }

 private:
  using Clock = std::chrono::steady_clock;

  void look_for_life();

  ControlChannel& control_;
  ptl_handle_ni_t ni_;
  ptl_process_id_t peer_;
  std::chrono::duration<double> deadline_;
  Clock::time_point last_sign_ = Clock::now();
  Clock::time_point probed_at_{};
  std::unique_ptr<PeerProbe> probe_;  // made at the first silence
};

}  // namespace lintel::perf
