#pragma once
// Collective functions that compute: reductions and scans (MPI 5.0, clauses 6.9 to 6.11), on items that are checked.
//
// Results are combined in the order of ranks, whether the operation commutes or not, and so are the same each time.
// Collective over the team; block. Errors are those of this process' transfers.

#include <cstddef>
#include <memory>

#include "mpi_layer/mpi/functions/bound_reduction.h"
#include "mpi_layer/mpi/runtime/item_transfer.h"
#include "mpi_layer/mpi/runtime/team.h"

namespace lintel::mpi {

// Items of a reduction in memory of the library's own, laid out as the program's are.
class ReductionItems {
 public:
  ReductionItems(DatatypeRef type, std::int64_t count);

  const ItemBuffer& items() const { return items_; }
  void* address() const { return reinterpret_cast<void*>(items_.address); }  // NOLINT(performance-no-int-to-ptr): of memory_

 private:
  std::unique_ptr<std::byte[]> memory_;
  ItemBuffer items_;
};

// `own` begins as this rank's items; at rank 0 it ends as the result of all, elsewhere as part of it. Binomial tree.
int reduce_to_first(const Team& team, const BoundReduction& reduction, const ReductionItems& own);
// Rank r gets those of ranks 0 to r in `inclusive`, which begins as its own items, and those of ranks 0 to r - 1 in `exclusive`, which is untouched at rank 0.
int scan(const Team& team, const BoundReduction& reduction, const ReductionItems& inclusive, const ReductionItems& exclusive);

}  // namespace lintel::mpi
