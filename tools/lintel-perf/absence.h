#pragma once
// What a passive target does instead of calling Portals.

#include <cstdint>

namespace lintel::perf {

// Computes for `seconds` without any system call but reading the clock. Returns how many rounds it managed.
std::uint64_t compute_for(double seconds);

// Sleeps for `seconds` in one system call. Returns 0.
std::uint64_t sleep_for(double seconds);

}  // namespace lintel::perf
