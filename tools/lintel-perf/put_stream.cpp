#include "put_stream.h"

#include <algorithm>

#include "pass_timer.h"
#include "traffic.h"

namespace lintel::perf {
namespace {

void verify_stream(Pair& pair, std::uint64_t messages) {
  Side& own = pair.own();
  for (std::uint64_t first = 0; first < messages; first += own.local_slots.size()) {
    const std::uint64_t count = std::min<std::uint64_t>(own.local_slots.size(), messages - first);
    for (std::uint64_t i = 0; i < count; ++i) own.local_slots[i]->region().fill(pattern_id(Origin::kInitiator, 0, first + i));
    pair.watched(count, [&] { put_slots(own, count); });
    pair.check_target_slots(Origin::kInitiator, first, count);
  }
}

double stream(Pair& pair, const Settings& settings, std::uint64_t messages) {
  const bool local = settings.completion == Completion::kLocal;
  double seconds = 0;
  if (local) pair.session().start("count_puts", {{"messages", messages}});
  pair.watched(settings.window, [&] {
    seconds = seconds_of([&] {
      put_window(pair.own(), messages, settings.window, settings.completion);
      if (local) pair.session().finish();
    });
  });
  return seconds;
}

}  // namespace

PutStream run_put_stream(Session& session, const Settings& settings, std::uint64_t size) {
  PutStream result;
  Row& row = result.row;
  row.size_bytes = size;
  row.iterations = settings.window_iterations(size);
  row.warm_up = settings.warm_up_for(row.iterations);

  const bool local = settings.completion == Completion::kLocal;
  const std::uint64_t slots = settings.validate ? verified_slots(size, settings.window) : 0;
  SideParameters own = settings.side(size);
  own.slots = slots;
  own.events = window_events(settings.window);
  own.local = true;
  SideParameters target = settings.side(size);
  target.slots = slots;
  target.events = local ? std::clamp<std::uint64_t>(row.iterations, 64, 65536) : 64;
  target.exposed = true;
  target.exposed_events = local;
  Pair pair(session, own, target);
  if (settings.validate) {
    verify_stream(pair, row.iterations);
    row.verified_messages = row.iterations;
  }
  stream(pair, settings, row.warm_up);
  for (std::uint64_t pass = 1; pass <= settings.repeats; ++pass) {
    const auto id = pattern_id(Origin::kInitiator, pass, 0);
    if (settings.validate) {
      pair.own().local->region().fill(id);
      pair.poison_target("exposed", id);
    }
    result.seconds.push_back(stream(pair, settings, row.iterations));
    if (settings.validate) pair.check_target("exposed", id);
  }
  return result;
}

}  // namespace lintel::perf
