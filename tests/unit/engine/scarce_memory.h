#pragma once
// Memory that runs out when a test says so: for code that asks with new (std::nothrow) T[n] and
// goes on without.
//
// A program linked with scarce_memory.cpp has this in place of its own. Global, for tests of one
// thread.

#include <cstddef>

namespace lintel {

extern bool memory_is_out;               // every request is refused while this is true
extern std::size_t allocations_granted;  // since the program's start, or since a test set it
extern std::size_t allocations_refused;

// Whether this memory is the one in force: a sanitizer's runtime may have its own.
bool counts_memory();

}  // namespace lintel
