#pragma once
// CountingEvent: two numbers, successes and failures, and the triggered operations that wait for
// their sum (Portals 4, counting events).
//
// Owned by the interface's pool. Borrows the triggered operations, which must be taken out before
// they are destroyed. Guarded by the process' lock.
// Invariants: (1) operations are taken out in the order of their thresholds, those of one threshold
// in the order of arm(); (2) exactly one take_due() or take_any() returns an armed operation.
// Does not: carry out operations (the caller that changes the numbers calls take_due() until it
// returns null), or wake threads.

#include <boost/intrusive/set.hpp>
#include <cstddef>
#include <cstdint>

#include "base/slot_pool.h"

namespace lintel::portals {

struct WaitingLine;

// The part of a triggered operation that a counting event uses.
class Triggered {
 public:
  explicit Triggered(std::uint64_t threshold) : threshold_(threshold) {}
  Triggered(const Triggered&) = delete;
  Triggered& operator=(const Triggered&) = delete;

 private:
  friend class CountingEvent;
  std::uint64_t threshold_;
  boost::intrusive::set_member_hook<> hook_;
};

class CountingEvent {
 public:
  struct Value {
    std::uint64_t success = 0;
    std::uint64_t failure = 0;
    friend bool operator==(const Value&, const Value&) = default;
  };

  CountingEvent() = default;
  CountingEvent(const CountingEvent&) = delete;
  CountingEvent& operator=(const CountingEvent&) = delete;
  // REQUIRES: nothing is armed.
  ~CountingEvent();

  const Value& value() const { return value_; }
  void set(const Value& value) { value_ = value; }
  // Both wrap.
  void add(const Value& increment) {
    value_.success += increment.success;
    value_.failure += increment.failure;
  }

  // The condition of PtlCTWait: at least `test` successes, or any failure.
  bool reached(std::uint64_t test) const { return value_.success >= test || value_.failure != 0; }

  // REQUIRES: it is not armed. O(log n); allocates nothing.
  void arm(Triggered& operation);
  std::size_t armed() const { return armed_.size(); }

  // Takes out the first armed operation if success + failure has reached its threshold. Otherwise
  // null.
  Triggered* take_due();
  // Takes out the first armed operation, due or not; null if there is none.
  Triggered* take_any();

  SlotId id;                   // in the interface's pool; set once after creation
  std::uint32_t sleepers = 0;  // threads that sleep until it changes
  // its operations that are due and find no room; null: none. DueOperations sets
  // it.
  WaitingLine* line = nullptr;

 private:
  struct ByThreshold {
    bool operator()(const Triggered& one, const Triggered& other) const {
      return one.threshold_ < other.threshold_;
    }
  };
  using Hook = boost::intrusive::member_hook<Triggered, boost::intrusive::set_member_hook<>,
                                             &Triggered::hook_>;

  Value value_;
  // those of equal threshold in the order of arm()
  boost::intrusive::multiset<Triggered, Hook, boost::intrusive::compare<ByThreshold>> armed_;
};

}  // namespace lintel::portals
