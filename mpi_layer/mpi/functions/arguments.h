#pragma once
// Argument checks that many C functions share. Each returns MPI_SUCCESS or the error class.

#include <climits>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string_view>

#include "mpi.h"

namespace lintel::mpi {

// Checks that none of the pointers is null.
inline int check_pointers(std::initializer_list<const void*> pointers) {
  for (const void* pointer : pointers) {
    if (pointer == nullptr) return MPI_ERR_ARG;
  }
  return MPI_SUCCESS;
}

// Checks that `count` is not negative, and, unless it is 0, that no array is null.
inline int check_arrays(std::int64_t count, std::initializer_list<const void*> arrays) {
  if (count < 0) return MPI_ERR_COUNT;
  return count > 0 ? check_pointers(arrays) : MPI_SUCCESS;
}

// A number as an int; MPI_UNDEFINED if it does not fit.
inline int as_int(std::int64_t number) {
  return number >= INT_MIN && number <= INT_MAX ? static_cast<int>(number) : MPI_UNDEFINED;
}

// An array argument of `count` elements; the caller has checked it.
template <class T>
std::span<T> array(T* first, int count) {
  return {first, static_cast<std::size_t>(count)};
}

// Copies text with a final zero byte to `buffer` of `size` > 0 bytes, truncated if it is longer.
// Returns its length without the zero byte.
inline int copy_text(std::string_view text, char* buffer, std::size_t size) {
  const std::size_t length = text.copy(buffer, size - 1);
  buffer[length] = '\0';
  return static_cast<int>(length);
}

}  // namespace lintel::mpi
