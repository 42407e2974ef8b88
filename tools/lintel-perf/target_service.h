#pragma once
// The server's end of one conversation: carries out the client's requests until it says bye.
//
// Borrows the interfaces and the channel; owns the Side that the client asked for. Thread: one.

#include <chrono>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>

#include "control_channel.h"
#include "interface.h"
#include "live_peer.h"
#include "side.h"
#include "timed_interfaces.h"

namespace lintel::perf {

class TargetService {
 public:
  TargetService(const Interface& network, TimedInterfaces& timed, ControlChannel& control, ptl_process_id_t client,
                std::chrono::duration<double> deadline);

  // Returns when the client has said bye. Throws PeerLost when it has gone without.
  void serve();

 private:
  void answer(const nlohmann::json& request);
  nlohmann::json carry_out(const nlohmann::json& request);
  void notice(const nlohmann::json& request);
  Side& side();
  Region& region(const nlohmann::json& request);
  Region& words();
  void watched(std::uint64_t in_flight, const std::function<void()>& traffic);

  const Interface& network_;
  TimedInterfaces& timed_;
  ControlChannel& control_;
  LivePeer client_;
  std::chrono::duration<double> deadline_;
  std::unique_ptr<Side> side_;
};

}  // namespace lintel::perf
