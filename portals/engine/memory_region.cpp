#include "portals/engine/memory_region.h"

namespace lintel::portals {

MemoryRegion::MemoryRegion(std::span<const Piece> pieces) {
  auto placed = std::make_shared<std::vector<PlacedPiece>>();
  placed->reserve(pieces.size());
  for (const Piece& piece : pieces) {
    placed->push_back({piece.data, length_, piece.length});
    length_ += piece.length;
  }
  if (!placed->empty()) pieces_ = std::move(placed);
}

}  // namespace lintel::portals
