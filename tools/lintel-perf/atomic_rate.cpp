// Rate of atomic operations: a window of PtlAtomic, each of which adds 64-bit words at the target and ends with its ack. Every word must end as their sum.

#include "measurement.h"
#include "pass_timer.h"
#include "traffic.h"

namespace lintel::perf {

Row measure_atomic_rate(Session& session, const Settings& settings, std::uint64_t size) {
  Row row;
  row.size_bytes = size;
  row.iterations = settings.window_iterations(size);
  row.warm_up = settings.warm_up_for(row.iterations);
  Metric rate{"atomic_rate", "Atomic rate", Quantity::kMessageRate, {}};
  Metric bandwidth{"atomic_bandwidth", "Atomic bandwidth", Quantity::kBandwidth, {}};

  SideParameters mine = settings.side(size);
  mine.events = window_events(settings.window);
  mine.local = true;
  SideParameters target = settings.side(size);
  target.exposed = true;
  Pair pair(session, mine, target);
  pair.own().local->region().fill_operands();

  // Returns the seconds of `messages` sums, which are checked afterwards.
  const auto sums = [&](std::uint64_t messages) {
    if (settings.validate) pair.begin_target_sums();
    double seconds = 0;
    pair.watched(settings.window, [&] { seconds = seconds_of([&] { add_window(pair.own(), messages, settings.window); }); });
    if (settings.validate) pair.check_target_sums(messages);
    return seconds;
  };
  sums(row.warm_up);
  const auto messages = static_cast<double>(row.iterations);
  for (std::uint64_t pass = 1; pass <= settings.repeats; ++pass) {
    const double seconds = sums(row.iterations);
    rate.passes.push_back(messages / seconds);
    bandwidth.passes.push_back(messages * static_cast<double>(size) / seconds);
    if (settings.validate) row.verified_messages += row.iterations;
  }
  row.metrics.push_back(std::move(rate));
  row.metrics.push_back(std::move(bandwidth));
  return row;
}

}  // namespace lintel::perf
