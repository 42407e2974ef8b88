#include "portals/engine/protocol/placed_messages.h"

namespace lintel::portals {

bool PlacedMessages::expect(NetworkInterface& interface, SlotId entry_id, ProcessId source,
                            transport::PlacementKey key) {
  MatchEntry* const entry = interface.entries.get(entry_id);
  if (entry == nullptr) return false;  // its put has arrived already
  LINTEL_ASSERT(entry->list() == PortalList::kPriority);
  MatchList& list = interface.portals[entry->portal_index()].priority;
  if (list.find(source, entry->criteria().match_bits, [](const MatchEntry&) { return true; }) !=
      entry)
    return false;
  const MemoryRegion& region = entry->descriptor->region();
  const std::span<std::byte> memory = region.contiguous(0, region.length());
  const Result<transport::PeerId> peer = peers_.resolve(source);
  return !memory.empty() && peer.ok() && transport_.expect_placement(*peer, key, memory);
}

transport::Withdrawal PlacedMessages::withdraw(ProcessId source) {
  const Result<transport::PeerId> peer = peers_.resolve(source);
  return peer.ok() ? transport_.withdraw_placement(*peer) : transport::Withdrawal::kNone;
}

}  // namespace lintel::portals
