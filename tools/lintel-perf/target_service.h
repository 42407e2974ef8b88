#pragma once
// The server's end of one conversation: carries out the client's requests until it says bye.
//
// Borrows the interface and the channel; owns the Side that the client asked for. Thread: one.

#include <memory>
#include <nlohmann/json.hpp>

#include "conversation.h"

namespace lintel::perf {

class TargetService {
 public:
  TargetService(Interface& network, ControlChannel& control, ptl_process_id_t client,
                Seconds deadline)
      : network_(network), control_(control), client_(network, control, client, deadline) {}

  // Returns when the client has said bye. Throws PeerLost when it has gone without.
  void serve();

 private:
  void answer(const nlohmann::json& request);
  nlohmann::json carry_out(const nlohmann::json& request);
  // The requests that move messages, that concern slots, and that are about one region. Each returns
  // false if it is none of them.
  bool move(const std::string& what, const nlohmann::json& request);
  bool use_slots(const std::string& what, const nlohmann::json& request);
  bool use_region(const std::string& what, const nlohmann::json& request);
  Side& side();
  Region& region(const nlohmann::json& request);
  Region& words();
  template <class Traffic>
  void watched(std::uint64_t in_flight, Traffic traffic) {
    client_.watched(*side().operations, in_flight * side().parameters.size, traffic);
  }

  Interface& network_;
  ControlChannel& control_;
  OtherProcess client_;
  std::unique_ptr<Side> side_;
};

}  // namespace lintel::perf
