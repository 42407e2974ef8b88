#pragma once
// MPI_Reduce and MPI_Allreduce (MPI 5.0, clause 6.9), on items that are checked.
//
// Results are combined in the order of ranks, except for operations that commute if the ranks
// divide the items among themselves. The bracketing depends only on the numbers of ranks, items and
// bytes. Between clients of IMPI other rules hold (impi_collectives.h).
// Collective over the team; they block. Errors are those of this process' transfers.

#include "mpi_layer/mpi/runtime/accumulator.h"
#include "mpi_layer/mpi/runtime/team.h"

namespace lintel::mpi {

// True if the ranks divide these items among themselves, so that each combines a part. Then an
// accumulator may use the memory of the result, if the operation commutes.
bool divides(const Team& team, const ItemBuffer& items);
// `items` are this rank's own. At the root they become the result of all ranks; elsewhere they are
// undefined afterwards.
int reduce(const Team& team, int root, Accumulator& items);
// In all ranks they become the result of all, with the same bits.
int reduce_to_all(const Team& team, Accumulator& items);

}  // namespace lintel::mpi
