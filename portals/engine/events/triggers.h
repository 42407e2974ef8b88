#pragma once
// Triggers: the counting events of one interface, and the operations that wait for them (Portals
// 4).
//
// Owned by the interface; owns the counting events and the triggered operations; borrows the
// descriptors and the process' pending_work. Guarded by the process' lock.
// Invariants: (1) a triggered operation is armed at one counting event, or due; (2) its descriptors
// are busy until it has been carried out.
// Does not: carry operations out (initiator_triggered.cpp does that), or wake threads.

#include <cstddef>
#include <cstdint>

#include "base/process_lock.h"
#include "base/slot_pool.h"
#include "portals/engine/events/counting_event.h"
#include "portals/engine/events/due_operations.h"
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
        due_(counters_),
        pending_work_(pending_work) {}
  Triggers(const Triggers&) = delete;
  Triggers& operator=(const Triggers&) = delete;
  ~Triggers() { drop_all(); }

  Status allocate_counter(SlotId& made) LINTEL_REQUIRES(kLock);  // errors: kNoSpace
  // What waits for it is dropped. Errors: kCounterInvalid.
  Status free_counter(SlotId counter) LINTEL_REQUIRES(kLock);
  // What waits for it is dropped. Errors: kCounterInvalid.
  Status cancel(SlotId counter) LINTEL_REQUIRES(kLock);
  Status set_counter(SlotId counter, const CountingEvent::Value& value) LINTEL_REQUIRES(kLock);
  // Errors: kCounterInvalid, also if neither member of `value` is 0.
  Status increment_counter(SlotId counter, const CountingEvent::Value& value)
      LINTEL_REQUIRES(kLock);
  CountingEvent* counter(SlotId id) LINTEL_REQUIRES(kLock) { return counters_.get(id); }
  std::uint32_t next_generation() const LINTEL_REQUIRES(kLock) {
    return counters_.next_generation();
  }

  // Makes a triggered operation for `counter`, which the caller fills in and then arms. Errors:
  // kCounterInvalid, kNoSpace.
  Status prepare(SlotId counter, std::uint64_t threshold, TriggeredKind kind,
                 TriggeredOperation*& made) LINTEL_REQUIRES(kLock);
  void arm(SlotId counter, TriggeredOperation& operation) LINTEL_REQUIRES(kLock);
  // Sets `counter` (kSet) or increments it (kIncrement) when `trigger` has reached `threshold`,
  // which may already be true. Errors: as increment_counter(); kNoSpace.
  Status change_counter_when(SlotId trigger, std::uint64_t threshold, TriggeredKind kind,
                             SlotId counter, const CountingEvent::Value& value)
      LINTEL_REQUIRES(kLock);
  bool has_due() const LINTEL_REQUIRES(kLock) { return !due_.empty(); }
  // Calls `carry_out(const TriggeredOperation&)` for the operations that are due, also for those
  // that become due by it. It returns false where there is no room: the operation remains due, and
  // so do those of the same counting event behind it. Those of others go on, but for those with the
  // same target, which has no room for them either. Returns whether any was carried out.
  template <class CarryOut>
  bool carry_out_due(CarryOut&& carry_out) LINTEL_REQUIRES(kLock);

  // Counts `event` in the counting event of `descriptor`, if the descriptor has such events
  // counted.
  void count(const MemoryDescriptor& descriptor, const Event& event) LINTEL_REQUIRES(kLock) {
    if (descriptor.counter().generation != 0) count_in(descriptor, event);
  }
  // Whether `descriptor` has its counting event count events of this kind.
  static bool counts(const MemoryDescriptor& descriptor, EventKind kind);

  template <class Visit>
  void for_each_counter(Visit&& visit) LINTEL_REQUIRES(kLock) {
    counters_.for_each(visit);
  }
  // Destroys all.
  [[gnu::cold]] void drop_all() LINTEL_REQUIRES(kLock);

 private:
  void count_in(const MemoryDescriptor& descriptor, const Event& event) LINTEL_REQUIRES(kLock);
  void changed(CountingEvent& counter) LINTEL_REQUIRES(kLock);
  void release(TriggeredOperation& operation) LINTEL_REQUIRES(kLock);

  DescriptorTable& descriptors_;
  std::uint32_t max_triggered_;
  SlotPool<CountingEvent> counters_ LINTEL_GUARDED_BY(kLock);
  SlotPool<TriggeredOperation> operations_ LINTEL_GUARDED_BY(kLock);
  DueOperations due_ LINTEL_GUARDED_BY(kLock);
  PendingWork& pending_work_;
};

template <class CarryOut>
bool Triggers::carry_out_due(CarryOut&& carry_out) {
  return due_.carry_out(carry_out,
                        [this](TriggeredOperation& done) LINTEL_REQUIRES(kLock) { release(done); });
}

}  // namespace lintel::portals
