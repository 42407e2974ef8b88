#pragma once
// EntryTable: the match entries of one interface, and their descriptors: makes, links, charges and
// unlinks them.
//
// Owned by the interface. Owns its entries; borrows descriptors, portals and the event log. Guarded
// by the process' lock.
// Invariants: (1) an entry is in the list of exactly the portal that it names; (2) an entry is
// matchable in that list exactly while its descriptor is active; (3) a queue owes an UNLINK event
// from when it is due until it is logged.
// More than 30 members, because the calls of both APIs that make and end entries and descriptors
// are here: each has to keep invariants 1 and 2.
// Does not: claim unexpected messages (unexpected_messages.h), or decide which requests an entry
// accepts (memory_descriptor.h).

#include <cstddef>
#include <cstdint>

#include "base/process_lock.h"
#include "base/slot_pool.h"
#include "portals/engine/events/event_log.h"
#include "portals/engine/matching/match_entry.h"
#include "portals/engine/matching/match_list.h"
#include "portals/engine/matching/portal_table.h"
#include "portals/engine/memory/descriptor_table.h"
#include "portals/engine/values/interface_limits.h"
#include "portals/engine/values/status.h"

namespace lintel::portals {

class EntryTable {
 public:
  EntryTable(DescriptorTable& descriptors, EventLog& events, PortalTable& portals,
             const InterfaceLimits& limits, unsigned generation_bits,
             std::uint32_t first_generation)
      : descriptors_(descriptors),
        events_(events),
        portals_(portals),
        max_list_length_(limits.max_list_length),
        entries_(limits.max_entries, generation_bits, first_generation) {}

  MatchEntry* get(SlotId id) LINTEL_REQUIRES(kLock) { return entries_.get(id); }
  std::size_t size() const LINTEL_REQUIRES(kLock) { return entries_.size(); }
  std::size_t limit() const LINTEL_REQUIRES(kLock) { return entries_.limit(); }
  std::uint32_t next_generation() const LINTEL_REQUIRES(kLock) {
    return entries_.next_generation();
  }

  // ---- Entries of Portals 3 (clause 3.9)
  // Errors: kPortalInvalid, kListTooLong, kNoSpace.
  Status attach(std::uint32_t portal_index, const MatchCriteria& criteria,
                bool unlink_with_descriptor, ListEnd end, SlotId& made) LINTEL_REQUIRES(kLock);
  // The same on a portal whose list is empty; the function chooses it. Errors: kPortalFull,
  // kNoSpace.
  Status attach_anywhere(const MatchCriteria& criteria, bool unlink_with_descriptor,
                         std::uint32_t& portal_index, SlotId& made) LINTEL_REQUIRES(kLock);
  // Errors: kEntryInvalid, kListTooLong, kNoSpace.
  Status insert(SlotId base, const MatchCriteria& criteria, bool unlink_with_descriptor, Side side,
                SlotId& made) LINTEL_REQUIRES(kLock);
  // Unlinks its descriptor too. Errors: kEntryInvalid, kEntryInUse.
  Status unlink(SlotId entry) LINTEL_REQUIRES(kLock);
  // Inserts an entry with a descriptor if `test_queue` is quiet; otherwise kNoUpdate. Other errors:
  // as insert() and attach_descriptor().
  Status post(SlotId base, const MatchCriteria& criteria, bool unlink_with_descriptor, Side side,
              DescriptorRules rules, bool unlink_when_used_up, SlotId test_queue,
              SlotId& made_entry, SlotId& made_descriptor) LINTEL_REQUIRES(kLock);

  // ---- Entries of Portals 4
  // An entry with the descriptor that is part of it, at the tail of a list, not matchable yet.
  // Null: there are too many.
  MatchEntry* append(std::uint32_t portal_index, PortalList list, const MatchCriteria& criteria,
                     DescriptorRules rules) LINTEL_REQUIRES(kLock);
  void make_matchable(MatchEntry& entry) LINTEL_REQUIRES(kLock) {
    list_of(entry).set_matchable(entry, true);
  }

