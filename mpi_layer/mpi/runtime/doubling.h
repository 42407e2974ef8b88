#pragma once
// Exchanges parts between all ranks of a team by Bruck's algorithm. In each step a rank sends the
// parts that it has and receives as many, so that it has twice as many afterwards.

#include <algorithm>

#include "mpi.h"
#include "mpi_layer/mpi/runtime/team.h"

namespace lintel::mpi {

// `range_at(first, end)` is the memory for the parts of the ranks that are `first` to `end` - 1
// ahead of this one. The part of this rank is already there.
template <class RangeAt>
int gather_by_doubling(const Team& team, RangeAt range_at) {
  for (int have = 1; have < team.size(); have *= 2) {
    const int more = std::min(have, team.size() - have);
    const int error = team.exchange(team.behind(have), range_at(0, more), team.ahead(have),
                                    range_at(have, have + more));
    if (error != MPI_SUCCESS) return error;
  }
  return MPI_SUCCESS;
}

}  // namespace lintel::mpi
