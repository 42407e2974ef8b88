// Put latency: half of the round trip of a put that is answered by a put of the same size.

#include "failure.h"
#include "measurement.h"
#include "pass_timer.h"
#include "traffic.h"

namespace lintel::perf {
namespace {

constexpr double kOneWay = 0.5;

template <class Each>
void exchange(Pair& pair, std::uint64_t messages, Each each) {
  pair.session().start("ping_pong", {{"messages", messages}});
  pair.watched(1, [&] { each(); });
  pair.session().finish();
}

void verify_pings(Pair& pair, std::uint64_t messages) {
  pair.session().start("ping_pong_verified", {{"messages", messages}});
  std::string failure;
  pair.watched(1, [&] { failure = ping_verified(pair.own(), messages, 0); });
  pair.session().finish();
  if (!failure.empty()) throw Failure(ExitCode::kFailed, failure);
}

// Gives the pass messages of its own, so that what lies there afterwards can only have come with it.
void prepare_pass(Pair& pair, std::uint64_t pass) {
  const auto mine = pattern_id(Origin::kInitiator, pass, 0);
  const auto theirs = pattern_id(Origin::kTarget, pass, 0);
  pair.own().local->region().fill(mine);
  pair.own().exposed->region().poison(theirs);
  pair.fill_target("local", theirs);
  pair.poison_target("exposed", mine);
}

void check_pass(Pair& pair, std::uint64_t pass) {
  pair.own().exposed->region().check(pattern_id(Origin::kTarget, pass, 0));
  pair.check_target("exposed", pattern_id(Origin::kInitiator, pass, 0));
}

}  // namespace

Row measure_put_latency(Session& session, const Settings& settings, std::uint64_t size) {
  Row row;
  row.size_bytes = size;
  row.iterations = settings.latency_iterations(size);
  row.warm_up = settings.warm_up_for(row.iterations);
  Metric latency{"put_latency", "Put latency", Quantity::kTime, {}};

  SideParameters side = settings.side(size);
  side.exposed = true;
  side.exposed_events = true;
  side.local = true;
  Pair pair(session, side, side);
  if (settings.validate) {
    verify_pings(pair, row.iterations);
    row.verified_messages += 2 * row.iterations;
  }
  const auto none = [](std::uint64_t) {};
  exchange(pair, row.warm_up, [&] { ping(pair.own(), row.warm_up, none); });
  for (std::uint64_t pass = 1; pass <= settings.repeats; ++pass) {
    if (settings.validate) prepare_pass(pair, pass);
    exchange(pair, row.iterations, [&] {
      const double seconds = seconds_of([&] { ping(pair.own(), row.iterations, none); });
      latency.passes.push_back(kOneWay * seconds / static_cast<double>(row.iterations));
    });
    if (settings.validate) check_pass(pair, pass);
  }
  if (settings.percentiles) {
    StepTimer timer(row.iterations);
    exchange(pair, row.iterations, [&] {
      timer.begin();
      ping(pair.own(), row.iterations, [&](std::uint64_t) { timer.step(); });
    });
    latency.distribution = percentiles_of(timer.samples(kOneWay));
  }
  row.metrics.push_back(std::move(latency));
  return row;
}

}  // namespace lintel::perf
