#pragma once
// Collective functions that move items without computing: gather, scatter, all to all (MPI 5.0, clauses 6.5 to 6.8), on parts that are checked.
//
// Collective over the team; block. Errors are those of this process' transfers. Receives begin in the order of ranks.

#include <optional>

#include "mpi_layer/mpi/runtime/collective_arguments.h"
#include "mpi_layer/mpi/runtime/team.h"

namespace lintel::mpi {

// `own` absent: the root's part is in place. `parts` count at the root only.
int gather(const Team& team, int root, const std::optional<ItemBuffer>& own, const Parts& parts);
int scatter(const Team& team, int root, const Parts& parts, const std::optional<ItemBuffer>& own);
// Ring: every part passes every rank. Each rank's own part is in place already.
int gather_to_all(const Team& team, const Parts& parts);
// Pairwise: in step k with the ranks k further and k before.
int all_to_all(const Team& team, const Parts& out, const Parts& in);
// The same in one buffer: in each step two ranks exchange what they have for each other.
int all_to_all_in_place(const Team& team, const Parts& parts);

}  // namespace lintel::mpi
