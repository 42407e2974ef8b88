#pragma once
// MPI_Bcast (MPI 5.0, clause 6.4), on items that are checked.

#include "mpi_layer/mpi/runtime/team.h"

namespace lintel::mpi {

// Sends the root's items to all ranks. Collective over the team; blocks. Errors are those of this
// process' transfers.
int broadcast(const Team& team, int root, const ItemBuffer& items);

}  // namespace lintel::mpi
