// What is measured of operations that combine with what is at the target: the latency of swaps and
// of fetch-atomic operations, and the rate of atomic operations.

#include "contents.h"
#include "measurement.h"
#include "run.h"
#include "traffic.h"

namespace lintel::perf {
namespace {

// The initiator starts operations and, if they fetch, has memory for the old contents.
Side side_for_atomics(const Run& run, bool fetches,
                      std::uint64_t events = SideParameters().events) {
  return run.side({.events = events,
                   .exposed = !run.initiator,
                   .local = run.initiator,
                   .landing = run.initiator && fetches});
}

// One operation of each kind after the other, each with a check of its own, between two meetings.
template <class Alone>
void one_by_one(const Run& run, Side& side, std::uint64_t count, Alone alone) {
  run.meet(time_for(run.size));
  if (run.initiator) {
    const Peer::Watch watch(run.peer, *side.operations, time_for(run.size));
    for (std::uint64_t i = 0; i < count; ++i) alone(i);
    side.operations->settle();
  }
  run.meet(time_for(run.size));
}

}  // namespace

// From PtlGetPut or PtlSwap to its reply. Each swap brings back what the one before it left, so the
// check covers both directions.
Row measure_swap_latency(const Run& run) {
  Row row = run.row(run.settings.latency_iterations(run.size));
  Side side = side_for_atomics(run, true);
  const auto of_initiator = [](std::uint64_t pass, std::uint64_t i) {
    return pattern_id(Origin::kInitiator, pass, i);
  };
  // Each returns when its old contents are here and the new ones may be overwritten.
  const auto swap = [&] {
    run_alone(side, Action::kSwap);
    side.operations->settle();
  };
  if (run.settings.validate) {
    const std::uint64_t before = pattern_id(Origin::kTarget, 0, 0);
    if (side.exposed) side.exposed->fill(pattern(before));
    one_by_one(run, side, row.iterations, [&](std::uint64_t i) {
      side.local->fill(pattern(of_initiator(0, i)));
      swap();
      side.landing->check(i == 0 ? before : of_initiator(0, i - 1));
    });
    if (side.exposed) side.exposed->check(of_initiator(0, row.iterations - 1));
    row.verified_messages = row.iterations;
  }
  const Work work{side, 1,
                  [&](std::uint64_t count) {
                    for (std::uint64_t i = 0; run.initiator && i < count; ++i) swap();
                  },
                  [&](std::uint64_t pass) {
                    if (side.local) side.local->fill(pattern(of_initiator(pass, 0)));
                  },
                  [&](std::uint64_t pass) {
                    if (side.exposed) side.exposed->check(of_initiator(pass, 0));
                    if (side.landing && row.iterations > 1) {
                      side.landing->check(of_initiator(pass, 0));
                    }
                  }};
  row.metrics = {time_singles(run, row, work, "swap_latency", "Swap latency")};
  return row;
}

namespace {

// Operations that add words to those at the target.
Work sums_of(Side& side, const Row& row, std::uint64_t window,
             std::function<void(std::uint64_t)> traffic) {
  if (side.local) side.local->fill(operands());
  return {side, window, std::move(traffic),
          [&side](std::uint64_t) {
            if (side.exposed) side.exposed->fill(sums(0));
          },
          [&side, &row](std::uint64_t) {
            if (side.exposed) side.exposed->check_sums(row.iterations);
            if (side.landing) side.landing->check_sums(row.iterations - 1);
          }};
}

}  // namespace

// From PtlFetchAtomic to its reply. Each adds 64-bit words and brings back what was there before
// it.
Row measure_fetch_latency(const Run& run) {
  Row row = run.row(run.settings.latency_iterations(run.size));
  Side side = side_for_atomics(run, true);
  const Work work = sums_of(side, row, 1, [&](std::uint64_t count) {
    for (std::uint64_t i = 0; run.initiator && i < count; ++i) run_alone(side, Action::kFetchAdd);
  });
  if (run.settings.validate) {
    work.prepare(0);
    one_by_one(run, side, row.iterations, [&](std::uint64_t i) {
      run_alone(side, Action::kFetchAdd);
      side.landing->check_sums(i);
    });
    work.check(0);
    row.verified_messages = row.iterations;
  }
  row.metrics = {time_singles(run, row, work, "fetch_latency", "Fetch-atomic latency")};
  side.operations->settle();
  return row;
}

// A window of PtlAtomic, each of which adds 64-bit words at the target and ends with its ack. Every
// word must end as their sum.
Row measure_atomic_rate(const Run& run) {
  const std::uint64_t window = run.settings.window;
  Row row = run.row(run.settings.window_iterations(run.size));
  Side side = side_for_atomics(run, false, window_events(window));
  const Work work = sums_of(side, row, window, [&](std::uint64_t count) {
    if (run.initiator) run_stream(side, Action::kAdd, count, window);
  });
  const auto seconds = time_passes(run, row, work);
  if (run.settings.validate) row.verified_messages = row.iterations * run.settings.repeats;
  const auto messages = static_cast<double>(row.iterations);
  row.metrics = {rate_of("atomic_rate", "Atomic rate", Quantity::kMessageRate, messages, seconds),
                 rate_of("atomic_bandwidth", "Atomic bandwidth", Quantity::kBandwidth,
                         messages * static_cast<double>(run.size), seconds)};
  return row;
}

}  // namespace lintel::perf
