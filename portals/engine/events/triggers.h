#pragma once
// Triggers: the counting events of one interface, and the operations that wait for them (Portals
// 4).
//
// Owned by the interface; owns the counting events and the triggered operations; borrows the
// descriptors and the process' pending_work. Guarded by the process' lock.
// Invariants: (1) a triggered operation is armed at one counting event, or due, or taken by
// take_due(); (2) its descriptors are busy until release().
// Does not: carry operations out (triggered.cpp does that), or wake threads.

#include <boost/intrusive/slist.hpp>
#include <cstddef>
#include <cstdint>

#include "base/slot_pool.h"
#include "portals/engine/events/counting_event.h"
#include "portals/engine/events/event.h"
#include "portals/engine/events/pending_work.h"
#include "portals/engine/events/triggered_operation.h"
#include "portals/engine/memory/descriptor_table.h"
#include "portals/engine/values/status.h"

namespace lintel::portals {

class Triggers {
 public:
  // At most `max_counters` counting events, for each of which at most `max_triggered` operations
  // wait.
  Triggers(DescriptorTable& descriptors, std::uint32_t max_counters, std::uint32_t max_triggered,
           unsigned generation_bits, std::uint32_t first_generation, PendingWork& pending_work)
      : descriptors_(descriptors),
        max_triggered_(max_triggered),
        counters_(max_counters, generation_bits, first_generation),
        operations_(std::size_t{max_counters} * max_triggered),
        pending_work_(pending_work) {}
  Triggers(const Triggers&) = delete;
  Triggers& operator=(const Triggers&) = delete;
  ~Triggers() { drop_all(); }

  Status allocate_counter(SlotId& made);  // errors: kNoSpace
  Status free_counter(SlotId counter);    // what waits for it is dropped. Errors: kCounterInvalid
  Status cancel(SlotId counter);          // what waits for it is dropped. Errors: kCounterInvalid
  Status set_counter(SlotId counter, const CountingEvent::Value& value);
  // Errors: kCounterInvalid, also if neither member of `value` is 0.
  Status increment_counter(SlotId counter, const CountingEvent::Value& value);
  CountingEvent* counter(SlotId id) { return counters_.get(id); }
  std::uint32_t next_generation() const { return counters_.next_generation(); }

  // Makes a triggered operation for `counter`, which the caller fills in and then arms. Errors:
  // kCounterInvalid, kNoSpace.
  Status prepare(SlotId counter, std::uint64_t threshold, TriggeredOperation::Kind kind,
                 TriggeredOperation*& made);
  void arm(SlotId counter, TriggeredOperation& operation);
  // Sets `counter` (kSet) or increments it (kIncrement) when `trigger` has reached `threshold`,
  // which may already be true. Errors: as increment_counter(); kNoSpace.
  Status change_counter_when(SlotId trigger, std::uint64_t threshold, TriggeredOperation::Kind kind,
                             SlotId counter, const CountingEvent::Value& value);
  // The next operation to carry out, or null. Call take_due() and release() for it.
  TriggeredOperation* next_due() { return due_.empty() ? nullptr : &due_.front(); }
  bool has_due() const { return !due_.empty(); }
  TriggeredOperation* take_due();
  void release(TriggeredOperation& operation);

  // Counts `event` in the counting event of `descriptor`, if the descriptor has such events
  // counted.
  void count(const MemoryDescriptor& descriptor, const Event& event) {
    if (descriptor.counter().generation != 0) count_in(descriptor, event);
  }
  // Whether `descriptor` has its counting event count events of this kind.
  static bool counts(const MemoryDescriptor& descriptor, EventKind kind);

  template <class Visit>
  void for_each_counter(Visit&& visit) {
    counters_.for_each(visit);
  }
  // Destroys all.
  [[gnu::cold]] void drop_all();

 private:
  void count_in(const MemoryDescriptor& descriptor, const Event& event);
  void changed(CountingEvent& counter);

  using DueLink =
      boost::intrusive::member_hook<TriggeredOperation, boost::intrusive::slist_member_hook<>,
                                    &TriggeredOperation::due_link>;

  DescriptorTable& descriptors_;
  std::uint32_t max_triggered_;
  SlotPool<CountingEvent> counters_;
  SlotPool<TriggeredOperation> operations_;
  boost::intrusive::slist<TriggeredOperation, DueLink, boost::intrusive::cache_last<true>> due_;
  PendingWork& pending_work_;
};

}  // namespace lintel::portals
