#pragma once
// external32: the items of a datatype as all machines write them (MPI 5.0, clause 14.5.2): big-endian, with sizes of its own for some types.
//
// Pure functions. Packed data is the items' basic elements one after the other in the order of the type map, without padding.

#include <cstddef>
#include <cstdint>
#include <span>

#include "mpi_layer/mpi/objects/checked_number.h"
#include "mpi_layer/mpi/objects/datatype.h"

namespace lintel::mpi {

// Bytes of one item. Its cost follows the constructors' arguments and not their counts.
CheckedNumber external_size(const Datatype& type);

// From packed data of this machine to external32, and back. Whole items. False: a number does not fit where it should go; `to` holds those before it.
// REQUIRES: the spans have the lengths of the same number of items of `type`, in their own formats.
bool to_external(const Datatype& type, std::span<const std::byte> native, std::span<std::byte> external);
bool from_external(const Datatype& type, std::span<const std::byte> external, std::span<std::byte> native);

}  // namespace lintel::mpi
