#pragma once
// How a type constructor returns its datatype and keeps its arguments.

#include <memory>

#include "mpi.h"
#include "mpi_layer/mpi/objects/datatype.h"

namespace lintel::mpi {

// Sets `*newtype` to a handle for `type`. MPI_ERR_VALUE_TOO_LARGE: `type` is null, because a number
// did not fit in 63 bits. MPI_ERR_NO_MEM: no more handles.
int give_type(const std::shared_ptr<Datatype>& type, MPI_Datatype* newtype);

// The lists in which MPI_Type_get_contents finds the counts and the addresses of a constructor.
// Functions with MPI_Count have one list for both.
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
