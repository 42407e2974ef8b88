#pragma once
// DescriptorSnapshot: what a program is shown of a memory descriptor, in events and when it asks.

#include <cstdint>

#include "base/slot_pool.h"

namespace lintel::portals {

// A descriptor as its owner described it, with what its accounting has left.
struct DescriptorSnapshot {
  void* start = nullptr;     // as given: the memory, or the array of pieces
  std::uint64_t length = 0;  // as given: bytes, or pieces
  std::int32_t threshold = 0;
  std::uint32_t options = 0;
  std::uint64_t max_size = 0;
  void* user_pointer = nullptr;
  SlotId queue;  // generation 0: none
};

}  // namespace lintel::portals
