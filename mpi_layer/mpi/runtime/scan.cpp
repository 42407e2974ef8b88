#include "mpi_layer/mpi/runtime/scan.h"

#include "mpi_layer/mpi/runtime/accumulator.h"
#include "mpi_layer/mpi/runtime/collective_arguments.h"

namespace lintel::mpi {

// Doubling: `group` is the combination of a growing group of neighbouring ranks, as far as they
// exist. `before` is the combination of the ranks that belong to the result.
int scan(const Team& team, const BoundReduction& reduction, const ItemBuffer& in,
         const ItemBuffer& out, bool exclusive) {
  Accumulator group(reduction, in.type, in.count);
  ReductionItems before(in.type, in.count);
  bool has_before = !exclusive;
  if (const int error = copy_items(in, group.own()); error != MPI_SUCCESS) return error;
  if (const int error = exclusive ? MPI_SUCCESS : copy_items(in, before.all());
      error != MPI_SUCCESS)
    return error;
  for (int bit = 1; bit < team.size(); bit *= 2) {
    const int partner = team.rank() ^ bit;
    if (partner >= team.size()) continue;
    if (const int error = team.exchange(partner, group.own(), partner, group.others());
        error != MPI_SUCCESS)
      return error;
    if (partner < team.rank()) {
      if (has_before) {
        reduction.apply(group.address_of_others(), before.address(0), in.count);
      } else if (const int error = copy_items(group.others(), before.all()); error != MPI_SUCCESS) {
        return error;
      }
      has_before = true;
    }
    group.put(partner < team.rank());
  }
  return has_before ? copy_items(before.all(), out) : MPI_SUCCESS;
}

}  // namespace lintel::mpi
