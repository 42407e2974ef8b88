#pragma once
// UnexpectedMessages: the headers of the messages of one interface that lie in entries of overflow
// lists, until an entry of the priority list claims them or a search deletes them (Portals 4).
//
// Owned by the interface; owns the headers; borrows descriptors, entries, portals, the event log
// and the triggers. Guarded by the process' lock. Invariants: (1) a header is in its portal's list,
//             or has a claimant, never both; (2) it counts in the `headers` of the descriptor in
//             whose memory its data lie; (3) its claimant is busy until the event of the claim is
//             logged.
// Does not: decide which entry a message meets (target_match.cpp), or move data.

#include <cstdint>

#include "base/slot_pool.h"
#include "portals/engine/entry_table.h"
#include "portals/engine/event_log.h"
#include "portals/engine/limits.h"
#include "portals/engine/portal_table.h"
#include "portals/engine/status.h"
#include "portals/engine/triggers.h"

namespace lintel::portals {

class UnexpectedMessages {
 public:
  UnexpectedMessages(DescriptorTable& descriptors, EventLog& events, PortalTable& portals,
                     EntryTable& entries, Triggers& triggers, const Limits& limits);
  UnexpectedMessages(const UnexpectedMessages&) = delete;
  UnexpectedMessages& operator=(const UnexpectedMessages&) = delete;

  // An entry with the descriptor that is part of it, at the tail of a list. One for the priority
  // list first claims what unexpected messages match it, and may be used up by that: then `made`
  // names nothing any more. Errors: kPortalInvalid, kNoSpace.
  Status append_entry(std::uint32_t index, PortalList list, const MatchCriteria& criteria,
                      DescriptorRules rules, bool use_once, SlotId& made);
  // Tells by events, and by the counting event of `rules`, which unexpected messages such an entry
  // would claim; with `take`, claims them. Errors: kPortalInvalid, kNoSpace.
  Status search(std::uint32_t index, const MatchCriteria& criteria, const DescriptorRules& rules,
                bool use_once, bool take);

  // The caller has what it wants of an unexpected message: it leaves its portal's list and is gone,
  // without an event. REQUIRES: it is in that list, landed.
  void consume(UnexpectedMessage& message);
  // The caller has copied the data of an unexpected message to `start`, which is to stay until the
  // message is consumed or its *_OVERFLOW event is taken: that has no descriptor then. The overflow
  // entry that they lay in is free of it. REQUIRES: as before.
  void move(UnexpectedMessage& message, void* start);

  // Whether a message that `descriptor` would take finds room for its unexpected header, and with
  // flow control for its events.
  PortalTable::Room room_for(const Portal& portal, const MemoryDescriptor& descriptor,
                             const MemoryDescriptor::Acceptance& acceptance, PortalList list);
  // A message begins that an overflow entry has taken: makes its header, if it needs one. REQUIRES:
  // room_for() said kEnough.
  void begin(Completion& completion);
  // Its data are in place, or will not come.
  void landed(std::uint32_t portal_index, SlotId header, Failure failure);

  // Ends those of one portal, and all without an event.
  void forget_all(Portal& portal);
  [[gnu::cold]] void drop_all();

 private:
  void claim(Portal& portal, UnexpectedMessage& message, MemoryDescriptor& claimant);
  void tell_claimed(UnexpectedMessage& message);
  void forget(UnexpectedMessage& message);
  void leave_holder(const UnexpectedMessage& message);

  DescriptorTable& descriptors_;
  EventLog& events_;
  PortalTable& portals_;
  EntryTable& entries_;
  Triggers& triggers_;
  std::uint32_t max_of_portal_;
  SlotPool<UnexpectedMessage> messages_;
};

}  // namespace lintel::portals
