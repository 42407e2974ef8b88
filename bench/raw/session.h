#pragma once
// Runs all measurements of the options over one pair of endpoints: the initiator's and the target's
// part.

#include <cstdint>
#include <string>
#include <vector>

#include "bench/raw/control_socket.h"
#include "bench/raw/options.h"

namespace lintel::bench {

// One mode at one size. Each vector has one value per repeat.
struct RawMeasurement {
  Mode mode = Mode::kPingPong;
  std::size_t size_bytes = 0;
  std::uint64_t iterations = 0;
  std::vector<double> seconds;                // of `iterations` messages, without the warm-up
  std::vector<std::uint32_t> round_trips_ns;  // pingpong: of all repeats, sorted
};

struct RawSession {
  std::string provider;  // the provider's own name
  std::uint64_t inject_bytes = 0;
  std::vector<RawMeasurement> measurements;
};

// The initiator's part. Throws when the fabric or the target fails.
RawSession run_initiator(const RawOptions& options, ControlSocket& target);
// The target's part. Returns when the initiator is done.
void run_target(const RawOptions& options, ControlSocket& initiator);

}  // namespace lintel::bench
