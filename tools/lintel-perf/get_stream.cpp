#include "get_stream.h"

#include <algorithm>

#include "traffic.h"

namespace lintel::perf {
namespace {

constexpr std::uint64_t kSlots = 64;  // messages that the target prepares at a time, also when they are fetched one by one

SideParameters parameters(const Settings& settings, std::uint64_t size, std::uint64_t window) {
  SideParameters parameters = settings.side(size);
  parameters.slots = settings.validate ? verified_slots(size, std::max(window, kSlots)) : 0;
  parameters.events = window_events(window);
  return parameters;
}

SideParameters own_parameters(const Settings& settings, std::uint64_t size, std::uint64_t window) {
  SideParameters own = parameters(settings, size, window);
  own.local = true;
  return own;
}

SideParameters target_parameters(const Settings& settings, std::uint64_t size, std::uint64_t window) {
  SideParameters target = parameters(settings, size, window);
  target.exposed = true;
  return target;
}

}  // namespace

GetPair::GetPair(Session& session, const Settings& settings, std::uint64_t size, std::uint64_t window)
    : window_(window), pair_(session, own_parameters(settings, size, window), target_parameters(settings, size, window)) {}

void GetPair::verify_each(std::uint64_t messages) {
  Side& own = pair_.own();
  for (std::uint64_t first = 0; first < messages; first += own.local_slots.size()) {
    const std::uint64_t count = std::min<std::uint64_t>(own.local_slots.size(), messages - first);
    pair_.fill_target_slots(Origin::kTarget, first, count);
    for (std::uint64_t i = 0; i < count; ++i) own.local_slots[i]->region().poison(pattern_id(Origin::kTarget, 0, first + i));
    pair_.watched(window_, [&] { get_slots(own, count, window_); });
    for (std::uint64_t i = 0; i < count; ++i) own.local_slots[i]->region().check(pattern_id(Origin::kTarget, 0, first + i));
  }
}

void GetPair::prepare_pass(std::uint64_t pass) {
  const auto id = pattern_id(Origin::kTarget, pass, 0);
  pair_.fill_target("exposed", id);
  pair_.own().local->region().poison(id);
}

void GetPair::check_pass(std::uint64_t pass) { pair_.own().local->region().check(pattern_id(Origin::kTarget, pass, 0)); }

}  // namespace lintel::perf
