#pragma once
// DueOperations: the triggered operations of one interface that have reached their thresholds and
// have not been carried out.
//
// Owned by Triggers. Borrows the operations and the counting events. Guarded by the process' lock.
// Invariants: (1) operations of one counting event are carried out in the order of add(), also when
// that event was freed meanwhile; (2) after carry_out() an operation is in the line of its counting
// event, which has found no room, or is still due because there was no memory for a line; (3) only
// carry_out() needs memory.
// Does not: release operations, or know what they do: the caller says both.

#include <algorithm>
#include <boost/container/static_vector.hpp>
#include <boost/intrusive/slist.hpp>
#include <iterator>
#include <list>
#include <new>

#include "base/ids.h"
#include "base/process_lock.h"
#include "base/slot_pool.h"
#include "portals/engine/events/counting_event.h"
#include "portals/engine/events/triggered_operation.h"

namespace lintel::portals {

using DueList = boost::intrusive::slist<
    TriggeredOperation,
    boost::intrusive::member_hook<TriggeredOperation, boost::intrusive::slist_member_hook<>,
                                  &TriggeredOperation::due_link>,
    boost::intrusive::cache_last<true>>;

// Due operations of one counting event, of which the first has found no room.
struct WaitingLine {
  explicit WaitingLine(SlotId counter) : trigger(counter) {}
  SlotId trigger;
  DueList operations;
};

class DueOperations {
 public:
  explicit DueOperations(SlotPool<CountingEvent>& counters) : counters_(counters) {}

  bool empty() const LINTEL_REQUIRES(kLock) { return due_.empty() && waiting_.empty(); }
  // REQUIRES: it is not here yet, and exists until it is released.
  void add(TriggeredOperation& operation) LINTEL_REQUIRES(kLock) { due_.push_back(operation); }
  // Calls `carry_out(const TriggeredOperation&)`, which may call add(), see
  // Triggers::carry_out_due(). Removes each operation that was carried out, and calls
  // `release(TriggeredOperation&)` for it. Returns whether any was carried out.
  template <class CarryOut, class Release>
  bool carry_out(CarryOut& carry_out, const Release& release) LINTEL_REQUIRES(kLock);
  // Removes all operations without carrying them out, and releases them.
  template <class Release>
  void drop_all(const Release& release) LINTEL_REQUIRES(kLock);

 private:
  using Lines = std::list<WaitingLine>;
  // Targets that have had no room in this turn. Those that do not fit are asked for each line.
  using Refusals = boost::container::static_vector<ProcessId, 32>;

  template <class CarryOut>
  static bool try_one(const TriggeredOperation& operation, Refusals& refusals, CarryOut& carry_out)
      LINTEL_REQUIRES(kLock);
  template <class Release>
  static void take_first(DueList& due, const Release& release) LINTEL_REQUIRES(kLock);
  WaitingLine* line_of(SlotId trigger) LINTEL_REQUIRES(kLock);
  WaitingLine& add_line(SlotId trigger) LINTEL_REQUIRES(kLock);
  Lines::iterator end_line(Lines::iterator line) LINTEL_REQUIRES(kLock);

  SlotPool<CountingEvent>& counters_;
  DueList due_ LINTEL_GUARDED_BY(kLock);
  Lines waiting_ LINTEL_GUARDED_BY(kLock);
};

template <class CarryOut>
bool DueOperations::try_one(const TriggeredOperation& operation, Refusals& refusals,
                            CarryOut& carry_out) {
  const bool on_network = operation.is_on_network();
  const ProcessId target = operation.arguments.target;
  if (on_network && std::ranges::find(refusals, target) != refusals.end()) return false;
  if (carry_out(operation)) return true;
  if (on_network && refusals.size() < refusals.capacity()) refusals.push_back(target);
  return false;
}

template <class Release>
void DueOperations::take_first(DueList& due, const Release& release) {
  TriggeredOperation& first = due.front();
  due.pop_front();
  release(first);
}

template <class CarryOut, class Release>
bool DueOperations::carry_out(CarryOut& carry_out, const Release& release) {
  bool any = false;
  Refusals refusals;
  for (auto line = waiting_.begin(); line != waiting_.end();) {
    while (!line->operations.empty() && try_one(line->operations.front(), refusals, carry_out)) {
      take_first(line->operations, release);
      any = true;
    }
    line = line->operations.empty() ? end_line(line) : std::next(line);
  }
  while (!due_.empty()) {
    TriggeredOperation& first = due_.front();
    WaitingLine* line = line_of(first.trigger);
    if (line == nullptr && try_one(first, refusals, carry_out)) {
      take_first(due_, release);
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

template <class Release>
void DueOperations::drop_all(const Release& release) {
  for (; !waiting_.empty(); end_line(waiting_.begin())) {
    while (!waiting_.front().operations.empty()) take_first(waiting_.front().operations, release);
  }
  while (!due_.empty()) take_first(due_, release);
}

}  // namespace lintel::portals
