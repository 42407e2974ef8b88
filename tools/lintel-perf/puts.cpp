// What is measured of puts: latency, bandwidth one way and both ways at once, and message rate.

#include <algorithm>

#include "contents.h"
#include "measurement.h"
#include "passes.h"
#include "traffic.h"

namespace lintel::perf {
namespace {

std::uint64_t mine(std::uint64_t pass, std::uint64_t i = 0) {
  return pattern_id(Origin::kInitiator, pass, i);
}
std::uint64_t theirs(std::uint64_t pass, std::uint64_t i = 0) {
  return pattern_id(Origin::kTarget, pass, i);
}

// Each message of the ping-pong is checked on arrival; the first failure is told after all
// messages, so that the other half is not left waiting.
void verify_pings(Conversation& conversation, Pair& pair, std::uint64_t messages) {
  Side& own = pair.own();
  FirstFailure failure;
  conversation.start("ping_pong_verified", {{"messages", messages}});
  pair.watched(1, [&] {
    ping(
        own, messages, [&](std::uint64_t i) { own.local->fill(pattern(mine(0, i))); },
        [&](std::uint64_t i) {
          own.operations->settle();
          failure.note([&] { own.exposed->check(theirs(0, i)); });
        });
  });
  conversation.finish();
  failure.throw_if_any();
}

// Gives a pass of puts both ways messages of its own, so that what lies there afterwards can only
// have come with it.
void prepare_both(Pair& pair, std::uint64_t pass) {
  pair.own().local->fill(pattern(mine(pass)));
  pair.own().exposed->fill(poison(theirs(pass)));
  pair.at_target("fill", "local", theirs(pass));
  pair.at_target("poison", "exposed", mine(pass));
}

void check_both(Pair& pair, std::uint64_t pass) {
  pair.own().exposed->check(theirs(pass));
  pair.at_target("check", "exposed", mine(pass));
}

// A stream of puts one way. Timed from the first put until the target has all messages: each
// acknowledged (remote completion), or each sent here and counted there (local completion).
struct PutStream {
  Row row;
  std::vector<double> seconds;  // of each repeat, for row.iterations messages
};

PutStream put_stream(Conversation& conversation, const Settings& settings, std::uint64_t size) {
  const bool local = settings.completion == Completion::kLocal;
  Row row = row_of(settings, size, settings.window_iterations(size));
  SideParameters own = settings.side(size);
  own.slots = settings.validate ? verified_slots(size, settings.window) : 0;
  own.events = window_events(settings.window);
  own.local = true;
  SideParameters target = settings.side(size);
  target.slots = own.slots;
  target.events = local ? std::clamp<std::uint64_t>(row.iterations, 64, 65536) : 64;
  target.exposed = true;
  target.exposed_events = local;
  Pair pair(conversation, own, target);
  Side& side = pair.own();
  if (settings.validate) {
    verify_in_slots(own.slots, row.iterations, [&](std::uint64_t first, std::uint64_t count) {
      for (std::uint64_t i = 0; i < count; ++i)
        side.local_slots[i].fill(pattern(mine(0, first + i)));
      pair.watched(count, [&] { run_slots(side, Action::kAckedPut, count, count); });
      pair.slots_at_target("check_slots", Origin::kInitiator, first, count);
    });
    row.verified_messages = row.iterations;
  }
  const Action action = local ? Action::kPut : Action::kAckedPut;
  auto seconds = time_passes(
      settings, row,
      [&](std::uint64_t count, auto traffic) {
        if (local) conversation.start("count_puts", {{"messages", count}});
        pair.watched(settings.window, traffic);
      },
      [&](std::uint64_t count) {
        run_stream(side, action, count, settings.window);
        if (local) conversation.finish();
      },
      [&](std::uint64_t pass) {
        side.local->fill(pattern(mine(pass)));
        pair.at_target("poison", "exposed", mine(pass));
      },
      [&](std::uint64_t pass) { pair.at_target("check", "exposed", mine(pass)); });
  return {std::move(row), std::move(seconds)};
}

}  // namespace

// Half of the round trip of a put that is answered by a put of the same size.
Row measure_put_latency(Conversation& conversation, const Settings& settings, std::uint64_t size) {
  Row row = row_of(settings, size, settings.latency_iterations(size));
  Metric latency{"put_latency", "Put latency", Quantity::kTime, {}};
  SideParameters side = settings.side(size);
  side.exposed = true;
  side.exposed_events = true;
  side.local = true;
  Pair pair(conversation, side, side);
  if (settings.validate) {
    verify_pings(conversation, pair, row.iterations);
    row.verified_messages = 2 * row.iterations;
  }
  const auto nothing = [](std::uint64_t) {};
  time_singles(
      settings, row, latency, 0.5,
      [&](std::uint64_t count, auto traffic) {
        conversation.start("ping_pong", {{"messages", count}});
        pair.watched(1, traffic);
        conversation.finish();
      },
      [&](std::uint64_t count) { ping(pair.own(), count, nothing, nothing); },
      [&](std::uint64_t pass) { prepare_both(pair, pass); },
      [&](std::uint64_t pass) { check_both(pair, pass); });
  row.metrics.push_back(std::move(latency));
  return row;
}

Row measure_put_bandwidth(Conversation& conversation, const Settings& settings,
                          std::uint64_t size) {
  auto [row, seconds] = put_stream(conversation, settings, size);
  const double bytes = static_cast<double>(size) * static_cast<double>(row.iterations);
  row.metrics = {rate_of("put_bandwidth", "Put bandwidth", Quantity::kBandwidth, bytes, seconds)};
  return row;
}

Row measure_message_rate(Conversation& conversation, const Settings& settings, std::uint64_t size) {
  auto [row, seconds] = put_stream(conversation, settings, size);
  const auto messages = static_cast<double>(row.iterations);
  row.metrics = {rate_of("message_rate", "Message rate", Quantity::kMessageRate, messages, seconds),
                 rate_of("put_bandwidth", "Put bandwidth", Quantity::kBandwidth,
                         messages * static_cast<double>(size), seconds)};
  return row;
}

// The time runs from before the server is told to begin until both have every ack.
Row measure_put_both_ways(Conversation& conversation, const Settings& settings,
                          std::uint64_t size) {
  Row row = row_of(settings, size, settings.window_iterations(size));
  SideParameters side = settings.side(size);
  side.slots = settings.validate ? verified_slots(size, settings.window) : 0;
  side.events = window_events(settings.window);
  side.exposed = true;
  side.local = true;
  Pair pair(conversation, side, side);
  Side& own = pair.own();
  if (settings.validate) {
    verify_in_slots(side.slots, row.iterations, [&](std::uint64_t first, std::uint64_t count) {
      for (std::uint64_t i = 0; i < count; ++i)
        own.local_slots[i].fill(pattern(mine(0, first + i)));
      pair.slots_at_target("fill_slots", Origin::kTarget, first, count);
      conversation.start("send_slots", {{"count", count}});
      pair.watched(count, [&] { run_slots(own, Action::kAckedPut, count, count); });
      conversation.finish(time_for(count * size));
      for (std::uint64_t i = 0; i < count; ++i) own.exposed_slots[i].check(theirs(0, first + i));
      pair.slots_at_target("check_slots", Origin::kInitiator, first, count);
    });
    row.verified_messages = 2 * row.iterations;
  }
  const auto seconds = time_passes(
      settings, row, [&](std::uint64_t, auto traffic) { pair.watched(settings.window, traffic); },
      [&](std::uint64_t count) {
        conversation.start("send_window", {{"messages", count}, {"window", settings.window}});
        run_stream(own, Action::kAckedPut, count, settings.window);
        conversation.finish(time_for(count * size));
      },
      [&](std::uint64_t pass) { prepare_both(pair, pass); },
      [&](std::uint64_t pass) { check_both(pair, pass); });
  row.metrics = {rate_of("put_bandwidth_both_ways", "Bandwidth", Quantity::kBandwidth,
                         2 * static_cast<double>(size) * static_cast<double>(row.iterations),
                         seconds)};
  return row;
}

}  // namespace lintel::perf
