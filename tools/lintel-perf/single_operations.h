#pragma once
// Operations one at a time: the passes that latencies of get, swap and fetch have in common.

#include "pass_timer.h"
#include "row.h"
#include "session.h"
#include "settings.h"

namespace lintel::perf {

// Fills `latency` with the mean of each pass, and with the distribution in one more pass if that is wanted. `run(n)`: n operations, one after the other;
// `prepare(pass)` and `check(pass)` surround each pass, untimed, and are left out without validation.
template <class Run, class Prepare, class Check>
void time_singles(Pair& pair, const Settings& settings, const Row& row, Metric& latency, Run run, Prepare prepare, Check check) {
  pair.watched(1, [&] { run(row.warm_up); });
  for (std::uint64_t pass = 1; pass <= settings.repeats; ++pass) {
    if (settings.validate) prepare(pass);
    pair.watched(1, [&] { latency.passes.push_back(seconds_of([&] { run(row.iterations); }) / static_cast<double>(row.iterations)); });
    if (settings.validate) check(pass);
  }
  if (!settings.percentiles) return;
  StepTimer timer(row.iterations);
  pair.watched(1, [&] {
    timer.begin();
    for (std::uint64_t i = 0; i < row.iterations; ++i) {
      run(1);
      timer.step();
    }
  });
  latency.distribution = percentiles_of(timer.samples(1.0));
}

}  // namespace lintel::perf
