#include "portals/engine/memory/memory_region.h"

namespace lintel::portals {

MemoryRegion::MemoryRegion(std::span<const Piece> pieces) {
  auto placed = std::make_shared<std::vector<PlacedPiece>>();
  placed->reserve(pieces.size());
  for (const Piece& piece : pieces) {
    placed->push_back({piece.data, length_, piece.length});
    length_ += piece.length;
  }
  pieces_ = std::move(placed);
}

void* MemoryRegion::address_at(std::uint64_t offset) const {
  if (!pieces_) return reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(start_) + offset);
  if (offset >= length_) return nullptr;
  const auto piece = piece_at(offset);
  return piece->data + (offset - piece->begin);
}

}  // namespace lintel::portals
