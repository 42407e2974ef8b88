// Fetch-atomic latency: from PtlFetchAtomic to its REPLY, one at a time. Each adds 64-bit words and brings back what was there before it.

#include "measurement.h"
#include "single_operations.h"
#include "traffic.h"

namespace lintel::perf {
namespace {

void fetches(Side& side, std::uint64_t count) {
  const std::uint64_t before = side.operations->count(Moment::kReplied);
  for (std::uint64_t i = 0; i < count; ++i) {
    require_started(side.operations->fetch_add(**side.landing, **side.local, {}), "fetch-atomic operation");
    side.operations->wait(Moment::kReplied, before + i + 1);
  }
}

void verify_fetches(Pair& pair, std::uint64_t count) {
  Side& own = pair.own();
  pair.begin_target_sums();
  pair.watched(1, [&] {
    for (std::uint64_t i = 0; i < count; ++i) {
      fetches(own, 1);
      own.landing->region().check_sums(i);
    }
    own.operations->settle();
  });
  pair.check_target_sums(count);
}

}  // namespace

Row measure_fetch_latency(Session& session, const Settings& settings, std::uint64_t size) {
  Row row;
  row.size_bytes = size;
  row.iterations = settings.latency_iterations(size);
  row.warm_up = settings.warm_up_for(row.iterations);
  Metric latency{"fetch_latency", "Fetch-atomic latency", Quantity::kTime, {}};

  SideParameters mine = settings.side(size);
  mine.local = true;
  mine.landing = true;
  SideParameters target = settings.side(size);
  target.exposed = true;
  Pair pair(session, mine, target);
  Side& own = pair.own();
  own.local->region().fill_operands();
  if (settings.validate) {
    verify_fetches(pair, row.iterations);
    row.verified_messages = row.iterations;
  }
  time_singles(
      pair, settings, row, latency, [&](std::uint64_t count) { fetches(own, count); }, [&](std::uint64_t) { pair.begin_target_sums(); },
      [&](std::uint64_t) {
        pair.check_target_sums(row.iterations);
        own.landing->region().check_sums(row.iterations - 1);
      });
  own.operations->settle();
  row.metrics.push_back(std::move(latency));
  return row;
}

}  // namespace lintel::perf
