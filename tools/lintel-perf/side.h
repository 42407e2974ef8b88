#pragma once
// What one process sets up for one measurement at one size: message memory that the peer may address, and memory for its own operations.
//
// Owns the queue, the memory and every entry and descriptor made for it; all are gone at the end. Thread: one, besides the queue's stop().

#include <portals3.h>

#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "event_queue.h"
#include "region.h"

namespace lintel::perf {

struct SideParameters {
  std::uint64_t size = 8;       // bytes of a message
  std::uint64_t pieces = 1;     // an MD is made of that many
  std::uint64_t slots = 0;      // messages of a verified window, each with memory of its own
  std::uint64_t events = 256;   // the queue's capacity
  bool exposed = false;         // the peer addresses this side
  bool exposed_events = false;  // and this side gets an event for each operation
  bool local = false;           // this side starts operations
  bool landing = false;         // and swaps: where the old contents go
};

void to_json(nlohmann::json& json, const SideParameters& parameters);
// Throws nlohmann's exception if a member is missing, Failure if one is out of range: the text came from the peer.
void from_json(const nlohmann::json& json, SideParameters& parameters);

// How many messages a verified window may have: at most `window`, in at most 64 MiB.
std::uint64_t verified_slots(std::uint64_t size, std::uint64_t window);

// A region that operations start from.
class BoundRegion {
 public:
  BoundRegion(ptl_handle_ni_t ni, const SideParameters& parameters, ptl_handle_eq_t eq);
  ~BoundRegion();
  BoundRegion(const BoundRegion&) = delete;
  BoundRegion& operator=(const BoundRegion&) = delete;

  Region& region() { return *region_; }
  ptl_handle_md_t md() const { return md_; }

 private:
  std::unique_ptr<Region> region_;
  ptl_handle_md_t md_ = PTL_INVALID_HANDLE;
};

// A region that `peer` may put to and get from, at `portal` under `bits`.
class ExposedRegion {
 public:
  ExposedRegion(ptl_handle_ni_t ni, const SideParameters& parameters, ptl_process_id_t peer, ptl_pt_index_t portal, ptl_match_bits_t bits,
                ptl_handle_eq_t eq);
  ~ExposedRegion();
  ExposedRegion(const ExposedRegion&) = delete;
  ExposedRegion& operator=(const ExposedRegion&) = delete;

  Region& region() { return *region_; }

 private:
  std::unique_ptr<Region> region_;
  ptl_handle_me_t me_ = PTL_INVALID_HANDLE;
};

struct Side {
  // `peer` alone may address it.
  Side(ptl_handle_ni_t ni, ptl_process_id_t peer, const SideParameters& parameters);

  SideParameters parameters;
  ptl_process_id_t peer;
  EventQueue queue;
  std::unique_ptr<ExposedRegion> exposed;  // kTimedPortal, null unless asked for; so are the others
  std::unique_ptr<BoundRegion> local;
  std::unique_ptr<BoundRegion> landing;
  std::vector<std::unique_ptr<ExposedRegion>> exposed_slots;  // kSlotPortal
  std::vector<std::unique_ptr<BoundRegion>> local_slots;
  std::optional<ptl_seq_t> last_counted;  // see count_puts()
};

}  // namespace lintel::perf
