#pragma once
// MPI_Reduce_scatter and MPI_Reduce_scatter_block (MPI 5.0, clause 6.10), on items that are
// checked.

#include "mpi_layer/mpi/functions/bound_reduction.h"
#include "mpi_layer/mpi/runtime/collective_arguments.h"
#include "mpi_layer/mpi/runtime/team.h"

namespace lintel::mpi {

// `parts` are this rank's items for each rank. `result` gets this rank's part, combined over all
// ranks in their order. It may be memory of `parts`. Collective over the team; blocks. Errors are
// those of this process' transfers.
int reduce_scatter(const Team& team, const BoundReduction& reduction, const Parts& parts,
                   const ItemBuffer& result);

}  // namespace lintel::mpi
