#pragma once
// ProcessGroup: the processes of a job as one of them knows them: its own rank, the size of the
// group, and the names that are known. A value.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"

namespace lintel::p3rt {

struct ProcessGroup {
  std::uint32_t rank = 0;
  std::uint32_t size = 0;
  std::optional<std::vector<NodeId>> nids{};  // by rank, `size` of them; nothing: not known yet
  std::optional<std::vector<Pid>> pids{};
  bool of_launcher =
      false;  // rank and size are the launcher's, which gives the rest when all ranks
              // have an interface

  bool complete() const { return nids && pids; }
};

// Which part of the name of its own rank in `group` differs from `self`, the name of the interface.
enum class GroupMismatch { kNone, kNid, kPid };
// With kNid and kPid `sentence` describes the difference.
GroupMismatch compare(const ProcessGroup& group, ProcessId self, std::string& sentence);

}  // namespace lintel::p3rt
