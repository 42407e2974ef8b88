#pragma once
// The reduction of each predefined operation.

#include <optional>

#include "mpi.h"
#include "mpi_layer/mpi/objects/operation.h"

namespace lintel::mpi {

// Nothing for MPI_OP_NULL, for handles of other operations, and for MPI_REPLACE and MPI_NO_OP,
// which are no reductions.
inline std::optional<Reduction> predefined_reduction(MPI_Op op) {
  struct ReductionRow {
    MPI_Op op;
    Reduction reduction;
  };
  static const ReductionRow kRows[] = {
      {MPI_SUM, Reduction::kSum},
      {MPI_MIN, Reduction::kMin},
      {MPI_MAX, Reduction::kMax},
      {MPI_PROD, Reduction::kProduct},
      {MPI_BAND, Reduction::kBitAnd},
      {MPI_BOR, Reduction::kBitOr},
      {MPI_BXOR, Reduction::kBitXor},
      {MPI_LAND, Reduction::kAnd},
      {MPI_LOR, Reduction::kOr},
      {MPI_LXOR, Reduction::kXor},
      {MPI_MINLOC, Reduction::kMinLocation},
      {MPI_MAXLOC, Reduction::kMaxLocation},
  };
  for (const ReductionRow& row : kRows) {
    if (row.op == op) return row.reduction;
  }
  return std::nullopt;
}

}  // namespace lintel::mpi
