// Swap latency: from PtlGetPut or PtlSwap to its reply. Each swap brings back what the one before it left, so the check covers both directions.

#include "measurement.h"
#include "single_operations.h"
#include "traffic.h"

namespace lintel::perf {
namespace {

// Each returns when its old contents are here and the new ones may be overwritten.
void swaps(Side& side, std::uint64_t count) {
  for (std::uint64_t i = 0; i < count; ++i) {
    require_started(side.operations->swap(**side.landing, **side.local, {}), "swap");
    side.operations->settle();
  }
}

void verify_swaps(Pair& pair, std::uint64_t count) {
  Side& own = pair.own();
  std::uint64_t there = pattern_id(Origin::kTarget, 0, 0);
  pair.fill_target("exposed", there);
  pair.watched(1, [&] {
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::uint64_t mine = pattern_id(Origin::kInitiator, 0, i);
      own.local->region().fill(mine);
      swaps(own, 1);
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

  SideParameters mine = settings.side(size);
  mine.local = true;
  mine.landing = true;
  SideParameters target = settings.side(size);
  target.exposed = true;
  Pair pair(session, mine, target);
  Side& own = pair.own();
  if (settings.validate) {
    verify_swaps(pair, row.iterations);
    row.verified_messages = row.iterations;
  }
  const auto message = [](std::uint64_t pass) { return pattern_id(Origin::kInitiator, pass, 0); };
  time_singles(
      pair, settings, row, latency, [&](std::uint64_t count) { swaps(own, count); },
      [&](std::uint64_t pass) { own.local->region().fill(message(pass)); },
      [&](std::uint64_t pass) {
        pair.check_target("exposed", message(pass));
        if (row.iterations > 1) own.landing->region().check(message(pass));
      });
  row.metrics.push_back(std::move(latency));
  return row;
}

}  // namespace lintel::perf
