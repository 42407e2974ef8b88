#pragma once
// Packing: copies any range of the packed stream of `count` items from or to memory. A range costs
// a binary search for each level of nesting before its first byte. So a large message can be moved
// in parts, in any order, by any thread, without state between them.
//
// Pure functions. Memory is addressed by number: displacements are the caller's and may be absolute
// addresses (MPI_BOTTOM).
// Does not: check that the memory exists, or that items do not overlap. If bytes overlap in a
// receive, the last write wins.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "mpi_layer/mpi/objects/layout.h"

namespace lintel::mpi {

// Items of one layout in memory: the first at `address`, each next one `extent` bytes behind the
// one before.
struct Items {
  const Layout* layout = nullptr;
  std::int64_t extent = 0;
  std::int64_t count = 0;
  std::uintptr_t address = 0;

  std::int64_t packed_bytes() const { return layout->size() * count; }
  // True if the items are packed_bytes() neighbouring bytes from begin() on, in packing order. They
  // can be moved without a copy.
  bool is_contiguous() const {
    return layout->is_block() && (count <= 1 || layout->size() == 0 || extent == layout->size());
  }
  // REQUIRES: is_contiguous().
  std::byte* begin() const;
};

// Copies bytes [from, from + to.size()) of the packed stream to `to`.
// REQUIRES: 0 <= from, from + to.size() <= items.packed_bytes(); the memory does not overlap `to`.
void pack(const Items& items, std::int64_t from, std::span<std::byte> to);

// Copies `data` to the memory of bytes [at, at + data.size()) of the packed stream. Nothing else is
// written. REQUIRES: as for pack.
void unpack(const Items& items, std::int64_t at, std::span<const std::byte> data);

// Appends the memory of bytes [from, to) of the packed stream to `pieces`, in order, until there
// are `limit` pieces. Neighbouring bytes are one piece. Returns the end of the range that the
// pieces cover: `to` or less. For transports that gather. REQUIRES: as for pack.
std::int64_t gather(const Items& items, std::int64_t from, std::int64_t to, std::size_t limit,
                    std::vector<std::span<std::byte>>& pieces);

}  // namespace lintel::mpi
