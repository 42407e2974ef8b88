#pragma once
// Payload: the bytes after the fixed part of a message. A value; the bytes belong to others.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "portals/engine/memory/memory_region.h"

namespace lintel::portals {

// Those of a region, or bytes that Outbox::send() copies.
struct Payload {
  const MemoryRegion* region = nullptr;
  std::uint64_t offset = 0;
  std::uint64_t length = 0;
  std::span<const std::byte> bytes;  // if region is null
  bool is_volatile = false;          // the region's bytes are copied if the message has to wait
  std::size_t size() const { return region != nullptr ? length : bytes.size(); }
  // `out` has room for size() bytes.
  void copy_to(std::byte* out) const {
    if (region != nullptr) {
      region->read(offset, {out, length});
    } else if (!bytes.empty()) {
      std::memcpy(out, bytes.data(), bytes.size());
    }
  }
};

}  // namespace lintel::portals
