#pragma once
// NetworkInterface: one program-visible interface: its portal table, its objects, its access control, its registers.
//
// Owned by the Process; borrows the Endpoint, which carries its messages. Guarded by the endpoint's lock: every member REQUIRES it.
// Invariants: (1) an entry is in the match list of exactly the portal that it names; (2) an entry is matchable in that list exactly while its
//             descriptor is active; (3) every open() is followed by one close().
// Does not: send or receive (initiator.h, target.h), wait, or know any API's codes.

#include <cstdint>
#include <string>
#include <vector>

#include "base/counters.h"
#include "base/ids.h"
#include "base/slot_pool.h"
#include "portals/engine/access_control.h"
#include "portals/engine/completion.h"
#include "portals/engine/event_queue.h"
#include "portals/engine/limits.h"
#include "portals/engine/match_list.h"
#include "portals/engine/memory_descriptor.h"
#include "portals/engine/status.h"
#include "portals/engine/status_registers.h"

namespace lintel::portals {

struct Identity {
  ProcessId process;
  UserId user;
  JobId job;
};

class NetworkInterface {
 public:
  // `wake_needed` is set when a queue on which a thread sleeps gets an event. `first_generation`: of all its objects, so that handles of an interface
  // that was open before name nothing here.
  NetworkInterface(std::uint8_t kind, const Identity& identity, const Limits& limits, Counters& counters, bool& wake_needed,
                   std::uint32_t first_generation = 1);
  NetworkInterface(const NetworkInterface&) = delete;
  NetworkInterface& operator=(const NetworkInterface&) = delete;
  ~NetworkInterface();

  std::uint8_t kind() const { return kind_; }
  // For the interface that takes this one's place.
  std::uint32_t next_generation() const;
  const Identity& identity() const { return identity_; }
  const Limits& limits() const { return limits_; }
  StatusRegisters& registers() { return registers_; }
  AccessControl& access() { return access_; }
  Counters& counters() { return counters_; }

  // ---- Match entries (clause 3.9)
  // Errors: kPortalInvalid, kListTooLong, kNoSpace.
  Status attach_entry(std::uint32_t portal_index, const MatchCriteria& criteria, bool unlink_with_descriptor, ListEnd end, SlotId& made);
  // On a portal whose list is empty, which it chooses. Errors: kPortalFull, kNoSpace.
  Status attach_entry_anywhere(const MatchCriteria& criteria, bool unlink_with_descriptor, std::uint32_t& portal_index, SlotId& made);
  // Errors: kEntryInvalid, kListTooLong, kNoSpace.
  Status insert_entry(SlotId base, const MatchCriteria& criteria, bool unlink_with_descriptor, Side side, SlotId& made);
  // Takes its descriptor along. Errors: kEntryInvalid, kEntryInUse.
  Status unlink_entry(SlotId entry);

  // ---- Memory descriptors (clause 3.10)
  // Errors: kEntryInvalid, kEntryInUse, kQueueInvalid, kNoSpace.
  Status attach_descriptor(SlotId entry, DescriptorRules rules, bool unlink_when_used_up, SlotId& made);
  // Errors: kQueueInvalid, kNoSpace.
  Status bind_descriptor(DescriptorRules rules, bool unlink_when_used_up, SlotId& made);
  // Errors: kDescriptorInvalid, kDescriptorInUse.
  Status unlink_descriptor(SlotId descriptor);
  // Replaces the description if `test_queue` (generation 0: none) is quiet. Errors: kDescriptorInvalid, kQueueInvalid, kNoUpdate.
  Status update_descriptor(SlotId descriptor, DescriptorRules rules, SlotId test_queue);
  // Inserts an entry with its descriptor if `test_queue` is quiet; else kNoUpdate. Errors as insert_entry and attach_descriptor.
  Status post_entry(SlotId base, const MatchCriteria& criteria, bool unlink_with_descriptor, Side side, DescriptorRules rules,
                    bool unlink_when_used_up, SlotId test_queue, SlotId& made_entry, SlotId& made_descriptor);

  // ---- Event queues (clause 3.11)
  // Errors: kNoSpace.
  Status allocate_queue(std::uint64_t count, EventQueue::FaceData face_data, SlotId& made);
  // Descriptors that use it go on without a queue. Errors: kQueueInvalid.
  Status free_queue(SlotId queue);

  MatchEntry* entry(SlotId id) { return entries_.get(id); }
  MemoryDescriptor* descriptor(SlotId id) { return descriptors_.get(id); }
  EventQueue* queue(SlotId id) { return queues_.get(id); }
  std::size_t entry_count() const { return entries_.size(); }
  std::size_t descriptor_count() const { return descriptors_.size(); }
  std::size_t queue_count() const { return queues_.size(); }
  MatchList& list(std::uint32_t portal_index) { return portals_[portal_index]; }

  // ---- Accounting and events of operations
  // A request was accepted by `descriptor`: charges it.
  void charge_accepted(MemoryDescriptor& descriptor, const MemoryDescriptor::Acceptance& acceptance);
  // Any other operation on it.
  void charge(MemoryDescriptor& descriptor);
  // An operation begins to move data of `descriptor`, already charged: logs `start` unless disabled, and makes the descriptor busy.
  // `event` holds all but kind, sequence, link, descriptor and snapshot.
  Completion open(MemoryDescriptor& descriptor, const Event& event, EventKind start, EventKind end);
  // It has ended: logs the END event unless disabled, and unlinks the descriptor if that was due and this was the last.
  void close(Completion& completion, Failure failure);
  // One event that has no START: ACK. Logged whatever is disabled.
  void log_single(MemoryDescriptor& descriptor, const Event& event, EventKind kind, Failure failure);

  // Appends the state of portal table, match lists, descriptors and queues, for people.
  void dump(std::string& out);

  // Ends all entries and descriptors, then queues. REQUIRES: nothing is open.
  void drop_objects();

 private:
  Status make_entry(std::uint32_t portal_index, const MatchCriteria& criteria, bool unlink_with_descriptor, MatchEntry*& made);
  Status make_descriptor(DescriptorRules rules, bool unlink_when_used_up, MatchEntry* entry, SlotId& made);
  void settle_activity(MemoryDescriptor& descriptor, bool was_due);
  std::uint32_t deposit(SlotId queue, const Event& event);
  void fill(Event& event, const MemoryDescriptor& descriptor, EventKind kind) const;
  // Unlinks automatically, with the UNLINK event, if due and not busy. `link`: sequence of the event that led to it, if there was one.
  void unlink_if_due(MemoryDescriptor& descriptor, const Event& cause, bool has_link, std::uint32_t link);
  void remove_descriptor(MemoryDescriptor& descriptor);
  void remove_entry(MatchEntry& entry);

  std::uint8_t kind_;
  Identity identity_;
  Limits limits_;
  Counters& counters_;
  StatusRegisters registers_;
  AccessControl access_;
  std::vector<MatchList> portals_;
  SlotPool<MatchEntry> entries_;
  SlotPool<MemoryDescriptor> descriptors_;
  SlotPool<EventQueue> queues_;
  bool& wake_needed_;
};

}  // namespace lintel::portals
