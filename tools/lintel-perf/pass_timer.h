#pragma once
// The clock of the measurements.

#include <chrono>
#include <cstdint>
#include <vector>

namespace lintel::perf {

using SteadyClock = std::chrono::steady_clock;

inline double seconds_between(SteadyClock::time_point begin, SteadyClock::time_point end) {
  return std::chrono::duration<double>(end - begin).count();
}

// Seconds that `work` takes, with one look at the clock before and one after.
template <class Work>
double seconds_of(Work work) {
  const auto begin = SteadyClock::now();
  work();
  return seconds_between(begin, SteadyClock::now());
}

// Times each step of a loop by itself: one look at the clock for each, at its end.
class StepTimer {
 public:
  explicit StepTimer(std::uint64_t steps) { samples_.reserve(steps); }

  void begin() { last_ = SteadyClock::now(); }
  void step() {
    const auto now = SteadyClock::now();
    samples_.push_back(seconds_between(last_, now));
    last_ = now;
  }
  // `share`: the part of a step that is reported; one half for a round trip.
  std::vector<double> samples(double share) const {
    std::vector<double> scaled = samples_;
    for (double& sample : scaled) sample *= share;
    return scaled;
  }

 private:
  SteadyClock::time_point last_{};
  std::vector<double> samples_;
};

}  // namespace lintel::perf
