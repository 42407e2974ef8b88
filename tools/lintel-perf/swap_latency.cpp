// Swap latency: from PtlGetPut to REPLY_END. Each swap brings back what the one before it left, so the check covers both directions.

#include <fmt/format.h>

#include "failure.h"
#include "interface.h"
#include "measurement.h"
#include "pass_timer.h"
#include "portals_call.h"
#include "traffic.h"

namespace lintel::perf {
namespace {

// One swap; returns when its old contents are here and the new ones may be overwritten.
void swap(Side& side) {
  check_call(PtlGetPut(side.landing->md(), side.local->md(), side.peer, kTimedPortal, 0, 0, 0, 0), "PtlGetPut");
  bool sent = false;
  bool replied = false;
  ptl_event_t event;
  while (!sent || !replied) {
    side.queue.wait(event);
    if (event.type == PTL_EVENT_SEND_END) sent = true;
    if (event.type == PTL_EVENT_REPLY_END) {
      replied = true;
      if (event.mlength != side.parameters.size) {
        throw Failure(ExitCode::kFailed,
                      fmt::format("verification failed: a swap moved {} bytes; expected {}", event.mlength, side.parameters.size));
      }
    }
  }
}

void verify_each(Pair& pair, std::uint64_t swaps) {
  Side& own = pair.own();
  std::uint64_t there = pattern_id(Origin::kTarget, 0, 0);
  pair.fill_target("exposed", there);
  pair.watched(1, [&] {
    for (std::uint64_t i = 0; i < swaps; ++i) {
      const std::uint64_t mine = pattern_id(Origin::kInitiator, 0, i);
      own.local->region().fill(mine);
      swap(own);
      own.landing->region().check(there);
      there = mine;
    }
  });
  pair.check_target("exposed", there);
}

}  // namespace

Row measure_swap_latency(Session& session, const Settings& settings, std::uint64_t size) {
  Row row;
  row.size_bytes = size;
  row.iterations = settings.latency_iterations(size);
  row.warm_up = settings.warm_up_for(row.iterations);
  Metric latency{"swap_latency", "Swap latency", Quantity::kTime, {}};

  const SideParameters mine{.size = size, .pieces = settings.pieces, .local = true, .landing = true};
  const SideParameters target{.size = size, .pieces = settings.pieces, .exposed = true};
  Pair pair(session, mine, target);
  Side& own = pair.own();
  if (settings.validate) {
    verify_each(pair, row.iterations);
    row.verified_messages = row.iterations;
  }
  const auto swaps = [&](std::uint64_t count) {
    for (std::uint64_t i = 0; i < count; ++i) swap(own);
  };
  pair.watched(1, [&] { swaps(row.warm_up); });
  for (std::uint64_t pass = 1; pass <= settings.repeats; ++pass) {
    const std::uint64_t id = pattern_id(Origin::kInitiator, pass, 0);
    if (settings.validate) own.local->region().fill(id);
    pair.watched(1, [&] { latency.passes.push_back(seconds_of([&] { swaps(row.iterations); }) / static_cast<double>(row.iterations)); });
    if (settings.validate) pair.check_target("exposed", id);
    if (settings.validate && row.iterations > 1) own.landing->region().check(id);
  }
  if (settings.percentiles) {
    StepTimer timer(row.iterations);
    pair.watched(1, [&] {
      timer.begin();
      for (std::uint64_t i = 0; i < row.iterations; ++i) {
        swap(own);
        timer.step();
      }
    });
    latency.distribution = percentiles_of(timer.samples(1.0));
  }
  row.metrics.push_back(std::move(latency));
  return row;
}

}  // namespace lintel::perf
