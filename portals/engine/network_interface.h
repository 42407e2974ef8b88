#pragma once
// NetworkInterface: one program-visible interface: its portal table, its objects, its access control, its registers.
//
// Owned by the Process; borrows the Endpoint, which carries its messages. Guarded by the endpoint's lock: every member REQUIRES it.
// Invariants: (1) an entry is in the list of exactly the portal that it names; (2) an entry is matchable in that list exactly while its
//             descriptor is active; (3) every open() is followed by one close(); (4) an unexpected message counts in the `headers` of the descriptor in
//             whose memory its data lie.
// Split by concept: network_interface.cpp (objects, accounting, events), portal_table.cpp (Portals 4: portals, entries, unexpected messages, search),
// counting.cpp (counting events, triggered operations), network_interface_dump.cpp.
// Does not: send or receive (endpoint.h), wait, or know any API's codes.

#include <boost/intrusive/slist.hpp>
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
#include "portals/engine/memory_descriptor.h"
#include "portals/engine/portal.h"
#include "portals/engine/process_map.h"
#include "portals/engine/status.h"
#include "portals/engine/status_registers.h"
#include "portals/engine/triggered_operation.h"
#include "portals/engine/wire_codec.h"

namespace lintel::portals {

struct Identity {
  ProcessId process;
  UserId user;
  JobId job;
};

using wire::kMpiKind;
using wire::kPortals3Kind;

// What an interface has to say to whoever drives it.
struct Attention {
  bool wake_needed = false;   // a queue or counting event on which a thread sleeps has changed
  bool triggers_due = false;  // some interface has a triggered operation to carry out
};

class NetworkInterface {
 public:
  // `first_generation`: of all its objects, so that handles of an interface that was open before name nothing here.
  NetworkInterface(std::uint8_t kind, const Identity& identity, const Limits& limits, Counters& counters, Attention& attention,
                   std::uint32_t first_generation = 1);
  NetworkInterface(const NetworkInterface&) = delete;
  NetworkInterface& operator=(const NetworkInterface&) = delete;
  ~NetworkInterface();

  std::uint8_t kind() const { return kind_; }
  bool is_portals3() const { return kind_ == kPortals3Kind; }
  // For the interface that takes this one's place.
  std::uint32_t next_generation() const;
  const Identity& identity() const { return identity_; }
  const Limits& limits() const { return limits_; }
  StatusRegisters& registers() { return registers_; }
  AccessControl& access() { return access_; }
  Counters& counters() { return counters_; }
  ProcessMap& map() { return map_; }
  // How often the program has opened it (Portals 4 counts).
  unsigned opens = 0;

  // ---- Match entries (clause 3.9)
  // Errors: kPortalInvalid, kListTooLong, kNoSpace.
  Status attach_entry(std::uint32_t portal_index, const MatchCriteria& criteria, bool unlink_with_descriptor, ListEnd end, SlotId& made);
  // On a portal whose list is empty, which it chooses. Errors: kPortalFull, kNoSpace.
  Status attach_entry_anywhere(const MatchCriteria& criteria, bool unlink_with_descriptor, std::uint32_t& portal_index, SlotId& made);
  // Errors: kEntryInvalid, kListTooLong, kNoSpace.
  Status insert_entry(SlotId base, const MatchCriteria& criteria, bool unlink_with_descriptor, Side side, SlotId& made);
  // Takes its descriptor along. Errors: kEntryInvalid, kEntryInUse.
  Status unlink_entry(SlotId entry);

