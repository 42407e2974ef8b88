#pragma once
// The variables by which scripts for the Sandia implementation tell a process who it is:
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

// Those of this process. A variable that is empty counts as not there.
GroupVariables read_group_variables();

// The group that they tell of: complete. REQUIRES: variables.rank. Fails when another variable is
// not there, is not a list of numbers, or does not fit to the others.
mpi::Outcome<ProcessGroup> group_of(const GroupVariables& variables);

}  // namespace lintel::p3rt
