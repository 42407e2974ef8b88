#include "mpi_layer/p2p/eager_placement.h"

namespace lintel::mpi {
namespace {

// From the top: 16 bits of the number, 15 of the context, the tag. Two processes never have
// 2^16 messages under way between them.
constexpr unsigned kContextBits = 15;
constexpr unsigned kTagBits = 32;
constexpr unsigned kSequenceBits = 16;
static_assert(kSequenceBits + kContextBits + kTagBits <= EngineAccess::kPlacementKeyBits);
constexpr std::uint32_t kPlacedContexts = std::uint32_t{1} << kContextBits;

EngineAccess::PlacementKey placement_key(std::uint64_t bits, std::uint64_t sequence) {
  return EngineAccess::PlacementKey(((sequence & 0xffff) << (kContextBits + kTagBits)) | bits);
}

// How far to look for the first posted receive among those under way with a process.
constexpr int kMostSteps = 8;

}  // namespace

bool EagerPlacement::may_be_placed(std::uint64_t length, std::uint32_t context) const {
  return length >= kLeast && length <= limit_ && context < kPlacedContexts;
}

bool EagerPlacement::try_put(const Peer& peer, const portals::RequestArguments& put) {
  const EngineAccess::PlacementKey key = placement_key(put.match_bits, peer.numbers.next());
  return engine_.put_placed(put, key) == portals::Status::kOk;
}

void EagerPlacement::judge_arrival(Peer& peer, const portals::Event& arrival) {
  PlacementRecord& record = peer.placement;
  const bool expected = record.expects != nullptr;
  if (!expected && !peer.numbers.answer_is_due()) return;  // it was not placed
  const bool landed =
      expected && engine_.forget_placed(peer.process) == EngineAccess::Forgotten::kNone;
  record.expects = nullptr;
  const std::uint32_t context = context_of(arrival.match_bits);
  if (!expected && !may_be_placed(decode_message(arrival.header_data).length, context)) return;
  bool well = landed;
  if (!record.policy.enabled()) {
    well = arrival.list == portals::PortalList::kPriority &&
           may_expect(*static_cast<ReceiveRequest*>(arrival.user_pointer));
  }
  if (!record.policy.note(well)) return;
  if (record.policy.enabled()) engine_.enable_placement();
  controls_.tell_credit(peer, {});
}

// Whether a message could be expected for it: one of a single source, context and tag.
bool EagerPlacement::may_expect(const ReceiveRequest& receive) const {
  return receive.asked_source_ >= 0 && receive.asked_tag_ != kAnyTag &&
         may_be_placed(std::min(receive.capacity_, limit_), receive.context_);
}

// The peer's answer, if it goes placed, is to land in the first receive that is posted for it.
void EagerPlacement::expect_next(Peer& peer) {
  PlacementRecord& record = peer.placement;
  if (record.expects != nullptr || !peer.numbers.answer_is_due() || peer.lost || peer.outside) {
    return;
  }
  int steps = 0;
  for (ReceiveRequest& receive : peer.receives.under_way) {
    if (++steps > kMostSteps) return;
    if (receive.stage_ != ReceiveRequest::Stage::kPosted) continue;
    if (!may_expect(receive)) return;
    const std::uint64_t bits = match_bits(receive.context_, receive.asked_tag_);
    const EngineAccess::PlacementKey key = placement_key(bits, peer.numbers.arrived() + 1);
    if (engine_.expect_placed(receive.entry_, peer.process, key)) record.expects = &receive;
    return;
  }
}

bool EagerPlacement::forget(Peer& peer) {
  if (peer.placement.expects == nullptr) return true;
  if (engine_.forget_placed(peer.process) == EngineAccess::Forgotten::kArriving) return false;
  peer.placement.expects = nullptr;
  return true;
}

}  // namespace lintel::mpi
