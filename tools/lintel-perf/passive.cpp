// Latency to a target whose only thread computes or sleeps, calling nothing. What is put is fetched
// back and compared, also during the absence.

#include <chrono>
#include <thread>

#include "contents.h"
#include "measurement.h"
#include "passes.h"
#include "traffic.h"

namespace lintel::perf {
namespace {

// The target's last call, the one that delivers its notice, needs a moment to return; and the end
// must not be touched.
constexpr std::chrono::milliseconds kSettle{5};
constexpr double kMarginSeconds = 0.010;
constexpr std::uint64_t kMostSamples = 100'000;

double put_to_ack(Side& own) {
  const double seconds = seconds_of([&] { run_alone(own, Action::kAckedPut); });
  own.operations->settle();
  return seconds;
}

double get_to_reply(Side& own) {
  Operations& operations = *own.operations;
  const std::uint64_t before = operations.count(Moment::kReplied);
  return seconds_of([&] {
    require_started(operations.start(Action::kGet, own.landing->attachment()), Action::kGet);
    operations.wait(Moment::kReplied, before + 1);
  });
}

}  // namespace

Row measure_passive_target(Conversation& conversation, const Settings& settings,
                           std::uint64_t size) {
  SideParameters mine = settings.side(size);
  mine.local = true;
  mine.landing = true;
  SideParameters target = settings.side(size);
  target.exposed = true;
  Pair pair(conversation, mine, target);
  Side& own = pair.own();
  const std::uint64_t most = settings.iterations.value_or(kMostSamples);
  const char* mode = settings.passive_mode == PassiveMode::kCompute ? "compute" : "sleep";

  Row row{.size_bytes = size};
  std::vector<double> puts;
  std::vector<double> gets;
  conversation.start("be_absent", {{"seconds", settings.passive_seconds}, {"mode", mode}});
  conversation.await_notice();
  const auto absent_since = Clock::now();
  std::this_thread::sleep_for(kSettle);
  const auto absent = [&] {
    return seconds_between(absent_since, Clock::now()) < settings.passive_seconds - kMarginSeconds;
  };
  pair.watched(1, [&] {
    for (std::uint64_t i = 0; i < most && absent(); ++i) {
      const std::uint64_t id = pattern_id(Origin::kInitiator, 1, i);
      if (settings.validate) {
        own.local->fill(pattern(id));
        own.landing->fill(poison(id));
      }
      const double put = put_to_ack(own);
      const double get = get_to_reply(own);
      if (!absent()) break;  // the target may have been back before these ended
      if (settings.validate) {
        own.landing->check(id);
        row.verified_messages += 2;
      }
      puts.push_back(put);
      gets.push_back(get);
    }
  });
  conversation.finish(std::chrono::duration<double>(settings.passive_seconds));
  if (puts.empty()) {
    fail(
        "the passive target answered nothing while it was absent; expected acks and replies "
        "without "
        "its help");
  }
  row.iterations = puts.size();
  const auto metric = [](const char* key, const char* title, std::vector<double>& samples) {
    return Metric{key, title, Quantity::kTime, {median(samples)}, percentiles_of(samples)};
  };
  row.metrics = {metric("put_to_ack", "Put to ack", puts), metric("get_latency", "Get", gets)};
  return row;
}

}  // namespace lintel::perf
