#pragma once
// Triggers: the counting events of one interface, and the operations that wait for them (Portals
// 4).
//
// Owned by the interface; owns the counting events and the triggered operations; borrows the
// descriptors and the process' pending_work. Guarded by the process' lock.
// Invariants: (1) a triggered operation is armed at one counting event, or due; (2) its descriptors
// are busy until it has been carried out; (3) due operations of one counting event begin in the
// order in which they became due.
// Does not: carry operations out (initiator_triggered.cpp does that), or wake threads.

#include <algorithm>
#include <boost/container/static_vector.hpp>
#include <boost/intrusive/slist.hpp>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <list>
#include <new>

#include "base/process_lock.h"
#include "base/slot_pool.h"
#include "portals/engine/events/counting_event.h"
#include "portals/engine/events/event.h"
#include "portals/engine/events/pending_work.h"
#include "portals/engine/events/triggered_operation.h"
#include "portals/engine/memory/descriptor_table.h"
#include "portals/engine/values/status.h"

namespace lintel::portals {

using DueOperations = boost::intrusive::slist<
    TriggeredOperation,
    boost::intrusive::member_hook<TriggeredOperation, boost::intrusive::slist_member_hook<>,
                                  &TriggeredOperation::due_link>,
    boost::intrusive::cache_last<true>>;

// Due operations of one counting event, of which the first has found no room.
struct WaitingLine {
  explicit WaitingLine(SlotId counter) : trigger(counter) {}
  SlotId trigger;
  DueOperations operations;
};

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
  bool has_due() const LINTEL_REQUIRES(kLock) { return !due_.empty() || !waiting_.empty(); }
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

  using Lines = std::list<WaitingLine>;
  // Targets that have had no room in this turn. Those that do not fit are asked for each line.
  using Refusals = boost::container::static_vector<ProcessId, 32>;

  template <class CarryOut>
  static bool try_one(const TriggeredOperation& operation, Refusals& refusals, CarryOut& carry_out)
      LINTEL_REQUIRES(kLock);
  void take_first(DueOperations& due) LINTEL_REQUIRES(kLock);
  WaitingLine* line_of(SlotId trigger) LINTEL_REQUIRES(kLock);
  WaitingLine& add_line(SlotId trigger) LINTEL_REQUIRES(kLock);
  Lines::iterator end_line(Lines::iterator line) LINTEL_REQUIRES(kLock);

  DescriptorTable& descriptors_;
  std::uint32_t max_triggered_;
  SlotPool<CountingEvent> counters_ LINTEL_GUARDED_BY(kLock);
  SlotPool<TriggeredOperation> operations_ LINTEL_GUARDED_BY(kLock);
  DueOperations due_ LINTEL_GUARDED_BY(kLock);
  Lines waiting_ LINTEL_GUARDED_BY(kLock);
  PendingWork& pending_work_;
};

template <class CarryOut>
bool Triggers::try_one(const TriggeredOperation& operation, Refusals& refusals,
                       CarryOut& carry_out) {
  const bool on_network = operation.is_on_network();
  const ProcessId target = operation.arguments.target;
  if (on_network && std::ranges::find(refusals, target) != refusals.end()) return false;
  if (carry_out(operation)) return true;
  if (on_network && refusals.size() < refusals.capacity()) refusals.push_back(target);
  return false;
}

template <class CarryOut>
bool Triggers::carry_out_due(CarryOut&& carry_out) {
  bool any = false;
  Refusals refusals;
  for (auto line = waiting_.begin(); line != waiting_.end();) {
    while (!line->operations.empty() && try_one(line->operations.front(), refusals, carry_out)) {
      take_first(line->operations);
      any = true;
    }
    line = line->operations.empty() ? end_line(line) : std::next(line);
  }
  while (!due_.empty()) {
    TriggeredOperation& first = due_.front();
    WaitingLine* line = line_of(first.trigger);
    if (line == nullptr && try_one(first, refusals, carry_out)) {
      take_first(due_);
      any = true;
      continue;
    }
    if (line == nullptr) {
      try {
        line = &add_line(first.trigger);
      } catch (const std::bad_alloc&) {
        return any;  // they remain due
      }
    }
    due_.pop_front();
    line->operations.push_back(first);
  }
  return any;
}

}  // namespace lintel::portals
