#include "base/clock.h"

#include <gtest/gtest.h>

#include <thread>

namespace lintel {
namespace {

using namespace std::chrono_literals;

// A tick of the kernel takes at most 10 ms. It may be a little late.
TEST(CoarseClock, IsNeverAheadOfTheFineOneAndATickBehind) {
  const TimePoint end = monotonic_now() + 10s;
  for (bool near = false; !near;) {
    const TimePoint coarse = coarse_monotonic_now();
    const TimePoint fine = monotonic_now();
    ASSERT_LE(coarse, fine);
    ASSERT_LT(fine, end);
    near = fine - coarse <= 10ms;
    if (!near) std::this_thread::sleep_for(1ms);
  }
}

}  // namespace
}  // namespace lintel
