#include "side.h"

#include <fmt/format.h>

#include <algorithm>

#include "failure.h"
#include "numbers.h"

namespace lintel::perf {
namespace {

constexpr std::uint64_t kSlotMemoryBytes = std::uint64_t{64} << 20;
constexpr std::uint64_t kMaxEvents = std::uint64_t{1} << 20;
constexpr std::uint64_t kMaxPieces = 4096;

void check_range(const char* what, std::uint64_t value, std::uint64_t min, std::uint64_t max) {
  if (value < min || value > max)
    throw Failure(ExitCode::kUnusable, fmt::format("the peer asks for {} {}; expected {} to {}", value, what, min, max));
}

Api api_of(int number) {
  for (const Api api : {Api::kPortals3, Api::kPortals4}) {
    if (number == static_cast<int>(api)) return api;
  }
  throw Failure(ExitCode::kUnusable, fmt::format("the peer asks for API {}; expected 3 or 4", number));
}

Notify notify_of(const std::string& name) {
  for (const Notify notify : {Notify::kEvents, Notify::kCounters}) {
    if (name == name_of(notify)) return notify;
  }
  throw Failure(ExitCode::kUnusable, fmt::format("the peer asks for completion by '{}'; expected events or counters", name));
}

}  // namespace

void to_json(nlohmann::json& json, const SideParameters& p) {
  json = {{"api", static_cast<int>(p.api)},
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

void from_json(const nlohmann::json& json, SideParameters& p) {
  p.api = api_of(json.at("api").get<int>());
  p.notify = notify_of(json.at("notify").get<std::string>());
  json.at("size").get_to(p.size);
  json.at("pieces").get_to(p.pieces);
  json.at("slots").get_to(p.slots);
  json.at("events").get_to(p.events);
  json.at("exposed").get_to(p.exposed);
  json.at("exposed_events").get_to(p.exposed_events);
  json.at("local").get_to(p.local);
  json.at("landing").get_to(p.landing);
  check_range("bytes", p.size, 1, kMaxSizeBytes);
  check_range("pieces", p.pieces, 1, kMaxPieces);
  check_range("slots", p.slots, 0, std::max<std::uint64_t>(1, kSlotMemoryBytes / p.size));
  check_range("events", p.events, 1, kMaxEvents);
}

std::uint64_t verified_slots(std::uint64_t size, std::uint64_t window) {
  return std::clamp<std::uint64_t>(kSlotMemoryBytes / size, 1, std::min<std::uint64_t>(window, 256));
}

Side::Side(TimedInterface& interface, ProcessName peer, const SideParameters& p)
    : parameters(p),
      operations(interface.operations(
          {.peer = peer, .length = p.size, .notify = p.notify, .events = p.events, .only_arrivals = p.exposed_events && !p.local})) {
  const auto expose = [&](Place place, bool counted) {
    return std::make_unique<ExposedRegion>(p, patience,
                                           [&](std::span<const Piece> memory) { return operations->expose(place, memory, counted); });
  };
  const auto bind = [&] {
    return std::make_unique<BoundRegion>(p, patience, [&](std::span<const Piece> memory) { return operations->bind(memory); });
  };
  if (p.exposed) exposed = expose({}, p.exposed_events);
  if (p.local) local = bind();
  if (p.landing) landing = bind();
  for (std::uint64_t slot = 0; slot < p.slots; ++slot) {
    if (p.exposed) exposed_slots.push_back(expose({kSlotPortal, slot}, false));
    if (p.local) local_slots.push_back(bind());
  }
}

}  // namespace lintel::perf
