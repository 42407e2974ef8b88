#pragma once
// Time as a value: a function that needs the time takes a TimePoint. Only the outermost loop reads
// a clock.

#include <chrono>
#include <cstdint>
#include <ctime>

namespace lintel {

using Nanoseconds = std::chrono::nanoseconds;

// Nanoseconds since an arbitrary start; never decreases. A simulated network counts virtual
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

// The same clock at the kernel's last tick, at most some milliseconds ago. Costs an eighth of
// monotonic_now().
inline TimePoint coarse_monotonic_now() {
  timespec time{};
  ::clock_gettime(CLOCK_MONOTONIC_COARSE, &time);
  return {std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec};
}

}  // namespace lintel
