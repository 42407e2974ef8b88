#pragma once
// Common code of the functions that convert handles to integers and back (MPI 5.0, chapter 20).

#include "mpi_layer/mpi/functions/local_objects.h"

namespace lintel::mpi {

template <class T, class Handle>
int integer_of(const HandleTable<T>& table, Handle handle, Handle null) {
  return table.integer_of(number_of(handle), number_of(null));
}

template <class T, class Handle>
Handle handle_of_integer(HandleTable<T>& table, int integer, Handle null) {
  return handle_of<Handle>(table.of_integer(integer, number_of(null)));
}

}  // namespace lintel::mpi
