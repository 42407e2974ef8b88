#pragma once
// ProcessGroup: the processes of a job as one of them has been told of them: its own rank, how many
// they are, and what is known of their names: a value.

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
  bool of_launcher = false;  // the launcher has told rank and size, and will tell the rest when all
                             // ranks have an interface

  bool complete() const { return nids && pids; }
};

// What is wrong with the names that `group` has for its own rank, seen from the interface that has
// the name `self`.
enum class Mismatch { kNone, kNid, kPid };
// With kNid and kPid `sentence` says it.
Mismatch compare(const ProcessGroup& group, ProcessId self, std::string& sentence);

}  // namespace lintel::p3rt
