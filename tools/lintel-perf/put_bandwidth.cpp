// Put bandwidth: a window of puts one way.

#include "measurement.h"
#include "put_stream.h"

namespace lintel::perf {

Row measure_put_bandwidth(Session& session, const Settings& settings, std::uint64_t size) {
  PutStream stream = run_put_stream(session, settings, size);
  Metric bandwidth{"put_bandwidth", "Put bandwidth", Quantity::kBandwidth, {}};
  const double bytes = static_cast<double>(size) * static_cast<double>(stream.row.iterations);
  for (const double seconds : stream.seconds) bandwidth.passes.push_back(bytes / seconds);
  stream.row.metrics.push_back(std::move(bandwidth));
  return stream.row;
}

}  // namespace lintel::perf
