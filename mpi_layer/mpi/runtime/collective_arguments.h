#pragma once
// The buffers of collective functions: checks them, and computes where the part of each rank is.

#include <cstdint>
#include <vector>

#include "mpi.h"
#include "mpi_layer/mpi/runtime/item_transfer.h"
#include "mpi_layer/mpi/runtime/number_array.h"

namespace lintel::mpi {

// The parts of one buffer, one for each rank: parts of equal length one after the other, or parts
// with individual counts and displacements, in extents of the type.
class Parts {
 public:
  // Errors: MPI_ERR_COUNT, MPI_ERR_TYPE, MPI_ERR_BUFFER.
  int take(const void* buffer, std::int64_t count, MPI_Datatype datatype, int ranks);
  // The arrays belong to the program, and at() reads them. Errors: also MPI_ERR_ARG for a null
  // pointer.
  int take(const void* buffer, NumberArray counts, NumberArray displacements, MPI_Datatype datatype,
           int ranks);
  // The same with a type for each part, and displacements in bytes. The arrays are read in this
  // call only.
  int take(const void* buffer, NumberArray counts, NumberArray displacements,
           const MPI_Datatype* datatypes, int ranks);

  ItemBuffer at(int rank) const;

 private:
  ItemBuffer first_;
  NumberArray counts_;
  NumberArray displacements_;
  std::vector<ItemBuffer> of_types_;  // if each part has a type of its own
};

// Copies the part of a rank for itself. REQUIRES: `from` and `to` do not overlap unless they are
// equal. MPI_ERR_TRUNCATE: the items do not fit, and only what fits was copied.
int copy_items(const ItemBuffer& from, const ItemBuffer& to);

}  // namespace lintel::mpi
