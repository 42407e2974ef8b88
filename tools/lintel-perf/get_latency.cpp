// Get latency: from PtlGet to REPLY_END, one at a time.

#include "get_stream.h"
#include "measurement.h"
#include "single_operations.h"
#include "traffic.h"

namespace lintel::perf {

Row measure_get_latency(Session& session, const Settings& settings, std::uint64_t size) {
  Row row;
  row.size_bytes = size;
  row.iterations = settings.latency_iterations(size);
  row.warm_up = settings.warm_up_for(row.iterations);
  Metric latency{"get_latency", "Get latency", Quantity::kTime, {}};

  GetPair gets(session, settings, size, 1);
  if (settings.validate) {
    gets.verify_each(row.iterations);
    row.verified_messages = row.iterations;
  }
  time_singles(
      gets.pair(), settings, row, latency, [&](std::uint64_t count) { get_window(gets.pair().own(), count, 1); },
      [&](std::uint64_t pass) { gets.prepare_pass(pass); }, [&](std::uint64_t pass) { gets.check_pass(pass); });
  row.metrics.push_back(std::move(latency));
  return row;
}

}  // namespace lintel::perf
