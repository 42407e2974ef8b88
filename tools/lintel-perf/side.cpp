#include "side.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "numbers.h"

namespace lintel::perf {
namespace {

constexpr std::uint64_t kSlotMemoryBytes = std::uint64_t{64} << 20;

void check_range(const char* what, std::uint64_t value, std::uint64_t min, std::uint64_t max) {
  if (value >= min && value <= max) return;
  refuse("the peer asks for {} {}; expected {} to {}", value, what, min, max);
}

Api api_of(int number) {
  if (number != 3 && number != 4) refuse("the peer asks for API {}; expected 3 or 4", number);
  return static_cast<Api>(number);
}

Notify notify_of(const std::string& name) {
  for (const Notify notify : {Notify::kEvents, Notify::kCounters}) {
    if (name == name_of(notify)) return notify;
  }
  refuse("the peer asks for completion by '{}'; expected events or counters", name);
}

}  // namespace

void to_json(nlohmann::json& text, const SideParameters& p) {
  text = {{"api", static_cast<int>(p.api)},
          {"notify", name_of(p.notify)},
          {"size", p.size},
          {"pieces", p.pieces},
          {"slots", p.slots},
          {"events", p.events},
          {"exposed", p.exposed},
          {"exposed_events", p.exposed_events},
          {"local", p.local},
          {"landing", p.landing}};
}

void from_json(const nlohmann::json& text, SideParameters& p) {
  p = {.api = api_of(text.at("api")),
       .notify = notify_of(text.at("notify")),
       .size = text.at("size"),
       .pieces = text.at("pieces"),
       .slots = text.at("slots"),
       .events = text.at("events"),
       .exposed = text.at("exposed"),
       .exposed_events = text.at("exposed_events"),
       .local = text.at("local"),
       .landing = text.at("landing")};
  check_range("bytes", p.size, 1, kMaxSizeBytes);
  check_range("pieces", p.pieces, 1, 4096);
  check_range("slots", p.slots, 0, std::max<std::uint64_t>(1, kSlotMemoryBytes / p.size));
  check_range("events", p.events, 1, std::uint64_t{1} << 20);
}

std::uint64_t verified_slots(std::uint64_t size, std::uint64_t window) {
  return std::clamp<std::uint64_t>(kSlotMemoryBytes / size, 1,
                                   std::min<std::uint64_t>(window, 256));
}

Side::Side(TimedInterface& interface, ProcessName peer, const SideParameters& p)
    : parameters(p),
      operations(interface.operations({.peer = peer,
                                       .length = p.size,
                                       .notify = p.notify,
                                       .events = p.events,
                                       .only_arrivals = p.exposed_events && !p.local})) {
  const auto expose = [&](Region& region, Place place, bool counted) {
    region.attach(operations->expose(place, region.pieces(), counted));
  };
  const auto bind = [&](Region& region) { region.attach(operations->bind(region.pieces())); };
  if (p.exposed) expose(exposed.emplace(p.size, p.pieces), {}, p.exposed_events);
  if (p.local) bind(local.emplace(p.size, p.pieces));
  if (p.landing) bind(landing.emplace(p.size, p.pieces));
  for (std::uint64_t slot = 0; slot < p.slots; ++slot) {
    if (p.exposed) {
      expose(exposed_slots.emplace_back(p.size, p.pieces), {kSlotPortal, slot}, false);
    }
    if (p.local) bind(local_slots.emplace_back(p.size, p.pieces));
  }
}

Side::~Side() {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(2);
  for (auto* region : {&exposed, &local, &landing}) {
    if (*region) (*region)->detach(end);
  }
  for (auto* slots : {&exposed_slots, &local_slots}) {
    for (Region& slot : *slots) slot.detach(end);
  }
}

}  // namespace lintel::perf
