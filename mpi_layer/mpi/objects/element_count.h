#pragma once
// Counts basic elements in a part of a message: what MPI_Get_elements reports and
// MPI_Status_set_elements sets.
//
// Pure functions. Cost: the parts of the type and of nested types on one path, independent of the
// counts.

#include <cstdint>
#include <optional>

#include "mpi_layer/mpi/objects/datatype.h"

namespace lintel::mpi {

// The number of basic elements in the first `bytes` bytes of packed items of `type`. Nothing if the
// bytes end within an element, or if bytes > 0 and the type has no elements. REQUIRES: bytes >= 0.
std::optional<std::int64_t> elements_in_bytes(const Datatype& type, std::int64_t bytes);

// The number of bytes of the first `elements` basic elements of items of `type`. Nothing if
// elements > 0 and the type has none, or if the number does not fit in 63 bits. REQUIRES: elements
// >= 0.
std::optional<std::int64_t> bytes_of_elements(const Datatype& type, std::int64_t elements);

}  // namespace lintel::mpi
