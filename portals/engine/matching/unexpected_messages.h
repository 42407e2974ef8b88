#pragma once
// UnexpectedMessages: the headers of the messages of one interface whose data are in overflow
// entries, until an entry of the priority list claims them or a search deletes them (Portals 4).
//
// Owned by the interface; owns the headers; borrows descriptors, entries, portals, the event log,
// the triggers and the budget. Guarded by the process' lock. Invariants: (1) a header is in its
// portal's list, or has a claimant, never both; (2) it is counted in `headers` of the
// descriptor whose memory has its data; (3) its claimant is busy until the event of the claim is
// logged; (4) of the budget it has taken what its pool has memory for.
// Does not: decide which entry a message uses (target_match.cpp), or move data.

#include <cstdint>

#include "base/memory_budget.h"
#include "base/process_lock.h"
#include "base/slot_pool.h"
#include "portals/engine/events/event_log.h"
#include "portals/engine/events/triggers.h"
#include "portals/engine/matching/entry_table.h"
#include "portals/engine/matching/portal_table.h"
#include "portals/engine/matching/unexpected_message.h"
#include "portals/engine/values/interface_limits.h"
#include "portals/engine/values/status.h"

namespace lintel::portals {

class UnexpectedMessages {
 public:
  // `budget`: what the headers of several interfaces may take. A portal has no more of it than it
  // leaves to all others. Memory for headers stays with the interface until its end. Null: the
  // limits say enough.
  UnexpectedMessages(DescriptorTable& descriptors, EventLog& events, PortalTable& portals,
                     EntryTable& entries, Triggers& triggers, const InterfaceLimits& limits,
                     MemoryBudget* budget = nullptr);
  UnexpectedMessages(const UnexpectedMessages&) = delete;
  UnexpectedMessages& operator=(const UnexpectedMessages&) = delete;
  ~UnexpectedMessages();

  // Appends an entry, with its descriptor, to a list. An entry for the priority list first claims
  // the unexpected messages that match it. This may use it up; then `made` names no entry any more.
  // Errors: kPortalInvalid, kNoSpace.
  Status append_entry(std::uint32_t index, PortalList list, const MatchCriteria& criteria,
                      DescriptorRules rules, bool use_once, SlotId& made) LINTEL_REQUIRES(kLock);
  // Reports the unexpected messages that such an entry would claim, by events and by the counting
  // event of `rules`. With `take` it claims them. Errors: kPortalInvalid, kNoSpace.
  Status search(std::uint32_t index, const MatchCriteria& criteria, const DescriptorRules& rules,
                bool use_once, bool take) LINTEL_REQUIRES(kLock);

  // Removes an unexpected message from its portal's list and destroys it, without an event, when
  // the caller no longer needs it. REQUIRES: it is in that list, and `landed`.
  void consume(UnexpectedMessage& message) LINTEL_REQUIRES(kLock);
  // The caller has copied the data of an unexpected message to `start`. That memory must exist
  // until the message is consumed or its *_OVERFLOW event is taken, which then names no descriptor.
  // The message no longer uses its overflow entry. REQUIRES: as consume().
  void move(UnexpectedMessage& message, void* start) LINTEL_REQUIRES(kLock);

  // Whether there is room for the unexpected header of a message that `descriptor` would accept,
  // and with flow control for its events.
  PortalTable::Room room_for(const Portal& portal, const MemoryDescriptor& descriptor,
                             const MemoryDescriptor::Acceptance& acceptance, PortalList list)
      LINTEL_REQUIRES(kLock);
  // An overflow entry has accepted a message: makes its header, if it needs one. REQUIRES:
  // room_for() returned kEnough.
  void begin(Completion& completion) LINTEL_REQUIRES(kLock);
  // The data of the message are in place, or will not come (`failure`).
  void landed(std::uint32_t portal_index, SlotId header, Failure failure) LINTEL_REQUIRES(kLock);

  // Destroys the headers of one portal, or all, without an event.
  void forget_all(Portal& portal) LINTEL_REQUIRES(kLock);
  [[gnu::cold]] void drop_all() LINTEL_REQUIRES(kLock);

 private:
  PortalTable::Room room_for_events(const Portal& portal, const MemoryDescriptor& descriptor,
                                    const MemoryDescriptor::Acceptance& acceptance,
                                    std::uint64_t of_last) LINTEL_REQUIRES(kLock);
  bool in_share(const Portal& portal) const LINTEL_REQUIRES(kLock);
  bool make_room() LINTEL_REQUIRES(kLock);
  void claim(Portal& portal, UnexpectedMessage& message, MemoryDescriptor& claimant)
      LINTEL_REQUIRES(kLock);
  void log_claimed(UnexpectedMessage& message) LINTEL_REQUIRES(kLock);
  void forget(UnexpectedMessage& message) LINTEL_REQUIRES(kLock);
  void leave_holder(const UnexpectedMessage& message) LINTEL_REQUIRES(kLock);

  DescriptorTable& descriptors_;
  EventLog& events_;
  PortalTable& portals_;
  EntryTable& entries_;
  Triggers& triggers_;
  std::uint32_t max_of_portal_;
  MemoryBudget unlimited_ LINTEL_GUARDED_BY(kLock){SIZE_MAX};  // without one of the caller
  MemoryBudget& budget_;
  SlotPool<UnexpectedMessage> messages_ LINTEL_GUARDED_BY(kLock);
};

}  // namespace lintel::portals
