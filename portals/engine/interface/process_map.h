#pragma once
// ProcessMap: the processes of the ranks of a logical interface of Portals 4.
//
// Owned by the network interface; set once. Guarded by the process' lock.

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "base/ids.h"

namespace lintel::portals {

class ProcessMap {
 public:
  static constexpr std::uint32_t kNoRank = 0xffffffffU;

  bool is_set() const { return set_; }
  void set(std::vector<ProcessId> processes) {
    processes_ = std::move(processes);
    for (std::uint32_t rank = 0; rank < processes_.size(); ++rank)
      ranks_.emplace(key(processes_[rank]), rank);
    set_ = true;
  }
  std::uint64_t size() const { return processes_.size(); }
  // REQUIRES: rank < size().
  ProcessId process(std::uint32_t rank) const { return processes_[rank]; }
  // The lowest rank of the process, or kNoRank.
  std::uint32_t rank(ProcessId process) const {
    const auto found = ranks_.find(key(process));
    return found != ranks_.end() ? found->second : kNoRank;
  }

 private:
  static std::uint64_t key(ProcessId process) {
    return (std::uint64_t{process.nid.value} << 32) | process.pid.value;
  }

  std::vector<ProcessId> processes_;
  std::unordered_map<std::uint64_t, std::uint32_t> ranks_;
  bool set_ = false;
};

}  // namespace lintel::portals
