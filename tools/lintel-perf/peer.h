#pragma once
// The other process of a pair, once the two have greeted each other: steps that both take together,
// and whether it is alive.

#include <portals3.h>

#include <condition_variable>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>

#include "control_channel.h"
#include "operations.h"
#include "stop_reason.h"

namespace lintel::perf {

// The time that a slow machine may need to move, fill or compare that many bytes.
Seconds time_for(std::uint64_t bytes);

// Lets any process probe this one, for the life of the interface: a put of nothing whose ack the
// engine sends by itself, whatever this process's threads do.
void accept_probes(ptl_handle_ni_t ni);

// Thrown when the peer has said bye.
struct PeerLeft {};

// Borrows the interface and the channel. Thread: one, beside its own, which sleeps and looks a few
// times a second: it probes a peer that has been silent for a second, and ends what this process
// waits for when the peer is dead or operations under watch stand still. The measuring thread pays
// nothing for it.
class Peer {
 public:
  // `deadline`: how long a message may take, a probe stay unanswered, and operations stand still.
  // `patience`: how long a peer that is alive may take to a step.
  Peer(ptl_handle_ni_t ni, ControlChannel& control, ptl_process_id_t id, Seconds deadline,
       Seconds patience);
  ~Peer();
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;

  ptl_process_id_t id() const { return id_; }

  // Tells the peer that this process has come to its next step, with `members` if there are any.
  void tell(const nlohmann::json& members = {});
  // Tells it that this process gives up, and why.
  void tell_failure(ExitCode code, const std::string& sentence);

  // Waits until the peer tells its next step; returns that message. `allowance`: how much longer
  // than its patience. Throws Failure with the peer's sentence if it has given up, PeerLeft, or
  // PeerLost. Refuses other clients meanwhile.
  nlohmann::json await(Seconds allowance = {});

  // Watches the operations as long as it lives: they may stand still for the deadline and `more`.
  class Watch {
   public:
    Watch(Peer& peer, Operations& operations, Seconds more);
    ~Watch();
    Watch(const Watch&) = delete;
    Watch& operator=(const Watch&) = delete;

   private:
    Peer& peer_;
  };

 private:
  void send(const char* kind, const nlohmann::json& members);
  void look_for_life();
  void stop(const std::string& reason);

  const ptl_handle_ni_t ni_;
  ControlChannel& control_;
  const ptl_process_id_t id_;
  const Seconds deadline_;
  const Seconds patience_;
  StopReason stop_reason_;

  std::mutex mutex_;  // guards the rest
  std::condition_variable wake_;
  bool done_ = false;
  Clock::time_point last_sign_ = Clock::now();  // of life
  Operations* operations_ = nullptr;            // under watch
  std::uint64_t seen_ = 0;                      // of their progress
  Clock::time_point seen_at_{};
  Seconds standstill_{};
  std::thread thread_;  // the last member: it uses the others
};

}  // namespace lintel::perf
