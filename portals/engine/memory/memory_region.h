#pragma once
// MemoryRegion: a program's memory, one piece or a list of pieces, as one flat space of bytes.
//
// A value. Copies share the list of pieces, which does not change. The program owns the memory,
// which must exist while a descriptor or an operation refers to it. Offsets and lengths are bytes
// of the flat space.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <vector>

#include "base/assert.h"

namespace lintel::portals {

struct Piece {
  std::byte* data = nullptr;
  std::uint64_t length = 0;
};

class MemoryRegion {
 public:
  MemoryRegion() = default;
  MemoryRegion(void* start, std::uint64_t length)
      : start_(static_cast<std::byte*>(start)), length_(length) {}
  // Empty pieces are legal. REQUIRES: the lengths add up without overflow.
  explicit MemoryRegion(std::span<const Piece> pieces);

  std::uint64_t length() const { return length_; }
  // Whether [offset, offset + length) is within the region.
  bool holds(std::uint64_t offset, std::uint64_t length) const {
    return offset <= length_ && length <= length_ - offset;
  }

  // The address of the byte at `offset`. In a region of one piece it may be beyond the end. Null
  // beyond the end of a list of pieces.
  void* address_at(std::uint64_t offset) const;

  // Calls `visit(std::span<std::byte>)` for each non-empty contiguous run of [offset, offset +
  // length), in order.
  // REQUIRES: the range lies within the region.
  template <class Visit>
  void for_each_run(std::uint64_t offset, std::uint64_t length, Visit&& visit) const;
  // The first of these runs. REQUIRES: as for_each_run(); length > 0.
  std::span<std::byte> run_at(std::uint64_t offset, std::uint64_t length) const;
  // That range, if it is one contiguous run; otherwise empty. REQUIRES: as for_each_run().
  std::span<std::byte> contiguous(std::uint64_t offset, std::uint64_t length) const {
    std::span<std::byte> last;
    for_each_run(offset, length, [&last](std::span<std::byte> run) { last = run; });
    return last.size() == length ? last : std::span<std::byte>();
  }

  // Copies `bytes` into the region at `offset`. REQUIRES: they fit. Source and region may overlap.
  void write(std::uint64_t offset, std::span<const std::byte> bytes) const;
  // Copies from the region at `offset` into `bytes`. REQUIRES: the range lies within the region.
  void read(std::uint64_t offset, std::span<std::byte> bytes) const;

 private:
  struct PlacedPiece {
    std::byte* data;
    std::uint64_t begin;  // offset of its first byte in the flat space
    std::uint64_t length;
  };

  // The piece in which `offset` lies. REQUIRES: pieces_, offset < length_.
  std::vector<PlacedPiece>::const_iterator piece_at(std::uint64_t offset) const;

  std::byte* start_ = nullptr;  // of the only piece, if pieces_ is null
  std::uint64_t length_ = 0;
  std::shared_ptr<const std::vector<PlacedPiece>> pieces_;
};

template <class Visit>
void MemoryRegion::for_each_run(std::uint64_t offset, std::uint64_t length, Visit&& visit) const {
  LINTEL_ASSERT(holds(offset, length));
  if (length == 0) return;
  if (!pieces_) {
    // Computed with integers, because a region may be all of the address space, from null on.
    visit(std::span<std::byte>(
        reinterpret_cast<std::byte*>(reinterpret_cast<std::uintptr_t>(start_) + offset), length));
    return;
  }
  auto piece = piece_at(offset);
  while (length > 0) {
    const std::uint64_t skip = offset - piece->begin;
    const std::uint64_t take = std::min(length, piece->length - skip);
    if (take > 0) visit(std::span<std::byte>(piece->data + skip, take));
    offset += take;
    length -= take;
    ++piece;
  }
}

inline std::span<std::byte> MemoryRegion::run_at(std::uint64_t offset, std::uint64_t length) const {
  LINTEL_ASSERT(length > 0 && holds(offset, length));
  if (!pieces_) return {static_cast<std::byte*>(address_at(offset)), length};
  const auto piece = piece_at(offset);
  const std::uint64_t skip = offset - piece->begin;
  return {piece->data + skip, std::min(length, piece->length - skip)};
}

// The last piece that begins at `offset` or before. Empty pieces before it may begin at the same
// offset.
inline std::vector<MemoryRegion::PlacedPiece>::const_iterator MemoryRegion::piece_at(
    std::uint64_t offset) const {
  return std::upper_bound(pieces_->begin(), pieces_->end(), offset,
                          [](std::uint64_t at, const PlacedPiece& p) { return at < p.begin; }) -
         1;
}

inline void MemoryRegion::write(std::uint64_t offset, std::span<const std::byte> bytes) const {
  const std::byte* from = bytes.data();
  for_each_run(offset, bytes.size(), [&](std::span<std::byte> run) {
    std::memmove(run.data(), from, run.size());
    from += run.size();
  });
}

inline void MemoryRegion::read(std::uint64_t offset, std::span<std::byte> bytes) const {
  std::byte* to = bytes.data();
  for_each_run(offset, bytes.size(), [&](std::span<std::byte> run) {
    std::memmove(to, run.data(), run.size());
    to += run.size();
  });
}

}  // namespace lintel::portals
