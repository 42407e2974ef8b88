#pragma once
// Makes new (std::nothrow) T[n] fail when a test says so, for code that continues without the
// memory.
//
// A program linked with scarce_memory.cpp uses this allocator. The state is global: for tests of
// one thread.

#include <cstddef>

namespace lintel {

extern bool memory_is_out;               // while true, every request is refused
extern std::size_t allocations_granted;  // since the program's start, or since a test reset it
extern std::size_t allocations_refused;

// Whether this allocator is in use: a sanitizer's runtime may replace it.
bool counts_memory();

}  // namespace lintel
