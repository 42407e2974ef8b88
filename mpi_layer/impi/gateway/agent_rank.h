#pragma once
// The agent of a process: the process of the lowest rank of its host, which has the host's connections.

#include <cstdint>

#include "mpi_layer/impi/job_layout.h"

namespace lintel::mpi::impi {

// REQUIRES: rank < layout.procs.size().
inline std::int32_t agent_rank(const JobLayout& layout, std::uint32_t rank) {
  return static_cast<std::int32_t>(layout.hosts[layout.procs[rank].host].first_proc);
}

}  // namespace lintel::mpi::impi
