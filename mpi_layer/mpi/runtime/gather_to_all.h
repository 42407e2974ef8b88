#pragma once
// MPI_Allgather and MPI_Allgatherv (MPI 5.0, clause 6.7), on parts that are checked.

#include "mpi_layer/mpi/runtime/collective_arguments.h"
#include "mpi_layer/mpi/runtime/team.h"

namespace lintel::mpi {

// Sends the part of each rank, which is in place already, to all ranks. Collective over the team;
// blocks. Errors are those of this process' transfers.
int gather_to_all(const Team& team, const Parts& parts);
// The same by a ring, in which no rank forwards packed bytes: parts are sent as items of their
// type.
int gather_to_all_in_ring(const Team& team, const Parts& parts);

}  // namespace lintel::mpi
