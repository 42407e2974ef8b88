#pragma once
// Descriptors of tests.

#include <cstddef>
#include <cstdint>
#include <span>

#include "portals/engine/memory/memory_descriptor.h"

namespace lintel::portals {

// Of all of `memory`, with these options: no START and UNLINK events, no end of its threshold.
inline DescriptorRules rules_of(std::span<std::byte> memory, SlotId queue, std::uint32_t options) {
  DescriptorRules made;
  made.described.options = options | option::kStartDisable | option::kLinkDisable;
  made.described.threshold = kUnlimited;
  made.described.queue = queue;
  made.region = MemoryRegion(memory.data(), memory.size());
  return made;
}

}  // namespace lintel::portals
