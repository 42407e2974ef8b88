#pragma once
// The variables by which scripts for the Sandia implementation describe a process and its group:
// PTL_MY_RID, PTL_NIDMAP, PTL_PIDMAP.

#include <optional>
#include <string>

#include "mpi_layer/bootstrap/outcome.h"
#include "mpi_layer/p3rt/process_group.h"

namespace lintel::p3rt {

struct GroupVariables {
  std::optional<std::string> rank{};  // PTL_MY_RID
  std::optional<std::string> nids{};  // PTL_NIDMAP: "127.0.0.1:127.0.0.1", or each as a number
  std::optional<std::string> pids{};  // PTL_PIDMAP: "1:2"
};

// The variables of this process. An empty variable counts as not set.
GroupVariables read_group_variables();

// The group that they describe, which is complete. REQUIRES: variables.rank. Fails if another
// variable is not set, is not a list of numbers, or does not fit the others.
mpi::Outcome<ProcessGroup> group_of(const GroupVariables& variables);

}  // namespace lintel::p3rt
