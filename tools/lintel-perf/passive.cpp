// Latency to a target whose only thread computes or sleeps, calling nothing. What is put is fetched
// back and compared, also during the absence.

#include <chrono>
#include <thread>

#include "peer.h"

namespace lintel::perf {
namespace {

// The target's last call, the one that delivers its notice, needs a moment to return; and the end
// must not be touched.
constexpr std::chrono::milliseconds kTimeToReturn{5};
constexpr Seconds kMargin{0.010};
constexpr std::uint64_t kMostSamples = 100'000;

// Without any system call but reading the clock.
void compute_for(Seconds time) {
  volatile double result = 1.0;
  for (const auto end = Clock::now() + time; Clock::now() < end;) {
    for (int i = 0; i < 10'000; ++i) result = 1 / (1 + result);
  }
}

}  // namespace

TableRow measure_passive_target(const PairRun& run, const MeasurementPart& part) {
  const Settings& settings = run.settings;
  const Seconds absence = settings.passive_time;
  PairSide side =
      run.side({.exposed = !run.initiator, .local = run.initiator, .fetched = run.initiator});
  run.synchronize();
  if (!run.initiator) {
    run.peer.tell();
    if (settings.passive_mode == PassiveMode::kCompute) {
      compute_for(absence);
    } else {
      std::this_thread::sleep_for(absence);
    }
    run.synchronize();
    return {};
  }

  TableRow row{.size_bytes = run.size, .metrics = part.metrics};
  std::vector<double> puts;
  std::vector<double> gets;
  run.peer.await();
  const auto back = Clock::now() + absence - kMargin;
  std::this_thread::sleep_for(kTimeToReturn);
  const auto absent = [&] { return Clock::now() < back; };
  {
    const PairPeer::Watch watch(run.peer, *side.operations, time_for(run.size));
    const std::uint64_t most = settings.iterations.value_or(kMostSamples);
    for (std::uint64_t i = 0; i < most && absent(); ++i) {
      const std::uint64_t id = run.mine(1, i);
      if (settings.validate) {
        side.local[0].fill(pattern(id));
        side.fetched[0].fill(poison(id));
      }
      const double put = seconds_of([&] { run_window(side, MeasuredAction::kAckedPut, 1, 1); });
      side.operations->settle();
      const double get = seconds_of([&] { run_window(side, MeasuredAction::kGet, 1, 1); });
      if (!absent()) break;  // the target may have been back before these ended
      if (settings.validate) {
        side.fetched[0].check(id);
        row.verified_messages += 2;
      }
      puts.push_back(put);
      gets.push_back(get);
    }
  }
  run.synchronize(absence);
  if (puts.empty()) {
    fail(
        "the passive target answered nothing while it was absent; expected acks and replies "
        "without its help");
  }
  row.iterations = puts.size();
  row.metrics[0].passes = {median(puts)};
  row.metrics[0].distribution = percentiles_of(puts);
  row.metrics[1].passes = {median(gets)};
  row.metrics[1].distribution = percentiles_of(gets);
  return row;
}

}  // namespace lintel::perf