  // ---- Portals and their lists (Portals 4, portal table entries, list entries, search)
  struct PortalRules {
    bool flow_control = false;
    bool enabled = true;
  };
  // `wanted`: an index, or kAnyId for the first that is free. Errors: kPortalInvalid, kPortalInUse, kPortalFull, kQueueInvalid.
  Status allocate_portal(const PortalRules& rules, SlotId queue, std::uint32_t wanted, std::uint32_t& made);
  // Errors: kPortalInvalid, kPortalInUse (an entry is in one of its lists).
  Status free_portal(std::uint32_t index);
  // Takes no message from now on; what it has taken may be under way until portal_quiet(). Errors: kPortalInvalid.
  Status disable_portal(std::uint32_t index);
  bool portal_quiet(std::uint32_t index) const { return portals_[index].active == 0; }
  Status enable_portal(std::uint32_t index);
  // An entry with the descriptor that is part of it, at the tail of a list. One for the priority list first claims what unexpected messages match it,
  // and may be used up by that: then `made` names nothing any more. Errors: kPortalInvalid, kNoSpace.
  Status append_entry(std::uint32_t index, PortalList list, const MatchCriteria& criteria, DescriptorRules rules, bool use_once,
                      SlotId& made);
  // Tells by events, and by the counting event of `rules`, which unexpected messages such an entry would claim; with `take`, claims them.
  // Errors: kPortalInvalid.
  Status search(std::uint32_t index, const MatchCriteria& criteria, const DescriptorRules& rules, bool use_once, bool take);

  // The caller has what it wants of an unexpected message: it leaves its portal's list and is gone, without an event. REQUIRES: it is in that list, landed.
  void consume_unexpected(UnexpectedMessage& message);
  // The caller has copied the data of an unexpected message to `start`, which is to stay until the message is consumed or its *_OVERFLOW event is taken:
  // that has no descriptor then. The overflow entry that they lay in is free of it. REQUIRES: as before.
  void move_unexpected(UnexpectedMessage& message, void* start);

  // ---- Counting events and triggered operations (Portals 4)
  Status allocate_counter(SlotId& made);    // errors: kNoSpace
  Status free_counter(SlotId counter);      // what waits for it is dropped. Errors: kCounterInvalid
  Status cancel_triggered(SlotId counter);  // errors: kCounterInvalid
  Status set_counter(SlotId counter, const CountingEvent::Value& value);
  // Errors: kCounterInvalid, also if neither member of `value` is 0.
  Status increment_counter(SlotId counter, const CountingEvent::Value& value);
  CountingEvent* counter(SlotId id) { return counting_events_.get(id); }
  // A triggered operation for `counter`, to be filled in and then armed; null if there are too many. Errors: kCounterInvalid, kNoSpace.
  Status prepare_triggered(SlotId counter, std::uint64_t threshold, TriggeredOperation::Kind kind, TriggeredOperation*& made);
  void arm(SlotId counter, TriggeredOperation& operation);
  // Has `counter` set (kSet) or incremented (kIncrement) once `trigger` has reached `threshold`; it may have. Errors: as increment_counter; kNoSpace.
  Status change_counter_when(SlotId trigger, std::uint64_t threshold, TriggeredOperation::Kind kind, SlotId counter,
                             const CountingEvent::Value& value);
  // The next one to be carried out, or null; take_due() and release() it then.
  TriggeredOperation* next_due() { return due_.empty() ? nullptr : &due_.front(); }
  bool has_due() const { return !due_.empty(); }
  TriggeredOperation* take_due();
  void release(TriggeredOperation& operation);

  // ---- Memory descriptors (clause 3.10)
  // Errors: kEntryInvalid, kEntryInUse, kQueueInvalid, kNoSpace.
  Status attach_descriptor(SlotId entry, DescriptorRules rules, bool unlink_when_used_up, SlotId& made);
  // Errors: kQueueInvalid, kNoSpace.
  Status bind_descriptor(DescriptorRules rules, bool unlink_when_used_up, SlotId& made);
  // Errors: kDescriptorInvalid, kDescriptorInUse.
  Status unlink_descriptor(SlotId descriptor);
  // It is in use, but all that still uses it ends without the program's doing: acknowledgements are on their way, and operations of whose end the program
  // does not hear (Portals 4).
  bool idle_soon(SlotId descriptor);
  // Replaces the description if `test_queue` (generation 0: none) is quiet. Errors: kDescriptorInvalid, kQueueInvalid, kNoUpdate.
  Status update_descriptor(SlotId descriptor, DescriptorRules rules, SlotId test_queue);
  // Inserts an entry with its descriptor if `test_queue` is quiet; else kNoUpdate. Errors as insert_entry and attach_descriptor.
  Status post_entry(SlotId base, const MatchCriteria& criteria, bool unlink_with_descriptor, Side side, DescriptorRules rules,
                    bool unlink_when_used_up, SlotId test_queue, SlotId& made_entry, SlotId& made_descriptor);

