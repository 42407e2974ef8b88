// Get latency: from PtlGet to REPLY_END, one at a time.

#include "get_stream.h"
#include "measurement.h"
#include "pass_timer.h"
#include "traffic.h"

namespace lintel::perf {

Row measure_get_latency(Session& session, const Settings& settings, std::uint64_t size) {
  Row row;
  row.size_bytes = size;
  row.iterations = settings.latency_iterations(size);
  row.warm_up = settings.warm_up_for(row.iterations);
  Metric latency{"get_latency", "Get latency", Quantity::kTime, {}};

  GetPair gets(session, settings, size, 1);
  Pair& pair = gets.pair();
  if (settings.validate) {
    gets.verify_each(row.iterations);
    row.verified_messages = row.iterations;
  }
  pair.watched(1, [&] { get_window(pair.own(), row.warm_up, 1); });
  for (std::uint64_t pass = 1; pass <= settings.repeats; ++pass) {
    if (settings.validate) gets.prepare_pass(pass);
    pair.watched(1, [&] {
      const double seconds = seconds_of([&] { get_window(pair.own(), row.iterations, 1); });
      latency.passes.push_back(seconds / static_cast<double>(row.iterations));
    });
    if (settings.validate) gets.check_pass(pass);
  }
  if (settings.percentiles) {
    StepTimer timer(row.iterations);
    pair.watched(1, [&] {
      timer.begin();
      for (std::uint64_t i = 0; i < row.iterations; ++i) {
        get_window(pair.own(), 1, 1);
        timer.step();
      }
    });
    latency.distribution = percentiles_of(timer.samples(1.0));
  }
  row.metrics.push_back(std::move(latency));
  return row;
}

}  // namespace lintel::perf
