// What is measured of gets: latency one at a time, and the bandwidth of a window. A get is done
// when its bytes are here.

#include <algorithm>

#include "contents.h"
#include "measurement.h"
#include "passes.h"
#include "traffic.h"

namespace lintel::perf {
namespace {

// Messages that the target prepares at a time, also when they are fetched one by one.
constexpr std::uint64_t kSlots = 64;

// Both sides for gets of `size` bytes; `window`: how many may be under way.
class Gets {
 public:
  Gets(Conversation& conversation, const Settings& settings, std::uint64_t size,
       std::uint64_t window)
      : settings_(settings),
        window_(window),
        pair_(conversation, parameters(size, true), parameters(size, false)) {}

  // Fetches as many different messages as one pass does, and compares every byte.
  void verify(Row& row) {
    if (!settings_.validate) return;
    auto& slots = pair_.own().local_slots;
    verify_in_slots(slots.size(), row.iterations, [&](std::uint64_t first, std::uint64_t count) {
      pair_.slots_at_target("fill_slots", Origin::kTarget, first, count);
      for (std::uint64_t i = 0; i < count; ++i) slots[i].fill(poison(id(0, first + i)));
      pair_.watched(window_, [&] { run_slots(pair_.own(), Action::kGet, count, window_); });
      for (std::uint64_t i = 0; i < count; ++i) slots[i].check(id(0, first + i));
    });
    row.verified_messages = row.iterations;
  }

  // The arguments of time_passes() and time_singles().
  auto around() {
    return [this](std::uint64_t, auto traffic) { pair_.watched(window_, traffic); };
  }
  auto run() {
    return [this](std::uint64_t count) { run_stream(pair_.own(), Action::kGet, count, window_); };
  }
  // Gives the pass a message of its own at the target, and spoils what lies here.
  auto prepare() {
    return [this](std::uint64_t pass) {
      pair_.at_target("fill", "exposed", id(pass, 0));
      pair_.own().local->fill(poison(id(pass, 0)));
    };
  }
  auto check() {
    return [this](std::uint64_t pass) { pair_.own().local->check(id(pass, 0)); };
  }

 private:
  static std::uint64_t id(std::uint64_t pass, std::uint64_t i) {
    return pattern_id(Origin::kTarget, pass, i);
  }
  SideParameters parameters(std::uint64_t size, bool own) const {
    SideParameters side = settings_.side(size);
    side.slots = settings_.validate ? verified_slots(size, std::max(window_, kSlots)) : 0;
    side.events = window_events(window_);
    (own ? side.local : side.exposed) = true;
    return side;
  }

  const Settings& settings_;
  std::uint64_t window_;
  Pair pair_;
};

}  // namespace

Row measure_get_latency(Conversation& conversation, const Settings& settings, std::uint64_t size) {
  Row row = row_of(settings, size, settings.latency_iterations(size));
  Metric latency{"get_latency", "Get latency", Quantity::kTime, {}};
  Gets gets(conversation, settings, size, 1);
  gets.verify(row);
  time_singles(settings, row, latency, 1, gets.around(), gets.run(), gets.prepare(), gets.check());
  row.metrics.push_back(std::move(latency));
  return row;
}

Row measure_get_bandwidth(Conversation& conversation, const Settings& settings,
                          std::uint64_t size) {
  Row row = row_of(settings, size, settings.window_iterations(size));
  Gets gets(conversation, settings, size, settings.window);
  gets.verify(row);
  const auto seconds =
      time_passes(settings, row, gets.around(), gets.run(), gets.prepare(), gets.check());
  row.metrics = {rate_of("get_bandwidth", "Get bandwidth", Quantity::kBandwidth,
                         static_cast<double>(size) * static_cast<double>(row.iterations), seconds)};
  return row;
}

}  // namespace lintel::perf
