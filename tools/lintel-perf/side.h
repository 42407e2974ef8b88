#pragma once
// What one process sets up for one measurement at one size: message memory that the peer may
// address, and memory for its own operations.
//
// Owns the operations, the memory and everything that was made of it; all are gone at the end,
// which waits up to two seconds for operations that nobody waits for any more: they may still move
// bytes.
// Thread: one, besides Operations::stop().

#include <cstdint>
#include <memory>
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
  bool landing = false;         // and fetches: where the old contents go
};

// How many messages a verified window may have: at most `window`, in at most 64 MiB.
std::uint64_t verified_slots(std::uint64_t size, std::uint64_t window);

struct Side {
  // `peer` alone may address it.
  Side(TimedInterface& interface, ProcessName peer, const SideParameters& parameters);
  ~Side();
  Side(const Side&) = delete;
  Side& operator=(const Side&) = delete;

  SideParameters parameters;
  std::unique_ptr<Operations> operations;
  std::optional<Region> exposed;  // kTimedPortal; empty unless asked for, as are the others
  std::optional<Region> local;
  std::optional<Region> landing;
  std::vector<Region> exposed_slots;  // kSlotPortal
  std::vector<Region> local_slots;
};

}  // namespace lintel::perf
