#include "mpi_layer/p2p/eager_placement.h"

namespace lintel::mpi {
namespace {

// From the highest bit: 16 bits of the sequence number, 15 of the context, 32 of the tag. Sixteen
// bits are enough because two processes never have 2^16 messages under way between them.
constexpr unsigned kContextBits = 15;
constexpr unsigned kTagBits = 32;
constexpr unsigned kSequenceBits = 16;
static_assert(kSequenceBits + kContextBits + kTagBits <= EngineAccess::kPlacementKeyBits);
constexpr std::uint32_t kPlacedContexts = std::uint32_t{1} << kContextBits;

EngineAccess::PlacementKey placement_key(std::uint64_t bits, std::uint64_t sequence) {
  return EngineAccess::PlacementKey(((sequence & 0xffff) << (kContextBits + kTagBits)) | bits);
}

// The most receives under way from a process among which expect_next() looks for the first posted
// one. The limit bounds the cost of a message while many long messages are being pulled. Sends are
// in another list, so they do not count.
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
  if (!expected && !peer.numbers.answer_is_due()) return;  // it cannot have been placed
  const bool landed =
      expected && engine_.forget_placed(peer.process) == EngineAccess::Withdrawal::kNone;
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
  controls_.send_credit(peer, {});
}

// Whether the receive names a single source, context and tag, and is long enough.
bool EagerPlacement::may_expect(const ReceiveRequest& receive) const {
  return receive.asked_source_ >= 0 && receive.asked_tag_ != kAnyTag &&
         may_be_placed(std::min(receive.capacity_, limit_), receive.context_);
}

// If the peer places its answer, it lands in the first receive that is posted for the peer.
void EagerPlacement::expect_next(Peer& peer) {
  PlacementRecord& record = peer.placement;
  if (record.expects != nullptr || !peer.numbers.answer_is_due() || peer.lost || peer.outside) {
    return;
  }
  int steps = 0;
  for (ReceiveRequest& receive : peer.receives.under_way) {
    if (++steps > kMostSteps) return;
    if (receive.stage_ != ReceiveStage::kPosted) continue;
    if (!may_expect(receive)) return;
    const std::uint64_t bits = match_bits(receive.context_, receive.asked_tag_);
    const EngineAccess::PlacementKey key = placement_key(bits, peer.numbers.arrived() + 1);
    if (engine_.expect_placed(receive.entry_, peer.process, key)) record.expects = &receive;
    return;
  }
}

bool EagerPlacement::forget(Peer& peer) {
  if (peer.placement.expects == nullptr) return true;
  if (engine_.forget_placed(peer.process) == EngineAccess::Withdrawal::kArriving) return false;
  peer.placement.expects = nullptr;
  return true;
}

}  // namespace lintel::mpi
