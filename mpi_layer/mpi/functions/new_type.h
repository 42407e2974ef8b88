#pragma once
// How a constructor hands out its datatype, and keeps its arguments.

#include <memory>

#include "mpi.h"
#include "mpi_layer/mpi/objects/datatype.h"

namespace lintel::mpi {

// Gives `*newtype` a handle for `type`. MPI_ERR_VALUE_TOO_LARGE if it is null: a number of it left
// 63 bits. MPI_ERR_NO_MEM: no more handles.
int give_type(const std::shared_ptr<Datatype>& type, MPI_Datatype* newtype);

// Where MPI_Type_get_contents finds the counts of a constructor, and its addresses: those of the
// functions with MPI_Count have one list for both.
template <class Count>
auto& counts_of(Contents& contents) {
  if constexpr (sizeof(Count) > sizeof(int)) {
    return contents.large_counts;
  } else {
    return contents.integers;
  }
}
template <class Count>
std::vector<std::int64_t>& addresses_of(Contents& contents) {
  return sizeof(Count) > sizeof(int) ? contents.large_counts : contents.addresses;
}

}  // namespace lintel::mpi
