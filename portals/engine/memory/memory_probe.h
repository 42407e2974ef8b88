#pragma once
// Finds out whether memory can be read or written, without a fault. For entries over memory that
// may not be mapped (Portals 4, PTL_TARGET_BIND_INACCESSIBLE). It takes a system call for each
// page, or for each larger range.
//
// The answer is valid until the program changes its mappings. Any thread. Does not block. Makes
// pages resident that were never touched.

#include <cstdint>

#include "portals/engine/memory/memory_region.h"

namespace lintel::portals {

enum class ProbedAccess : std::uint8_t { kRead, kWrite };

// REQUIRES: the range lies within the region.
bool is_accessible(const MemoryRegion& region, std::uint64_t offset, std::uint64_t length,
                   ProbedAccess access);

}  // namespace lintel::portals
