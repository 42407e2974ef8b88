#pragma once
// EventLog: the event queues of one interface. Writes events to them.
//
// Owned by the interface; owns its queues; borrows the descriptors, the counters and the process'
// pending_work. Guarded by the process' lock.
// Invariants: (1) each event that is lost is counted; (2) an event for a queue for which a thread
// sleeps sets wake_needed.
// Does not: decide which events an operation has (network_interface.h), count in counting events
// (triggers.h), or wake threads.

#include <cstddef>
#include <cstdint>

#include "base/counters.h"
#include "base/process_lock.h"
#include "base/slot_pool.h"
#include "portals/engine/events/event_queue.h"
#include "portals/engine/events/pending_work.h"
#include "portals/engine/memory/descriptor_table.h"
#include "portals/engine/values/status.h"

namespace lintel::portals {

class EventLog {
 public:
  // `snapshots`: events contain the present state of their descriptor (Portals 3).
  EventLog(DescriptorTable& descriptors, std::size_t max_queues, bool snapshots,
           unsigned generation_bits, std::uint32_t first_generation, Counters& counters,
           PendingWork& pending_work)
      : descriptors_(descriptors),
        queues_(max_queues, generation_bits, first_generation),
        snapshots_(snapshots),
        counters_(counters),
        pending_work_(pending_work) {}

  // Errors: kNoSpace. `spare`, `grows`: see EventQueue.
  Status allocate_queue(std::uint64_t count, EventQueue::FaceData face_data, SlotId& made,
                        std::uint32_t spare = 0, bool grows = false) LINTEL_REQUIRES(kLock);
  // Descriptors that use it continue without a queue. Errors: kQueueInvalid.
  Status free_queue(SlotId queue) LINTEL_REQUIRES(kLock);
  EventQueue* queue(SlotId id) LINTEL_REQUIRES(kLock) { return queues_.get(id); }
  std::size_t size() const LINTEL_REQUIRES(kLock) { return queues_.size(); }
  std::uint32_t next_generation() const LINTEL_REQUIRES(kLock) { return queues_.next_generation(); }

  // True if `queue` is none (generation 0), or exists.
  bool may_use(SlotId queue) LINTEL_REQUIRES(kLock) {
    return queue.generation == 0 || queues_.get(queue) != nullptr;
  }
  // kOk if `queue` is none (generation 0) or quiet. Errors: kQueueInvalid; kNoUpdate: it is not
  // quiet.
  Status test_quiet(SlotId queue) LINTEL_REQUIRES(kLock);

  // Sets the kind of an event, and the members that describe its descriptor.
  void fill(Event& event, const MemoryDescriptor& descriptor, EventKind kind) const
      LINTEL_REQUIRES(kLock) {
    event.kind = kind;
    event.descriptor = descriptor.id;
    if (snapshots_) event.snapshot = descriptor.snapshot();
  }
  // Appends a copy of `event`. Returns its sequence number.
  std::uint32_t deposit(EventQueue& queue, const Event& event) LINTEL_REQUIRES(kLock) {
    const EventQueue::Deposited deposited = queue.deposit(event);
    note(queue, deposited.lost_one);
    return deposited.sequence;
  }
  // The same for an event that the caller fills in in the ring, before it calls another function of
  // this class.
  Event& place(EventQueue& queue) LINTEL_REQUIRES(kLock) {
    const EventQueue::Placed placed = queue.place();
    note(queue, placed.lost_one);
    return placed.event;
  }
  // PORTAL_DISABLED. REQUIRES: `queue` was made with spare room.
  void deposit_spare(EventQueue& queue, const Event& event) LINTEL_REQUIRES(kLock) {
    queue.deposit_spare(event);
    note(queue, false);
  }
  // Logs one event of a list entry or a search in the queue of its descriptor, if that has one.
  void log_entry_event(const MemoryDescriptor& descriptor, EventKind kind,
                       std::uint32_t portal_index, Failure failure = Failure::kNone)
      LINTEL_REQUIRES(kLock);

  // From now on the loss of any peer is reported by a PEER_LOST event in `queue`, after the events
  // of the operations that end by it. Generation 0: losses are no longer reported.
  void report_losses(SlotId queue) LINTEL_REQUIRES(kLock) { losses_queue_ = queue; }
  [[gnu::cold]] void peer_lost(ProcessId peer) LINTEL_REQUIRES(kLock);

  template <class Visit>
  void for_each(Visit&& visit) LINTEL_REQUIRES(kLock) {
    queues_.for_each(visit);
  }
  // Destroys all queues.
  [[gnu::cold]] void drop_all() LINTEL_REQUIRES(kLock);

 private:
  void note(const EventQueue& queue, bool lost_one) LINTEL_REQUIRES(kLock) {
    if (lost_one) counters_.add(Counter::kEventQueueOverflows);
    if (queue.sleepers > 0) pending_work_.wake_needed = true;
  }

  DescriptorTable& descriptors_;
  SlotPool<EventQueue> queues_ LINTEL_GUARDED_BY(kLock);
  SlotId losses_queue_ LINTEL_GUARDED_BY(kLock);
  bool snapshots_;
  Counters& counters_;
  PendingWork& pending_work_;
};

}  // namespace lintel::portals
