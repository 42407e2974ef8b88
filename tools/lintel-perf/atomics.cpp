// What is measured of operations that combine with what is at the target: the latency of swaps and
// of fetch-atomic operations, and the rate of atomic operations.

#include "contents.h"
#include "measurement.h"
#include "passes.h"
#include "traffic.h"

namespace lintel::perf {
namespace {

// The two sides: one starts operations and, if they fetch, has memory for the old contents.
Pair pair_of(Conversation& conversation, const Settings& settings, std::uint64_t size, bool fetches,
             std::uint64_t events) {
  SideParameters own = settings.side(size);
  own.events = events;
  own.local = true;
  own.landing = fetches;
  SideParameters target = settings.side(size);
  target.exposed = true;
  return {conversation, own, target};
}

auto one_at_a_time(Pair& pair) {
  return [&pair](std::uint64_t, auto traffic) { pair.watched(1, traffic); };
}

}  // namespace

// From PtlGetPut or PtlSwap to its reply. Each swap brings back what the one before it left, so the
// check covers both directions.
Row measure_swap_latency(Conversation& conversation, const Settings& settings, std::uint64_t size) {
  Row row = row_of(settings, size, settings.latency_iterations(size));
  Metric latency{"swap_latency", "Swap latency", Quantity::kTime, {}};
  Pair pair = pair_of(conversation, settings, size, true, SideParameters().events);
  Side& own = pair.own();
  // Each returns when its old contents are here and the new ones may be overwritten.
  const auto swaps = [&](std::uint64_t count) {
    for (std::uint64_t i = 0; i < count; ++i) {
      run_alone(own, Action::kSwap);
      own.operations->settle();
    }
  };
  if (settings.validate) {
    std::uint64_t there = pattern_id(Origin::kTarget, 0, 0);
    pair.at_target("fill", "exposed", there);
    pair.watched(1, [&] {
      for (std::uint64_t i = 0; i < row.iterations; ++i) {
        const std::uint64_t mine = pattern_id(Origin::kInitiator, 0, i);
        own.local->fill(pattern(mine));
        swaps(1);
        own.landing->check(there);
        there = mine;
      }
    });
    pair.at_target("check", "exposed", there);
    row.verified_messages = row.iterations;
  }
  const auto message = [](std::uint64_t pass) { return pattern_id(Origin::kInitiator, pass, 0); };
  time_singles(
      settings, row, latency, 1, one_at_a_time(pair), swaps,
      [&](std::uint64_t pass) { own.local->fill(pattern(message(pass))); },
      [&](std::uint64_t pass) {
        pair.at_target("check", "exposed", message(pass));
        if (row.iterations > 1) own.landing->check(message(pass));
      });
  row.metrics.push_back(std::move(latency));
  return row;
}

// From PtlFetchAtomic to its reply. Each adds 64-bit words and brings back what was there before
// it.
Row measure_fetch_latency(Conversation& conversation, const Settings& settings,
                          std::uint64_t size) {
  Row row = row_of(settings, size, settings.latency_iterations(size));
  Metric latency{"fetch_latency", "Fetch-atomic latency", Quantity::kTime, {}};
  Pair pair = pair_of(conversation, settings, size, true, SideParameters().events);
  Side& own = pair.own();
  own.local->fill(operands());
  const auto fetches = [&](std::uint64_t count) {
    for (std::uint64_t i = 0; i < count; ++i) run_alone(own, Action::kFetchAdd);
  };
  if (settings.validate) {
    pair.sums_at_target("begin_sums", 0);
    pair.watched(1, [&] {
      for (std::uint64_t i = 0; i < row.iterations; ++i) {
        fetches(1);
        own.landing->check_sums(i);
      }
      own.operations->settle();
    });
    pair.sums_at_target("check_sums", row.iterations);
    row.verified_messages = row.iterations;
  }
  time_singles(
      settings, row, latency, 1, one_at_a_time(pair), fetches,
      [&](std::uint64_t) { pair.sums_at_target("begin_sums", 0); },
      [&](std::uint64_t) {
        pair.sums_at_target("check_sums", row.iterations);
        own.landing->check_sums(row.iterations - 1);
      });
  own.operations->settle();
  row.metrics.push_back(std::move(latency));
  return row;
}

// A window of PtlAtomic, each of which adds 64-bit words at the target and ends with its ack. Every
// word must end as their sum.
Row measure_atomic_rate(Conversation& conversation, const Settings& settings, std::uint64_t size) {
  Row row = row_of(settings, size, settings.window_iterations(size));
  Pair pair = pair_of(conversation, settings, size, false, window_events(settings.window));
  pair.own().local->fill(operands());
  const auto seconds = time_passes(
      settings, row, [&](std::uint64_t, auto traffic) { pair.watched(settings.window, traffic); },
      [&](std::uint64_t count) { run_stream(pair.own(), Action::kAdd, count, settings.window); },
      [&](std::uint64_t) { pair.sums_at_target("begin_sums", 0); },
      [&](std::uint64_t) {
        pair.sums_at_target("check_sums", row.iterations);
        row.verified_messages += row.iterations;
      });
  const auto messages = static_cast<double>(row.iterations);
  row.metrics = {rate_of("atomic_rate", "Atomic rate", Quantity::kMessageRate, messages, seconds),
                 rate_of("atomic_bandwidth", "Atomic bandwidth", Quantity::kBandwidth,
                         messages * static_cast<double>(size), seconds)};
  return row;
}

}  // namespace lintel::perf
