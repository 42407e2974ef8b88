// Bidirectional put bandwidth: both processes put at once. The time runs from before the server is told to begin until both have every ack.

#include <algorithm>

#include "measurement.h"
#include "pass_timer.h"
#include "traffic.h"

namespace lintel::perf {
namespace {

void verify_both_ways(Pair& pair, std::uint64_t messages) {
  Side& own = pair.own();
  for (std::uint64_t first = 0; first < messages; first += own.local_slots.size()) {
    const std::uint64_t count = std::min<std::uint64_t>(own.local_slots.size(), messages - first);
    for (std::uint64_t i = 0; i < count; ++i) own.local_slots[i]->region().fill(pattern_id(Origin::kInitiator, 0, first + i));
    pair.fill_target_slots(Origin::kTarget, first, count);
    pair.session().start("send_slots", {{"count", count}});
    pair.watched(count, [&] { put_slots(own, count); });
    pair.session().finish(time_for(count * own.parameters.size));
    for (std::uint64_t i = 0; i < count; ++i) own.exposed_slots[i]->region().check(pattern_id(Origin::kTarget, 0, first + i));
    pair.check_target_slots(Origin::kInitiator, first, count);
  }
}

double both_ways(Pair& pair, const Settings& settings, std::uint64_t messages) {
  double seconds = 0;
  pair.watched(settings.window, [&] {
    seconds = seconds_of([&] {
      pair.session().start("send_window", {{"messages", messages}, {"window", settings.window}});
      put_window(pair.own(), messages, settings.window, Completion::kRemote);
      pair.session().finish(time_for(messages * pair.own().parameters.size));
    });
  });
  return seconds;
}

}  // namespace

Row measure_put_both_ways(Session& session, const Settings& settings, std::uint64_t size) {
  Row row;
  row.size_bytes = size;
  row.iterations = settings.window_iterations(size);
  row.warm_up = settings.warm_up_for(row.iterations);
  Metric bandwidth{"put_bandwidth_both_ways", "Bandwidth", Quantity::kBandwidth, {}};

  SideParameters side = settings.side(size);
  side.slots = settings.validate ? verified_slots(size, settings.window) : 0;
  side.events = window_events(settings.window);
  side.exposed = true;
  side.local = true;
  Pair pair(session, side, side);
  if (settings.validate) {
    verify_both_ways(pair, row.iterations);
    row.verified_messages = 2 * row.iterations;
  }
  both_ways(pair, settings, row.warm_up);
  for (std::uint64_t pass = 1; pass <= settings.repeats; ++pass) {
    const auto mine = pattern_id(Origin::kInitiator, pass, 0);
    const auto theirs = pattern_id(Origin::kTarget, pass, 0);
    if (settings.validate) {
      pair.own().local->region().fill(mine);
      pair.own().exposed->region().poison(theirs);
      pair.fill_target("local", theirs);
      pair.poison_target("exposed", mine);
    }
    const double seconds = both_ways(pair, settings, row.iterations);
    bandwidth.passes.push_back(2 * static_cast<double>(size) * static_cast<double>(row.iterations) / seconds);
    if (settings.validate) {
      pair.own().exposed->region().check(theirs);
      pair.check_target("exposed", mine);
    }
  }
  row.metrics.push_back(std::move(bandwidth));
  return row;
}

}  // namespace lintel::perf
