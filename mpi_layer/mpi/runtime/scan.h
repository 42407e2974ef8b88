#pragma once
// MPI_Scan and MPI_Exscan (MPI 5.0, clause 6.11), on items that are checked.

#include "mpi_layer/mpi/functions/bound_reduction.h"
#include "mpi_layer/mpi/runtime/team.h"

namespace lintel::mpi {

// In rank r, `out` gets the combination of `in` of ranks 0 to r, in their order. With `exclusive`:
// of ranks 0 to r - 1, and nothing if r is 0. Collective over the team; blocks. Errors are those of
// this process' transfers.
int scan(const Team& team, const BoundReduction& reduction, const ItemBuffer& in,
         const ItemBuffer& out, bool exclusive);

}  // namespace lintel::mpi
