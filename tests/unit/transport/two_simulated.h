#pragma once
// Two processes on the simulated network, A and B, that know each other. The sink of each records
// what it is told.

#include <cstring>
#include <memory>
#include <string_view>

#include "tests/unit/transport/recording_sink.h"
#include "transport/simulated/simulated_network.h"
#include "transport/simulated/simulated_transport.h"

namespace lintel::transport {

struct TwoSimulated {
  static constexpr ProcessId kA{NodeId{1}, Pid{1}};
  static constexpr ProcessId kB{NodeId{1}, Pid{2}};

  // Starts again on a new network.
  void start(const SimulatedOptions& options) {
    b.reset();
    a.reset();
    network = std::make_unique<SimulatedNetwork>(options);
    a = network->join(kA);
    b = network->join(kB);
    b_at_a = *a->resolve(kB);
    a_at_b = *b->resolve(kA);
  }
  static PostStatus send(SimulatedTransport& from, PeerId to, std::string_view message) {
    const MessageBuffer buffer = from.reserve(to, message.size());
    if (!buffer) return PostStatus::kWouldBlock;
    std::memcpy(buffer.data, message.data(), message.size());
    return from.commit(to, buffer, message.size());
  }
  // Polls each process that still exists.
  void poll() {
    if (a) a->poll(network->now(), sink_a);
    if (b) b->poll(network->now(), sink_b);
  }
  // Runs until nothing is under way.
  void settle() {
    do poll();
    while (network->advance_to_next());
    poll();
  }

  std::unique_ptr<SimulatedNetwork> network;
  std::unique_ptr<SimulatedTransport> a;
  std::unique_ptr<SimulatedTransport> b;
  PeerId b_at_a;
  PeerId a_at_b;
  RecordingSink sink_a;
  RecordingSink sink_b;
};

}  // namespace lintel::transport
