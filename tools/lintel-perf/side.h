#pragma once
// What one process sets up for one measurement at one size: message memory that the peer may
// address, and memory for its own operations.

#include <algorithm>
#include <optional>
#include <vector>

#include "operations.h"
#include "region.h"

namespace lintel::perf {

struct SideParameters {
  Api api = Api::kPortals3;
  Notify notify = Notify::kEvents;
  std::uint64_t size = 8;       // bytes of a message
  std::uint64_t pieces = 1;     // an attachment is made of that many
  std::uint64_t slots = 0;      // messages of a verified window, each with memory of its own
  std::uint64_t events = 256;   // the queue's capacity
  bool exposed = false;         // the peer addresses this side
  bool exposed_events = false;  // and this side is told of each put
  bool local = false;           // this side starts operations
  bool fetched = false;         // and fetches: where the old contents go
};

// How many messages a verified window may have: at most `window`, in at most 64 MiB.
constexpr std::uint64_t verified_slots(std::uint64_t size, std::uint64_t window) {
  return std::clamp<std::uint64_t>((std::uint64_t{64} << 20) / size, 1,
                                   std::min<std::uint64_t>(window, 256));
}

// Thread: one, beside MeasuredOperations::stop().
struct PairSide : NotCopied {
  // `peer` alone may address it.
  PairSide(TimedInterface& interface, ProcessName peer, const SideParameters& p)
      : parameters(p),
        operations(interface.operations({.peer = peer,
                                         .length = p.size,
                                         .notify = p.notify,
                                         .events = p.events,
                                         .only_arrivals = p.exposed_events && !p.local})) {
    const auto expose = [&](Region& region, std::uint64_t bits, bool counted) {
      region.attach(operations->expose(bits, region.pieces(), counted));
    };
    const auto bind = [&](Region& region) { region.attach(operations->bind(region.pieces())); };
    if (p.exposed) expose(exposed.emplace(p.size, p.pieces), 0, p.exposed_events);
    if (p.local) bind(local.emplace(p.size, p.pieces));
    if (p.fetched) bind(fetched.emplace(p.size, p.pieces));
    for (std::uint64_t slot = 0; slot < p.slots; ++slot) {
      if (p.exposed) expose(exposed_slots.emplace_back(p.size, p.pieces), slot + 1, false);
      if (p.local) bind(local_slots.emplace_back(p.size, p.pieces));
    }
  }
  // Waits up to two seconds for operations that nobody waits for any more: they may still move
  // bytes.
  ~PairSide() {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(2);
    for (auto* region : {&exposed, &local, &fetched}) {
      if (*region) (*region)->detach(end);
    }
    for (auto* slots : {&exposed_slots, &local_slots}) {
      for (Region& slot : *slots) slot.detach(end);
    }
  }

  SideParameters parameters;
  std::unique_ptr<MeasuredOperations> operations;
  std::optional<Region> exposed;  // empty unless asked for, as are the others
  std::optional<Region> local;
  std::optional<Region> fetched;
  std::vector<Region> exposed_slots;
  std::vector<Region> local_slots;
};

}  // namespace lintel::perf