  // ---- Event queues (clause 3.11)
  // Errors: kNoSpace. `spare`: see EventQueue.
  Status allocate_queue(std::uint64_t count, EventQueue::FaceData face_data, SlotId& made, std::uint32_t spare = 0, bool grows = false);
  // Descriptors that use it go on without a queue. Errors: kQueueInvalid.
  Status free_queue(SlotId queue);
  // From now on the loss of any peer is told by a PEER_LOST event in `queue`, after the events of what it has ended. Generation 0: no more.
  void tell_losses(SlotId queue) { losses_queue_ = queue; }
  void peer_lost(ProcessId peer);

  MatchEntry* entry(SlotId id) { return entries_.get(id); }
  MemoryDescriptor* descriptor(SlotId id) { return descriptors_.get(id); }
  EventQueue* queue(SlotId id) { return queues_.get(id); }
  std::size_t entry_count() const { return entries_.size(); }
  std::size_t descriptor_count() const { return descriptors_.size(); }
  std::size_t queue_count() const { return queues_.size(); }
  Portal& portal(std::uint32_t index) { return portals_[index]; }

  // ---- Accounting and events of operations
  // A request was accepted by `descriptor`: charges it.
  void charge_accepted(MemoryDescriptor& descriptor, const MemoryDescriptor::Acceptance& acceptance);
  // Any other operation on it.
  void charge(MemoryDescriptor& descriptor);
  // An operation begins to move data of `descriptor`, already charged: logs `start` unless disabled, and makes the descriptor busy.
  // `completion.event` holds all but kind, sequence, link, descriptor and (Portals 3) snapshot; the rest of it is new.
  void open(Completion& completion, MemoryDescriptor& descriptor, EventKind start, EventKind end);
  // It has ended: logs the END event unless disabled, and unlinks the descriptor if that was due and this was the last.
  void close(Completion& completion, Failure failure);
  // One event that has no START: ACK. Logged whatever of START and END is disabled. `event` is as for open(), and used up. `count_only`: the counting event
  // alone hears of it.
  void log_single(MemoryDescriptor& descriptor, Event& event, EventKind kind, Failure failure, bool count_only = false);
  // What open() and close() would log of an operation that succeeds with nothing in between. `describe` is given the event, to fill it in as for open().
  // REQUIRES: START is disabled; no unexpected header is to be made. `silent`: END is disabled.
  template <class Describe>
  void log_at_once(MemoryDescriptor& descriptor, EventKind kind, bool silent, Describe&& describe) {
    EventQueue* const queue = silent || descriptor.has(option::kSuccessDisable) ? nullptr : queues_.get(descriptor.queue());
    if (queue != nullptr) {
      Event& event = place(*queue);
      describe(event);
      event.link = event.sequence;
      end_at_once(descriptor, event, kind, true);
    } else {
      Event event;
      describe(event);
      end_at_once(descriptor, event, kind, false);
    }
  }
  // A request that `match.descriptor` has accepted begins at its portal: makes its unexpected header, if it needs one.
  void enter_portal(Completion& completion, PortalList list);
  // Whether a message that `descriptor` would take finds room for its unexpected header, and with flow control for its events.
  enum class Room : std::uint8_t { kEnough, kNoHeader, kQueueFull };
  Room room_for(const Portal& portal, const MemoryDescriptor& descriptor, const MemoryDescriptor::Acceptance& acceptance, PortalList list);
  // The portal has to refuse a message, for want of `room` or (matched null) of an entry: with flow control it disables itself.
  [[gnu::cold]] void refuse_at(Portal& portal, Room room, const MemoryDescriptor* matched);

