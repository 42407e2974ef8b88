// Latency to a target whose only thread computes or sleeps, calling nothing. What is put is fetched back and compared, also during the absence.

#include <chrono>
#include <thread>

#include "failure.h"
#include "measurement.h"
#include "pass_timer.h"
#include "traffic.h"

namespace lintel::perf {
namespace {

// The target's last call, the one that delivers its notice, needs a moment to return; and the end must not be touched.
constexpr std::chrono::milliseconds kSettle{5};
constexpr double kMarginSeconds = 0.010;

double put_to_ack(Side& own) {
  const std::uint64_t before = own.operations->count(Moment::kAcked);
  const auto begin = SteadyClock::now();
  start_put(own, Ack::kYes);
  own.operations->wait(Moment::kAcked, before + 1);
  const auto acked = SteadyClock::now();
  own.operations->settle();
  return seconds_between(begin, acked);
}

double get_to_reply(Side& own) {
  const std::uint64_t before = own.operations->count(Moment::kReplied);
  const auto begin = SteadyClock::now();
  require_started(own.operations->get(**own.landing, {}), "get");
  own.operations->wait(Moment::kReplied, before + 1);
  return seconds_between(begin, SteadyClock::now());
}

}  // namespace

Row measure_passive_target(Session& session, const Settings& settings, std::uint64_t size) {
  static constexpr std::uint64_t kMostSamples = 100'000;
  SideParameters mine = settings.side(size);
  mine.local = true;
  mine.landing = true;
  SideParameters target = settings.side(size);
  target.exposed = true;
  Pair pair(session, mine, target);
  Side& own = pair.own();
  const std::uint64_t most = settings.iterations.value_or(kMostSamples);
  const char* mode = settings.passive_mode == PassiveMode::kCompute ? "compute" : "sleep";

  Row row;
  row.size_bytes = size;
  std::vector<double> puts;
  std::vector<double> gets;
  session.start("be_absent", {{"seconds", settings.passive_seconds}, {"mode", mode}});
  session.await_notice();
  const auto absent_since = SteadyClock::now();
  std::this_thread::sleep_for(kSettle);
  const auto absent = [&] { return seconds_between(absent_since, SteadyClock::now()) < settings.passive_seconds - kMarginSeconds; };
  pair.watched(1, [&] {
    for (std::uint64_t i = 0; i < most && absent(); ++i) {
      const std::uint64_t id = pattern_id(Origin::kInitiator, 1, i);
      if (settings.validate) {
        own.local->region().fill(id);
        own.landing->region().poison(id);
      }
      const double put = put_to_ack(own);
      const double get = get_to_reply(own);
      if (!absent()) break;  // the target may have been back before these ended
      if (settings.validate) {
        own.landing->region().check(id);
        row.verified_messages += 2;
      }
      puts.push_back(put);
      gets.push_back(get);
    }
  });
  session.finish(std::chrono::duration<double>(settings.passive_seconds));
  if (puts.empty()) {
    throw Failure(ExitCode::kFailed, "the passive target answered nothing while it was absent; expected acks and replies without its help");
  }
  row.iterations = puts.size();
  row.metrics.push_back({"put_to_ack", "Put to ack", Quantity::kTime, {median(puts)}, percentiles_of(puts)});
  row.metrics.push_back({"get_latency", "Get", Quantity::kTime, {median(gets)}, percentiles_of(gets)});
  return row;
}

}  // namespace lintel::perf
