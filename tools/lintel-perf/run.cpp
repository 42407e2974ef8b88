#include "run.h"

#include <algorithm>

#include "contents.h"
#include "traffic.h"

namespace lintel::perf {

Side Run::side(SideParameters parameters) const {
  parameters.api = settings.api;
  parameters.notify = settings.notify;
  parameters.size = size;
  parameters.pieces = settings.pieces;
  return Side(network.timed(settings.api), name_of(peer.id()), parameters);
}

Row Run::row(std::uint64_t iterations) const {
  return {
      .size_bytes = size, .iterations = iterations, .warm_up = settings.warm_up_for(iterations)};
}

void Run::meet(Seconds allowance) const {
  peer.tell();
  peer.await(allowance);
}

std::uint64_t Run::mine(std::uint64_t pass, std::uint64_t i) const {
  return pattern_id(initiator ? Origin::kInitiator : Origin::kTarget, pass, i);
}

std::uint64_t Run::theirs(std::uint64_t pass, std::uint64_t i) const {
  return pattern_id(initiator ? Origin::kTarget : Origin::kInitiator, pass, i);
}

Work stream_of(const Run& run, Side& side, Action action, std::uint64_t window) {
  auto& source = action == Action::kGet ? side.exposed : side.local;
  auto& sink = action == Action::kGet ? side.local : side.exposed;
  return {side, window,
          [&side, action, window](std::uint64_t count) {
            if (side.local) run_stream(side, action, count, window);
          },
          [&](std::uint64_t pass) {
            if (source) source->fill(pattern(run.mine(pass)));
            if (sink) sink->fill(poison(run.theirs(pass)));
          },
          [&](std::uint64_t pass) {
            if (sink) sink->check(run.theirs(pass));
          }};
}

void verify_in_slots(const Run& run, Side& side, Action action, std::uint64_t messages,
                     std::uint64_t window) {
  auto& sources = action == Action::kGet ? side.exposed_slots : side.local_slots;
  auto& sinks = action == Action::kGet ? side.local_slots : side.exposed_slots;
  const std::uint64_t slots = side.parameters.slots;
  for (std::uint64_t first = 0; first < messages; first += slots) {
    const std::uint64_t count = std::min(slots, messages - first);
    const Seconds allowance = time_for(count * run.size);
    for (std::uint64_t i = 0; i < count; ++i) {
      if (!sources.empty()) sources[i].fill(pattern(run.mine(0, first + i)));
      if (!sinks.empty()) sinks[i].fill(poison(run.theirs(0, first + i)));
    }
    run.meet(allowance);
    if (!side.local_slots.empty()) {
      const Peer::Watch watch(run.peer, *side.operations, allowance);
      run_slots(side, action, count, window);
    }
    run.meet(allowance);
    for (std::uint64_t i = 0; i < count; ++i) {
      if (!sinks.empty()) sinks[i].check(run.theirs(0, first + i));
    }
  }
}

namespace {

// Does something of `work` under watch, between two meetings.
template <class Part>
void together(const Run& run, const Row& row, const Work& work, Part part) {
  run.meet(time_for(run.size));
  {
    const Peer::Watch watch(run.peer, *work.side.operations, time_for(work.window * run.size));
    part();
  }
  run.meet(time_for(row.iterations * run.size));
}

}  // namespace

std::vector<double> time_passes(const Run& run, const Row& row, const Work& work) {
  std::vector<double> seconds;
  together(run, row, work, [&] { work.traffic(row.warm_up); });
  for (std::uint64_t pass = 1; pass <= run.settings.repeats; ++pass) {
    if (run.settings.validate) work.prepare(pass);
    together(run, row, work,
             [&] { seconds.push_back(seconds_of([&] { work.traffic(row.iterations); })); });
    if (run.settings.validate) work.check(pass);
  }
  return seconds;
}

Metric time_singles(const Run& run, const Row& row, const Work& work, const char* key,
                    const char* title, double share) {
  Metric latency{key, title, Quantity::kTime, {}};
  for (const double seconds : time_passes(run, row, work)) {
    latency.passes.push_back(share * seconds / static_cast<double>(row.iterations));
  }
  if (!run.settings.percentiles) return latency;
  std::vector<double> samples;
  samples.reserve(row.iterations);
  together(run, row, work, [&] {
    if (!run.initiator) return work.traffic(row.iterations);
    auto last = Clock::now();
    for (std::uint64_t i = 0; i < row.iterations; ++i) {
      work.traffic(1);
      const auto now = Clock::now();
      samples.push_back(share * seconds_between(last, now));
      last = now;
    }
  });
  if (run.initiator) latency.distribution = percentiles_of(std::move(samples));
  return latency;
}

Metric rate_of(const char* key, const char* title, Quantity quantity, double amount,
               const std::vector<double>& seconds) {
  Metric rate{key, title, quantity, {}};
  for (const double pass : seconds) rate.passes.push_back(amount / pass);
  return rate;
}

}  // namespace lintel::perf
