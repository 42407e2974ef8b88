// Message rate: how many small puts a second.

#include "measurement.h"
#include "put_stream.h"

namespace lintel::perf {

Row measure_message_rate(Session& session, const Settings& settings, std::uint64_t size) {
  PutStream stream = run_put_stream(session, settings, size);
  Metric rate{"message_rate", "Message rate", Quantity::kMessageRate, {}};
  Metric bandwidth{"put_bandwidth", "Put bandwidth", Quantity::kBandwidth, {}};
  const auto messages = static_cast<double>(stream.row.iterations);
  for (const double seconds : stream.seconds) {
    rate.passes.push_back(messages / seconds);
    bandwidth.passes.push_back(messages * static_cast<double>(size) / seconds);
  }
  stream.row.metrics.push_back(std::move(rate));
  stream.row.metrics.push_back(std::move(bandwidth));
  return stream.row;
}

}  // namespace lintel::perf
