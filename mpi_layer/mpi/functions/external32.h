#pragma once
// external32: the items of a datatype as all machines write them (MPI 5.0, clause 14.5.2):
// big-endian, with sizes of its own for some types.
//
// Pure functions. Packed data is the items' basic elements one after the other in the order of the
// type map, without padding.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "mpi_layer/mpi/objects/checked_number.h"
#include "mpi_layer/mpi/objects/datatype.h"
#include "mpi_layer/mpi/objects/portion.h"

namespace lintel::mpi {

// What external32 makes of one item. Its cost follows the constructors' arguments and not their
// counts.
struct ExternalForm {
  CheckedNumber size = 0;  // in bytes
  bool is_native = true;   // the bytes of packed items are the same in both forms: characters,
                           // MPI_BYTE, MPI_PACKED
};
ExternalForm external_form(const Datatype& type);

// Writes `count` items at `address` to `external`. False: a number does not fit where it should go;
// what `external` holds then is of no use. REQUIRES: `external` has the length of the items.
bool pack_external(const Datatype& type, std::uintptr_t address, std::int64_t count,
                   std::span<std::byte> external);

// Brings the items of `external` to where they belong: as many basic elements as there are whole
// ones, and nothing else is written. REQUIRES: they are not more than `count` items.
void unpack_external(const Datatype& type, std::uintptr_t address, std::int64_t count,
                     std::span<const std::byte> external);

// Of the first `bytes` bytes of items in external32: basic elements; nothing if the bytes end
// within one, or if they are some and the type has none.
std::optional<std::int64_t> elements_in_external(const Datatype& type, std::int64_t bytes);

// Of the first `bytes` bytes of items in external32: what their whole basic elements take in this
// machine's form, and the bytes of one that is not whole. Nothing: the type has no bytes, or the
// number does not fit in 63 bits.
std::optional<Portion> native_portion(const Datatype& type, std::int64_t bytes);

}  // namespace lintel::mpi
