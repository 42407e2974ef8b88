#pragma once
// MPI_Alltoall and its variant with counts (MPI 5.0, clause 6.8), on parts that are checked.
//
// Collective over the team; block. Errors are those of this process' transfers.

#include "mpi_layer/mpi/runtime/collective_arguments.h"
#include "mpi_layer/mpi/runtime/team.h"

namespace lintel::mpi {

// Each rank has a part for each, and gets one from each. `out` and `in` may be the same object: in
// place. Parts of equal bytes:
int all_to_all(const Team& team, const Parts& out, const Parts& in);
// Of any.
int all_to_all_various(const Team& team, const Parts& out, const Parts& in);

}  // namespace lintel::mpi
