#pragma once
// Parts that come to all ranks of a team by Bruck's algorithm: in each step a rank gives what it
// has and gets as much, so that it has twice as many parts.

#include <algorithm>

#include "mpi.h"
#include "mpi_layer/mpi/runtime/team.h"

namespace lintel::mpi {

// `range_at(first, end)` is where this rank has, or is to get, the parts of the ranks that are
// `first` to `end` - 1 ahead of it. Its own is in place.
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
