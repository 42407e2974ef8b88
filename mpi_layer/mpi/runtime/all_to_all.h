#pragma once
// MPI_Alltoall and its variant with counts (MPI 5.0, clause 6.8), on parts that are checked.
//
// Collective over the team; block. Errors are those of this process' transfers.

#include "mpi_layer/mpi/runtime/collective_arguments.h"
#include "mpi_layer/mpi/runtime/team.h"

namespace lintel::mpi {

// Each rank sends a part to each rank, and receives one from each. `out` and `in` may be the same
// object, which means in place. For parts of equal length:
int all_to_all(const Team& team, const Parts& out, const Parts& in);
// For parts of any lengths.
int all_to_all_various(const Team& team, const Parts& out, const Parts& in);

}  // namespace lintel::mpi
