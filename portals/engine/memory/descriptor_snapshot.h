#pragma once
// DescriptorSnapshot: the state of a memory descriptor that a program sees, in events and when it
// reads the descriptor.

#include <cstdint>

#include "base/slot_pool.h"

namespace lintel::portals {

// A descriptor as the program described it, with its present threshold.
struct DescriptorSnapshot {
  void* start = nullptr;     // as the program gave it: the memory, or the array of pieces
  std::uint64_t length = 0;  // as the program gave it: bytes, or pieces
  std::int32_t threshold = 0;
  std::uint32_t options = 0;
  std::uint64_t max_size = 0;
  void* user_pointer = nullptr;
  SlotId queue;  // generation 0: none
};

}  // namespace lintel::portals
