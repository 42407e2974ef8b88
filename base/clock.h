#pragma once
// Time as a value: every function that needs the time takes a TimePoint; only the outermost loop
// asks a clock for it.

#include <chrono>
#include <cstdint>
#include <ctime>

namespace lintel {

using Nanoseconds = std::chrono::nanoseconds;

// Nanoseconds since an arbitrary start; never goes back. A simulated network counts virtual
// nanoseconds in the same type.
struct TimePoint {
  std::int64_t ns = 0;

  friend constexpr auto operator<=>(const TimePoint&, const TimePoint&) = default;
  friend constexpr TimePoint operator+(TimePoint t, Nanoseconds d) { return {t.ns + d.count()}; }
  friend constexpr Nanoseconds operator-(TimePoint a, TimePoint b) {
    return Nanoseconds(a.ns - b.ns);
  }
};

inline constexpr TimePoint kNever{INT64_MAX};

// The machine's monotonic clock.
inline TimePoint monotonic_now() {
  return {
      std::chrono::duration_cast<Nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
          .count()};
}

// The same clock as it was at the kernel's last tick, some milliseconds ago at most: an eighth of
// the cost.
inline TimePoint coarse_monotonic_now() {
  timespec time{};
  ::clock_gettime(CLOCK_MONOTONIC_COARSE, &time);
  return {std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec};
}

}  // namespace lintel
