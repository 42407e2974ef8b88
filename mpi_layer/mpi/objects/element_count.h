#pragma once
// Counting basic elements in part of a message: what MPI_Get_elements tells and
// MPI_Status_set_elements says.
//
// Pure. Cost: the parts of the type and of those within it on one way down, not the counts.

#include <cstdint>
#include <optional>

#include "mpi_layer/mpi/objects/datatype.h"

namespace lintel::mpi {

// Basic elements in the first `bytes` bytes of packed items of `type`; nothing if the bytes end
// within an element, or if they are some and the type has none. REQUIRES: bytes >= 0.
std::optional<std::int64_t> elements_in_bytes(const Datatype& type, std::int64_t bytes);

// Bytes of the first `elements` basic elements of items of `type`; nothing if the type has none and
// they are some, or if the number does not fit in 63 bits. REQUIRES: elements >= 0.
std::optional<std::int64_t> bytes_of_elements(const Datatype& type, std::int64_t elements);

}  // namespace lintel::mpi
