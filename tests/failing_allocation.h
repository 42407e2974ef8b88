#pragma once
// Makes one allocation of a program fail, the nth from now on.
//
// A program linked with failing_allocation.cpp uses its operator new. The libraries use it too. Any
// thread. Not with the thread sanitizer, whose runtime has an operator new of its own.

#include <atomic>

#include "tests/sanitized.h"

// First in a test, or in SetUp(), that makes allocations fail.
#define LINTEL_NEEDS_FAILING_ALLOCATIONS() \
  if (::lintel::testing::kThreadSanitized) \
  GTEST_SKIP() << "the thread sanitizer's runtime has an operator new of its own"

namespace lintel::testing {

inline constexpr long kNoFailure = -1;
// Allocations until the one that fails, counted by each. Below 0: none fails, or it has failed.
extern std::atomic<long> allocations_until_failure;

// While it lives, allocations of this thread neither fail nor count: for what belongs to the test.
struct UnlimitedMemory {
  UnlimitedMemory();
  ~UnlimitedMemory();
  UnlimitedMemory(const UnlimitedMemory&) = delete;
  UnlimitedMemory& operator=(const UnlimitedMemory&) = delete;
};

}  // namespace lintel::testing
