#pragma once
// MPI_Gather, MPI_Scatter and their variants with counts (MPI 5.0, clauses 6.5 and 6.6), on items
// that are checked.
//
// `own` absent: the root's part is in place. `parts` count at the root only. Collective over the
// team; block. Errors are those of this process' transfers.

#include <optional>

#include "mpi_layer/mpi/runtime/collective_arguments.h"
#include "mpi_layer/mpi/runtime/team.h"

namespace lintel::mpi {

// Parts of equal bytes.
int gather(const Team& team, int root, const std::optional<ItemBuffer>& own, const Parts& parts);
int scatter(const Team& team, int root, const std::optional<ItemBuffer>& own, const Parts& parts);

// Of any: only the root knows how many bytes the others' have, so it deals with each itself.
int gather_various(const Team& team, int root, const std::optional<ItemBuffer>& own,
                   const Parts& parts);
int scatter_various(const Team& team, int root, const std::optional<ItemBuffer>& own,
                    const Parts& parts);

}  // namespace lintel::mpi
