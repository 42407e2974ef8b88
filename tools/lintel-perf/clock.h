#pragma once
// The tool's one clock, for measuring and for limits of waiting.

#include <algorithm>
#include <chrono>

namespace lintel::perf {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

inline std::chrono::milliseconds whole_ms(Seconds limit) {
  return std::chrono::ceil<std::chrono::milliseconds>(limit);
}
inline Clock::time_point after(Seconds limit) { return Clock::now() + whole_ms(limit); }

// Not below 0.
inline std::chrono::milliseconds left_until(Clock::time_point end) {
  return std::max(std::chrono::milliseconds(0), whole_ms(end - Clock::now()));
}

inline double seconds_between(Clock::time_point begin, Clock::time_point end) {
  return Seconds(end - begin).count();
}

// Seconds that `work` takes, with one look at the clock before and one after.
template <class Work>
double seconds_of(Work work) {
  const auto begin = Clock::now();
  work();
  return seconds_between(begin, Clock::now());
}

}  // namespace lintel::perf
