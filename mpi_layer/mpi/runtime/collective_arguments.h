#pragma once
// The buffers of collective functions: checked, and where each rank's part of them lies.

#include <cstdint>
#include <vector>

#include "mpi.h"
#include "mpi_layer/mpi/runtime/item_transfer.h"
#include "mpi_layer/mpi/runtime/number_array.h"

namespace lintel::mpi {

// Parts of one buffer, one for each rank: equal ones one after the other, or of counts and at
// displacements of their own, in extents of the type.
class Parts {
 public:
  // Errors: MPI_ERR_COUNT, MPI_ERR_TYPE, MPI_ERR_BUFFER.
  int take(const void* buffer, std::int64_t count, MPI_Datatype datatype, int ranks);
  // The arrays are the program's, and read by at(). Errors: also MPI_ERR_ARG for a null pointer.
  int take(const void* buffer, NumberArray counts, NumberArray displacements, MPI_Datatype datatype,
           int ranks);
  // The same with a type for each, and displacements in bytes; the arrays are read here only.
  int take(const void* buffer, NumberArray counts, NumberArray displacements,
           const MPI_Datatype* datatypes, int ranks);

  ItemBuffer at(int rank) const;

 private:
  ItemBuffer first_;
  NumberArray counts_;
  NumberArray displacements_;
  std::vector<ItemBuffer> of_types_;  // where each part has a type of its own
};

// Copies items to where others of the same bytes lie: a rank's part for itself. They do not
// overlap, unless they are the same. MPI_ERR_TRUNCATE if they do not fit; what fits is there then.
int copy_items(const ItemBuffer& from, const ItemBuffer& to);

}  // namespace lintel::mpi
