#pragma once
// Thousands of processes that come, put once and leave, and what is left of them in the process
// that they have met.

#include <cstddef>

#include "tests/system/job/process_group.h"

namespace lintel::testing {

// Expects that a process which has met `peers` of them, each under another name, has the memory of
// one that has met a few hundred, and the descriptors of one that has met nobody. Prints both.
// Of four peers three say goodbye and one does not. REQUIRES: `peers` is a multiple of 16, and at
// least 2,000.
void expect_nothing_left_of(std::size_t peers, Environment environment);

}  // namespace lintel::testing
