#pragma once
// MPI_Gather, MPI_Scatter and their variants with counts (MPI 5.0, clauses 6.5 and 6.6), on items
// that are checked.
//
// Without `own`, the root's part is in place. `parts` is used at the root only. Collective over the
// team; they block. Errors are those of this process' transfers.

#include <optional>

#include "mpi_layer/mpi/runtime/collective_arguments.h"
#include "mpi_layer/mpi/runtime/team.h"

namespace lintel::mpi {

// For parts of equal length.
int gather(const Team& team, int root, const std::optional<ItemBuffer>& own, const Parts& parts);
int scatter(const Team& team, int root, const std::optional<ItemBuffer>& own, const Parts& parts);

// For parts of any lengths. Only the root knows the lengths of other parts, so it exchanges
// messages with each rank directly.
int gather_various(const Team& team, int root, const std::optional<ItemBuffer>& own,
                   const Parts& parts);
int scatter_various(const Team& team, int root, const std::optional<ItemBuffer>& own,
                    const Parts& parts);

}  // namespace lintel::mpi
