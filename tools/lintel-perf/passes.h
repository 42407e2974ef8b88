#pragma once
// The passes that all measurements have in common.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "clock.h"
#include "conversation.h"
#include "results.h"
#include "settings.h"

namespace lintel::perf {

inline Row row_of(const Settings& settings, std::uint64_t size, std::uint64_t iterations) {
  return {
      .size_bytes = size, .iterations = iterations, .warm_up = settings.warm_up_for(iterations)};
}

// Runs the warm-up and the timed passes; returns the seconds of each pass.
//
// `run(n)`: n operations. `around(n, traffic)`: calls traffic(), which runs n operations, with what
// belongs to it but is not timed. `prepare(pass)` and `check(pass)` surround each pass; they are
// left out without validation.
template <class Around, class Run, class Prepare, class Check>
std::vector<double> time_passes(const Settings& settings, const Row& row, Around around, Run run,
                                Prepare prepare, Check check) {
  std::vector<double> seconds;
  around(row.warm_up, [&] { run(row.warm_up); });
  for (std::uint64_t pass = 1; pass <= settings.repeats; ++pass) {
    if (settings.validate) prepare(pass);
    around(row.iterations, [&] { seconds.push_back(seconds_of([&] { run(row.iterations); })); });
    if (settings.validate) check(pass);
  }
  return seconds;
}

// The same for operations one at a time: fills `latency` with the mean of each pass and, if that is
// wanted, with the distribution in one more pass. `share`: the part of an operation that is
// reported.
template <class Around, class Run, class Prepare, class Check>
void time_singles(const Settings& settings, const Row& row, Metric& latency, double share,
                  Around around, Run run, Prepare prepare, Check check) {
  for (const double seconds : time_passes(settings, row, around, run, prepare, check)) {
    latency.passes.push_back(share * seconds / static_cast<double>(row.iterations));
  }
  if (!settings.percentiles) return;
  std::vector<double> samples;
  samples.reserve(row.iterations);
  around(row.iterations, [&] {
    auto last = Clock::now();
    for (std::uint64_t i = 0; i < row.iterations; ++i) {
      run(1);
      const auto now = Clock::now();
      samples.push_back(share * seconds_between(last, now));
      last = now;
    }
  });
  latency.distribution = percentiles_of(std::move(samples));
}

// Exchanges `messages` messages that are all different, each in a slot of its own, in rounds of as
// many as there are slots: `exchange(first, count)`.
template <class Exchange>
void verify_in_slots(std::uint64_t slots, std::uint64_t messages, Exchange exchange) {
  for (std::uint64_t first = 0; first < messages; first += slots) {
    exchange(first, std::min(slots, messages - first));
  }
}

// `amount` a second, for each pass.
inline Metric rate_of(const char* key, const char* title, Quantity quantity, double amount,
                      const std::vector<double>& seconds) {
  Metric rate{key, title, quantity, {}};
  for (const double pass : seconds) rate.passes.push_back(amount / pass);
  return rate;
}

}  // namespace lintel::perf
