#pragma once
// Whether memory that a program has promised nothing about can be read or written, found out
// without a fault. For entries over memory that may not be mapped (Portals 4,
// PTL_TARGET_BIND_INACCESSIBLE); costs a system call for each page, or for each larger range.
//
// The answer holds until the program changes its mappings. Any thread, does not block; pages that
// were never touched are populated.

#include <cstdint>

#include "portals/engine/memory_region.h"

namespace lintel::portals {

enum class Access : std::uint8_t { kRead, kWrite };

// REQUIRES: the range lies within the region.
bool is_accessible(const MemoryRegion& region, std::uint64_t offset, std::uint64_t length,
                   Access access);

}  // namespace lintel::portals