  // Appends the state of portal table, match lists, descriptors and queues, for people.
  void dump(std::string& out);

  // Ends all entries and descriptors, then queues. REQUIRES: nothing is open.
  [[gnu::cold]] void drop_objects();

 private:
  Status make_entry(std::uint32_t portal_index, const MatchCriteria& criteria, bool unlink_with_descriptor, MatchEntry*& made);
  Status make_descriptor(DescriptorRules rules, bool unlink_when_used_up, MatchEntry* entry, SlotId& made);
  void settle_activity(MemoryDescriptor& descriptor, bool was_due);
  std::uint32_t deposit(EventQueue& queue, const Event& event);
  Event& place(EventQueue& queue);
  void end_at_once(MemoryDescriptor& descriptor, Event& event, EventKind kind, bool logged);
  void fill(Event& event, const MemoryDescriptor& descriptor, EventKind kind) const;
  MatchList& list_of(const MatchEntry& entry) { return portals_[entry.portal_index()].list(entry.list()); }
  void count(const MemoryDescriptor& descriptor, const Event& event);
  static bool tells(const MemoryDescriptor& descriptor, EventKind kind);
  void counter_changed(CountingEvent& counter);
  Portal* existing_portal(std::uint32_t index);  // null if there is none
  void leave_portal(const Event& event, std::uint32_t turn);
  [[gnu::cold]] void disable_itself(Portal& portal, bool told);
  void owe_unlink(const MemoryDescriptor& descriptor, bool was_due);
  [[gnu::cold]] void finish_disabling(Portal& portal);
  [[gnu::cold]] void tell_disabled(Portal& portal, std::uint32_t index);
  void claim(Portal& portal, UnexpectedMessage& message, MemoryDescriptor& claimant);
  void landed(Portal& portal, SlotId unexpected, Failure failure);
  void tell_claimed(UnexpectedMessage& message);
  void forget_unexpected(UnexpectedMessage& message);
  void leave_holder(const UnexpectedMessage& message);
  void log_list_event(const MemoryDescriptor& descriptor, EventKind kind, std::uint32_t portal_index, Failure failure = Failure::kNone);
  // Unlinks automatically, with the UNLINK event, if due and not busy. `link`: sequence of the event that led to it, if there was one.
  void unlink_if_due(MemoryDescriptor& descriptor, const Event& cause, bool has_link, std::uint32_t link);
  void remove_descriptor(MemoryDescriptor& descriptor);
  void remove_entry(MatchEntry& entry);
  [[gnu::cold]] void dump_portal(std::string& out, std::uint32_t index);

  std::uint8_t kind_;
  Identity identity_;
  Limits limits_;
  Counters& counters_;
  StatusRegisters registers_;
  AccessControl access_;
  ProcessMap map_;
  std::vector<Portal> portals_;
  SlotPool<MatchEntry> entries_;
  SlotPool<MemoryDescriptor> descriptors_;
  std::size_t bound_ = 0;  // descriptors that are no entry's
  SlotPool<EventQueue> queues_;
  SlotId losses_queue_;
  SlotPool<CountingEvent> counting_events_;
  SlotPool<TriggeredOperation> triggered_;
  SlotPool<UnexpectedMessage> unexpected_;
  using DueLink = boost::intrusive::member_hook<TriggeredOperation, boost::intrusive::slist_member_hook<>, &TriggeredOperation::due_link>;
  boost::intrusive::slist<TriggeredOperation, DueLink, boost::intrusive::cache_last<true>> due_;
  Attention& attention_;
};

}  // namespace lintel::portals
