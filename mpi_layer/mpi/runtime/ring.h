#pragma once
// A ring: parts are passed round all ranks of a team.

#include "mpi_layer/mpi/runtime/team.h"

namespace lintel::mpi {

// Each rank begins with one part and ends with all. In step k it sends to the next rank what it
// received in step k - 1. `part_at(position)` is the part of the rank at distance `position` behind
// `first`, cyclically. Collective; blocks. Returns the error of the first transfer that failed.
template <class PartAt>
int pass_round(const Team& team, int first, PartAt part_at) {
  const int size = team.size();
  const int position = (team.rank() - first + size) % size;
  const int next = (team.rank() + 1) % size;
  const int previous = (team.rank() - 1 + size) % size;
  for (int step = 0; step + 1 < size; ++step) {
    const int error = team.exchange(next, part_at((position - step + size) % size), previous,
                                    part_at((position - step - 1 + size) % size));
    if (error != MPI_SUCCESS) return error;
  }
  return MPI_SUCCESS;
}

}  // namespace lintel::mpi
