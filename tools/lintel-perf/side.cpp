#include "side.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "failure.h"
#include "interface.h"
#include "numbers.h"
#include "portals_call.h"

namespace lintel::perf {
namespace {

constexpr std::uint64_t kSlotMemoryBytes = std::uint64_t{64} << 20;
constexpr std::uint64_t kMaxEvents = std::uint64_t{1} << 20;
constexpr std::uint64_t kMaxPieces = 4096;

// An operation that nobody waits for any more may still move bytes: the memory cannot be freed before that ends. Returns false if it does not end soon.
template <class Unlink>
bool unlink_in_time(Unlink unlink, int busy) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(2);
  while (unlink() == busy) {
    if (std::chrono::steady_clock::now() > end) return false;
  }
  return true;
}

void check_range(const char* what, std::uint64_t value, std::uint64_t min, std::uint64_t max) {
  if (value < min || value > max)
    throw Failure(ExitCode::kUnusable, fmt::format("the peer asks for {} {}; expected {} to {}", value, what, min, max));
}

}  // namespace

void to_json(nlohmann::json& json, const SideParameters& p) {
  json = {{"size", p.size},     {"pieces", p.pieces},   {"slots", p.slots},
          {"events", p.events}, {"exposed", p.exposed}, {"exposed_events", p.exposed_events},
          {"local", p.local},   {"landing", p.landing}};
}

void from_json(const nlohmann::json& json, SideParameters& p) {
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

BoundRegion::BoundRegion(ptl_handle_ni_t ni, const SideParameters& parameters, ptl_handle_eq_t eq)
    : region_(std::make_unique<Region>(parameters.size, parameters.pieces)) {
  check_call(PtlMDBind(ni, region_->descriptor(eq, PTL_MD_EVENT_START_DISABLE), PTL_RETAIN, &md_), "PtlMDBind");
}

BoundRegion::~BoundRegion() {
  if (!unlink_in_time([this] { return PtlMDUnlink(md_); }, PTL_MD_IN_USE)) static_cast<void>(region_.release());
}

ExposedRegion::ExposedRegion(ptl_handle_ni_t ni, const SideParameters& parameters, ptl_process_id_t peer, ptl_pt_index_t portal,
                             ptl_match_bits_t bits, ptl_handle_eq_t eq)
    : region_(std::make_unique<Region>(parameters.size, parameters.pieces)) {
  check_call(PtlMEAttach(ni, portal, peer, bits, 0, PTL_UNLINK, PTL_INS_AFTER, &me_), "PtlMEAttach");
  const unsigned options = PTL_MD_OP_PUT | PTL_MD_OP_GET | PTL_MD_MANAGE_REMOTE | PTL_MD_EVENT_START_DISABLE;
  if (const int code = PtlMDAttach(me_, region_->descriptor(eq, options), PTL_RETAIN, nullptr); code != PTL_OK) {
    PtlMEUnlink(me_);
    check_call(code, "PtlMDAttach");
  }
}

ExposedRegion::~ExposedRegion() {
  if (!unlink_in_time([this] { return PtlMEUnlink(me_); }, PTL_ME_IN_USE)) static_cast<void>(region_.release());
}

Side::Side(ptl_handle_ni_t ni, ptl_process_id_t peer_id, const SideParameters& p) : parameters(p), peer(peer_id), queue(ni, p.events) {
  if (p.exposed) exposed = std::make_unique<ExposedRegion>(ni, p, peer, kTimedPortal, 0, p.exposed_events ? queue.handle() : PTL_EQ_NONE);
  if (p.local) local = std::make_unique<BoundRegion>(ni, p, queue.handle());
  if (p.landing) landing = std::make_unique<BoundRegion>(ni, p, queue.handle());
  for (std::uint64_t slot = 0; slot < p.slots; ++slot) {
    if (p.exposed) exposed_slots.push_back(std::make_unique<ExposedRegion>(ni, p, peer, kSlotPortal, slot, PTL_EQ_NONE));
    if (p.local) local_slots.push_back(std::make_unique<BoundRegion>(ni, p, queue.handle()));
  }
}

}  // namespace lintel::perf
