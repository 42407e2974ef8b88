#pragma once
// MPI_Barrier (MPI 5.0, clause 6.3), and the barrier of MPI_Finalize.

#include "mpi_layer/mpi/runtime/team.h"

namespace lintel::mpi {

// Collective over the team; blocks. Errors are those of this process' transfers.
int barrier(const Team& team);

}  // namespace lintel::mpi
