#pragma once
// The five measurements, each as an initiator's and a target's part.
//
// Both get the same Workload and count, and return when every message has arrived, so that nothing
// is left for the next run. Completion is remote in all modes: the clock stops when the target has
// the last byte (bw-read: the initiator).

#include <cstddef>
#include <cstdint>
#include <vector>

#include "bench/raw/options.h"
#include "bench/raw/raw_endpoint.h"

namespace lintel::bench {

struct Workload {
  Mode mode = Mode::kPingPong;
  std::size_t size_bytes = 0;
  std::uint32_t window = 1;
};

// Moves `count` messages as the initiator. In pingpong it appends each round trip, in ns, to
// `round_trips_ns`.
void initiate(RawEndpoint& endpoint, const Workload& workload, std::uint64_t count,
              std::vector<std::uint32_t>& round_trips_ns);
// Serves one initiate() of the peer.
void serve(RawEndpoint& endpoint, const Workload& workload, std::uint64_t count);

// How many receives the window needs at a time, at either end.
std::size_t receives_for(std::uint32_t window);

}  // namespace lintel::bench
