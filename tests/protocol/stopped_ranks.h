#pragma once
// StoppedRanks: how many processes the tests of stopped peers have, and which of them stop.

#include <cstddef>

#include "base/mutex.h"
#include "tests/protocol/simulated_processes.h"

namespace lintel::testing {

struct StoppedRanks {
  static constexpr std::size_t kProcesses = 7;
  static constexpr std::size_t kStopped = 4;
  static constexpr std::size_t kFirstStopped = kProcesses - kStopped;  // rank
  static constexpr std::size_t kFew = 256;                             // places for operations
  static constexpr std::size_t kMany = 1 << 16;                        // the default
};

// Whether rank 0 may begin another operation with that rank.
inline bool has_room(SimulatedProcesses& job, std::size_t rank) {
  portals::Process& process = job.process(0);
  const MutexLock held(process.lock());
  portals::Endpoint& endpoint = process.endpoint();
  return endpoint.initiator().has_room(*endpoint.peers().resolve(SimulatedProcesses::name(rank)));
}

}  // namespace lintel::testing
