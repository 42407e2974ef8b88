#pragma once
// WorldProcesses: the processes of all jobs that IMPI joins, by world rank.
//
// A value that does not change.

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "mpi_layer/impi/job_layout.h"

namespace lintel::mpi::impi {

class WorldProcesses {
 public:
  explicit WorldProcesses(const JobLayout& layout) {
    for (const JobProc& proc : layout.procs) {
      ranks_.emplace(proc.id, static_cast<std::int32_t>(procs_.size()));
      procs_.push_back(proc.id);
    }
  }

  // REQUIRES: the rank is one of the world.
  const ProcId& at(std::int32_t rank) const { return procs_[static_cast<std::size_t>(rank)]; }
  std::optional<std::int32_t> rank_of(const ProcId& process) const {
    const auto found = ranks_.find(process);
    return found != ranks_.end() ? std::optional(found->second) : std::nullopt;
  }

 private:
  std::vector<ProcId> procs_;  // by rank
  std::map<ProcId, std::int32_t> ranks_;
};

}  // namespace lintel::mpi::impi
