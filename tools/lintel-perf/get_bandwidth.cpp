// Get bandwidth: a window of gets. A get is done when its bytes are here, so there is only one kind of completion.

#include "get_stream.h"
#include "measurement.h"
#include "pass_timer.h"
#include "traffic.h"

namespace lintel::perf {

Row measure_get_bandwidth(Session& session, const Settings& settings, std::uint64_t size) {
  Row row;
  row.size_bytes = size;
  row.iterations = settings.window_iterations(size);
  row.warm_up = settings.warm_up_for(row.iterations);
  Metric bandwidth{"get_bandwidth", "Get bandwidth", Quantity::kBandwidth, {}};

  GetPair gets(session, settings, size, settings.window);
  Pair& pair = gets.pair();
  if (settings.validate) {
    gets.verify_each(row.iterations);
    row.verified_messages = row.iterations;
  }
  pair.watched(settings.window, [&] { get_window(pair.own(), row.warm_up, settings.window); });
  for (std::uint64_t pass = 1; pass <= settings.repeats; ++pass) {
    if (settings.validate) gets.prepare_pass(pass);
    pair.watched(settings.window, [&] {
      const double seconds = seconds_of([&] { get_window(pair.own(), row.iterations, settings.window); });
      bandwidth.passes.push_back(static_cast<double>(size) * static_cast<double>(row.iterations) / seconds);
    });
    if (settings.validate) gets.check_pass(pass);
  }
  row.metrics.push_back(std::move(bandwidth));
  return row;
}

}  // namespace lintel::perf
