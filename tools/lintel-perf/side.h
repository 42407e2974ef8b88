#pragma once
// What one process sets up for one measurement at one size: message memory that the peer may address, and memory for its own operations.
//
// Owns the operations, the memory and everything that was made of it; all are gone at the end. Thread: one, besides Operations::stop().

#include <chrono>
#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "operations.h"
#include "region.h"

namespace lintel::perf {

struct SideParameters {
  Api api = Api::kPortals3;
  Notify notify = Notify::kEvents;
  std::uint64_t size = 8;       // bytes of a message
  std::uint64_t pieces = 1;     // a descriptor is made of that many
  std::uint64_t slots = 0;      // messages of a verified window, each with memory of its own
  std::uint64_t events = 256;   // the queue's capacity
  bool exposed = false;         // the peer addresses this side
  bool exposed_events = false;  // and this side is told of each put
  bool local = false;           // this side starts operations
  bool landing = false;         // and swaps: where the old contents go
};

void to_json(nlohmann::json& json, const SideParameters& parameters);
// Throws nlohmann's exception if a member is missing, Failure if one is out of range: the text came from the peer.
void from_json(const nlohmann::json& json, SideParameters& parameters);

// How many messages a verified window may have: at most `window`, in at most 64 MiB.
std::uint64_t verified_slots(std::uint64_t size, std::uint64_t window);

// How long the end of a Side waits, in all, for operations that nobody waits for any more: they may still move bytes.
class Patience {
 public:
  // Counts from the first call.
  bool lasts() {
    const auto now = std::chrono::steady_clock::now();
    if (!end_) end_ = now + std::chrono::seconds(2);
    return now < *end_;
  }

 private:
  std::optional<std::chrono::steady_clock::time_point> end_;
};

// A region that the API knows of, as a Descriptor or as an Entry.
template <class Attached>
class AttachedRegion {
 public:
  // `attach(pieces)` makes it known.
  template <class Attach>
  AttachedRegion(const SideParameters& parameters, Patience& patience, Attach attach)
      : patience_(patience), region_(std::make_unique<Region>(parameters.size, parameters.pieces)), attached_(attach(region_->pieces())) {}
  ~AttachedRegion() {
    bool detached = attached_->detach();
    while (!detached && patience_.lasts()) detached = attached_->detach();
    if (detached) return;
    static_cast<void>(attached_.release());  // the network may use both until the process ends
    static_cast<void>(region_.release());
  }
  AttachedRegion(const AttachedRegion&) = delete;
  AttachedRegion& operator=(const AttachedRegion&) = delete;

  Region& region() { return *region_; }
  const Attached& operator*() const { return *attached_; }

 private:
  Patience& patience_;
  std::unique_ptr<Region> region_;
  std::unique_ptr<Attached> attached_;
};

using BoundRegion = AttachedRegion<Descriptor>;
using ExposedRegion = AttachedRegion<Entry>;

struct Side {
  // `peer` alone may address it.
  Side(TimedInterface& interface, ProcessName peer, const SideParameters& parameters);

  SideParameters parameters;
  std::unique_ptr<Operations> operations;
  Patience patience;
  std::unique_ptr<ExposedRegion> exposed;  // kTimedPortal, null unless asked for; so are the others
  std::unique_ptr<BoundRegion> local;
  std::unique_ptr<BoundRegion> landing;
  std::vector<std::unique_ptr<ExposedRegion>> exposed_slots;  // kSlotPortal
  std::vector<std::unique_ptr<BoundRegion>> local_slots;
};

}  // namespace lintel::perf