  // ---- Descriptors (clause 3.10)
  // Errors: kEntryInvalid, kEntryInUse, kQueueInvalid, kNoSpace.
  Status attach_descriptor(SlotId entry, DescriptorRules rules, bool unlink_when_used_up,
                           SlotId& made) LINTEL_REQUIRES(kLock);
  // Errors: kQueueInvalid, kNoSpace.
  Status bind_descriptor(DescriptorRules rules, bool unlink_when_used_up, SlotId& made)
      LINTEL_REQUIRES(kLock);
  // Errors: kDescriptorInvalid, kDescriptorInUse.
  Status unlink_descriptor(SlotId descriptor) LINTEL_REQUIRES(kLock);
  // Replaces the description if `test_queue` (generation 0: none) is quiet. Errors:
  // kDescriptorInvalid, kQueueInvalid, kNoUpdate.
  Status update_descriptor(SlotId descriptor, DescriptorRules rules, SlotId test_queue)
      LINTEL_REQUIRES(kLock);

  // ---- Charging
  // Charges `descriptor` for a request that it has accepted.
  void charge_accepted(MemoryDescriptor& descriptor, const MemoryDescriptor::Acceptance& acceptance)
      LINTEL_REQUIRES(kLock) {
    const bool was_due = descriptor.unlink_due();
    descriptor.charge_accepted(acceptance);
    settle(descriptor, was_due);
  }
  // Charges it for any other operation.
  void charge(MemoryDescriptor& descriptor) LINTEL_REQUIRES(kLock) {
    const bool was_due = descriptor.unlink_due();
    descriptor.charge();
    settle(descriptor, was_due);
  }
  // If the unlink of `descriptor` has become due, its queue owes the event. `was_due`: it was due
  // before.
  void owe_unlink(const MemoryDescriptor& descriptor, bool was_due) LINTEL_REQUIRES(kLock) {
    if (was_due || !descriptor.unlink_due() || descriptor.has(option::kUnlinkDisable)) return;
    if (EventQueue* queue = events_.queue(descriptor.queue())) queue->owe(1);
  }
  // Unlinks `descriptor`, with the UNLINK event, if that is due and it is not busy. `link`: the
  // sequence number of the event that caused it, if there was one.
  void unlink_if_due(MemoryDescriptor& descriptor, const Event& cause, bool has_link,
                     std::uint32_t link) LINTEL_REQUIRES(kLock) {
    if (descriptor.unlink_due() && !descriptor.busy() && !descriptor.unlinked)
      unlink_used_up(descriptor, cause, has_link, link);
  }

  // Destroys all entries. REQUIRES: the descriptors are destroyed next.
  [[gnu::cold]] void drop_all() LINTEL_REQUIRES(kLock);

 private:
  MatchList& list_of(const MatchEntry& entry) LINTEL_REQUIRES(kLock) {
    return portals_[entry.portal_index()].list(entry.list());
  }
  Status make(std::uint32_t portal_index, const MatchCriteria& criteria,
              bool unlink_with_descriptor, MatchEntry*& made) LINTEL_REQUIRES(kLock);
  void remove(MatchEntry& entry) LINTEL_REQUIRES(kLock);
  void remove_descriptor(MemoryDescriptor& descriptor) LINTEL_REQUIRES(kLock);
  void settle(MemoryDescriptor& descriptor, bool was_due) LINTEL_REQUIRES(kLock) {
    // A used-up entry is removed from the index at once, so that it costs later searches nothing.
    if (!descriptor.active() && descriptor.entry != nullptr)
      list_of(*descriptor.entry).set_matchable(*descriptor.entry, false);
    owe_unlink(descriptor, was_due);
  }
  void unlink_used_up(MemoryDescriptor& descriptor, const Event& cause, bool has_link,
                      std::uint32_t link) LINTEL_REQUIRES(kLock);

  DescriptorTable& descriptors_;
  EventLog& events_;
  PortalTable& portals_;
  std::uint32_t max_list_length_;
  SlotPool<MatchEntry> entries_ LINTEL_GUARDED_BY(kLock);
};

}  // namespace lintel::portals
