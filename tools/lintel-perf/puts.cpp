// What is measured of puts: latency, bandwidth one way and both ways at once, and message rate.

#include <algorithm>
#include <optional>

#include "contents.h"
#include "measurement.h"
#include "run.h"
#include "traffic.h"

namespace lintel::perf {
namespace {

// Each message of the ping-pong is checked on arrival; the first failure is told after all
// messages, so that the other process is not left waiting.
void verify_ping_pong(const Run& run, Side& side, std::uint64_t messages) {
  std::optional<Failure> failure;
  const auto check = [&](std::uint64_t i) {
    side.operations->settle();  // the memory that is filled next
    try {
      side.exposed->check(run.theirs(0, i));
    } catch (const Failure& wrong) {
      if (!failure) failure = wrong;
    }
  };
  run.meet();
  {
    const Peer::Watch watch(run.peer, *side.operations, time_for(run.size));
    ping_pong(
        side, run.initiator, messages,
        [&](std::uint64_t i) { side.local->fill(pattern(run.mine(0, i))); }, check);
  }
  if (failure) throw Failure(*failure);
  run.meet();
}

struct PutStream {
  Row row;
  std::vector<double> seconds;  // of each pass
};

// Timed from the first put until the target has all messages: each acknowledged (remote
// completion), or each sent here and counted there (local completion). Both ways: from before the
// target is told to begin until both have every ack.
PutStream put_stream(const Run& run, bool both_ways) {
  const Settings& settings = run.settings;
  const bool local = settings.completion == Completion::kLocal;
  Row row = run.row(settings.window_iterations(run.size));
  SideParameters parameters{
      .slots = settings.validate ? verified_slots(run.size, settings.window) : 0,
      .events = window_events(settings.window),
      .exposed = both_ways || !run.initiator,
      .exposed_events = local && !run.initiator,
      .local = both_ways || run.initiator};
  if (!parameters.local) {
    parameters.events = local ? std::clamp<std::uint64_t>(row.iterations, 64, 65536) : 64;
  }
  Side side = run.side(parameters);
  if (settings.validate) {
    verify_in_slots(run, side, Action::kAckedPut, row.iterations, settings.window);
    row.verified_messages = (both_ways ? 2 : 1) * row.iterations;
  }
  const Work puts = stream_of(run, side, local ? Action::kPut : Action::kAckedPut, settings.window);
  Work work = puts;
  work.traffic = [&](std::uint64_t count) {
    if (both_ways) run.meet();
    puts.traffic(count);
    if (both_ways) run.meet(time_for(count * run.size));
    if (!local) return;
    if (run.initiator) {
      run.peer.await();
    } else {
      Operations& operations = *side.operations;
      operations.wait(Moment::kArrived, operations.count(Moment::kArrived) + count);
      run.peer.tell();
    }
  };
  auto seconds = time_passes(run, row, work);
  return {std::move(row), std::move(seconds)};
}

}  // namespace

// Half of the round trip of a put that is answered by a put of the same size.
Row measure_put_latency(const Run& run) {
  Row row = run.row(run.settings.latency_iterations(run.size));
  Side side = run.side({.exposed = true, .exposed_events = true, .local = true});
  if (run.settings.validate) {
    verify_ping_pong(run, side, row.iterations);
    row.verified_messages = 2 * row.iterations;
  }
  Work work = stream_of(run, side, Action::kPut, 1);
  work.traffic = [&](std::uint64_t count) {
    const auto nothing = [](std::uint64_t) {};
    ping_pong(side, run.initiator, count, nothing, nothing);
  };
  row.metrics = {time_singles(run, row, work, "put_latency", "Put latency", 0.5)};
  return row;
}

Row measure_put_bandwidth(const Run& run) {
  auto [row, seconds] = put_stream(run, false);
  const double bytes = static_cast<double>(run.size) * static_cast<double>(row.iterations);
  row.metrics = {rate_of("put_bandwidth", "Put bandwidth", Quantity::kBandwidth, bytes, seconds)};
  return row;
}

Row measure_message_rate(const Run& run) {
  auto [row, seconds] = put_stream(run, false);
  const auto messages = static_cast<double>(row.iterations);
  row.metrics = {rate_of("message_rate", "Message rate", Quantity::kMessageRate, messages, seconds),
                 rate_of("put_bandwidth", "Put bandwidth", Quantity::kBandwidth,
                         messages * static_cast<double>(run.size), seconds)};
  return row;
}

Row measure_put_both_ways(const Run& run) {
  auto [row, seconds] = put_stream(run, true);
  row.metrics = {rate_of("put_bandwidth_both_ways", "Bandwidth", Quantity::kBandwidth,
                         2 * static_cast<double>(run.size) * static_cast<double>(row.iterations),
                         seconds)};
  return row;
}

}  // namespace lintel::perf
