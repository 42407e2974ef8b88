// What is measured of gets: latency one at a time, and the bandwidth of a window. A get is done
// when its bytes are here.

#include <algorithm>

#include "measurement.h"
#include "run.h"

namespace lintel::perf {
namespace {

// Messages that the target prepares at a time, also when they are fetched one by one.
constexpr std::uint64_t kSlots = 64;

// `window`: how many gets may be under way.
Side side_for_gets(const Run& run, std::uint64_t window) {
  return run.side(
      {.slots = run.settings.validate ? verified_slots(run.size, std::max(window, kSlots)) : 0,
       .events = window_events(window),
       .exposed = !run.initiator,
       .local = run.initiator});
}

void verify_gets(const Run& run, Side& side, Row& row, std::uint64_t window) {
  if (!run.settings.validate) return;
  verify_in_slots(run, side, Action::kGet, row.iterations, window);
  row.verified_messages = row.iterations;
}

}  // namespace

Row measure_get_latency(const Run& run) {
  Row row = run.row(run.settings.latency_iterations(run.size));
  Side side = side_for_gets(run, 1);
  verify_gets(run, side, row, 1);
  row.metrics = {
      time_singles(run, row, stream_of(run, side, Action::kGet, 1), "get_latency", "Get latency")};
  return row;
}

Row measure_get_bandwidth(const Run& run) {
  const std::uint64_t window = run.settings.window;
  Row row = run.row(run.settings.window_iterations(run.size));
  Side side = side_for_gets(run, window);
  verify_gets(run, side, row, window);
  const auto seconds = time_passes(run, row, stream_of(run, side, Action::kGet, window));
  row.metrics = {rate_of("get_bandwidth", "Get bandwidth", Quantity::kBandwidth,
                         static_cast<double>(run.size) * static_cast<double>(row.iterations),
                         seconds)};
  return row;
}

}  // namespace lintel::perf
