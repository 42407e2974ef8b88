#include "side.h"

#include <algorithm>

namespace lintel::perf {
namespace {

constexpr std::uint64_t kSlotMemoryBytes = std::uint64_t{64} << 20;

}  // namespace

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
