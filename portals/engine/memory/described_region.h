#pragma once
// Makes a MemoryRegion from memory as programs of both APIs describe it: one piece, or an array of
// pieces.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "portals/engine/memory/memory_region.h"

namespace lintel::portals {

// Whether the memory ends within the address space. `start` null means all of the address space,
// which is legal.
inline bool within_address_space(const void* start, std::uint64_t length) {
  return start == nullptr || length <= UINTPTR_MAX - reinterpret_cast<std::uintptr_t>(start);
}

// Nothing if the array is null, has more than `max_pieces`, or `is_sound(start, bytes)` is false
// for a piece.
template <class Iovec, class IsSound>
std::optional<MemoryRegion> described_region(void* start, std::uint64_t length, bool in_pieces,
                                             std::uint32_t max_pieces, IsSound is_sound) {
  if (!in_pieces)
    return is_sound(start, length) ? std::optional(MemoryRegion(start, length)) : std::nullopt;
  if (length > max_pieces || (length > 0 && start == nullptr)) return std::nullopt;
  const auto* given = static_cast<const Iovec*>(start);
  std::vector<Piece> pieces;
  pieces.reserve(length);
  std::uint64_t total = 0;
  for (std::uint64_t i = 0; i < length; ++i) {
    if (!is_sound(given[i].iov_base, given[i].iov_len) || given[i].iov_len > UINT64_MAX - total)
      return std::nullopt;
    total += given[i].iov_len;
    pieces.push_back({static_cast<std::byte*>(given[i].iov_base), given[i].iov_len});
  }
  return MemoryRegion(pieces);
}

}  // namespace lintel::portals
