#pragma once
// MPI_Reduce and MPI_Allreduce (MPI 5.0, clause 6.9), on items that are checked.
//
// Results are combined in the order of ranks, but for operations that commute where ranks divide
// the items among themselves; how they are bracketed follows from the numbers of ranks, items and
// bytes.
// Between clients of IMPI other rules hold (impi_collectives.h).
// Collective over the team; block. Errors are those of this process' transfers.

#include "mpi_layer/mpi/runtime/accumulator.h"
#include "mpi_layer/mpi/runtime/team.h"

namespace lintel::mpi {

// Whether the ranks divide so many items among themselves, each combining a part: an accumulator
// may then be in the place of the result, if the operation commutes.
bool divides(const Team& team, const ItemBuffer& items);
// `items` begin as this rank's own; at the root they end as the result of all, elsewhere with no
// value.
int reduce(const Team& team, int root, Accumulator& items);
// They end as the result of all everywhere, with the same bits.
int reduce_to_all(const Team& team, Accumulator& items);

}  // namespace lintel::mpi
