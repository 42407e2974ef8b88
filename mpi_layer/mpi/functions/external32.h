#pragma once
// external32: the items of a datatype in the format that all machines understand (MPI 5.0, clause
// 14.5.2): big-endian, with sizes of its own for some types.
//
// Pure functions. Packed data are the basic elements of the items one after the other, in the order
// of the type map, without padding.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "mpi_layer/mpi/objects/checked_number.h"
#include "mpi_layer/mpi/objects/datatype.h"
#include "mpi_layer/mpi/objects/portion.h"

namespace lintel::mpi {

// One item in external32. The cost of computing it depends on the number of the constructors'
// arguments, not on the counts in them.
struct ExternalForm {
  CheckedNumber size = 0;  // in bytes
  bool is_native = true;   // packed items have the same bytes in both formats: characters,
                           // MPI_BYTE, MPI_PACKED
};
ExternalForm external_form(const Datatype& type);

// Writes `count` items at `address` to `external`. False: a number does not fit in external32, and
// `external` is undefined. REQUIRES: `external` has the length of the items.
bool pack_external(const Datatype& type, std::uintptr_t address, std::int64_t count,
                   std::span<std::byte> external);

// Converts the complete basic elements of `external` to the items at `address`. Nothing else is
// written. REQUIRES: `external` has at most `count` items.
void unpack_external(const Datatype& type, std::uintptr_t address, std::int64_t count,
                     std::span<const std::byte> external);

// The number of basic elements in the first `bytes` bytes of items in external32. Nothing if the
// bytes end within an element, or if bytes > 0 and the type has no elements.
std::optional<std::int64_t> elements_in_external(const Datatype& type, std::int64_t bytes);

// For the first `bytes` bytes of items in external32: the size of their complete basic elements in
// the format of this machine, and the number of bytes of an incomplete one. Nothing: the type has
// no bytes, or the number does not fit in 63 bits.
std::optional<Portion> native_portion(const Datatype& type, std::int64_t bytes);

}  // namespace lintel::mpi
