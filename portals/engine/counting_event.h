#pragma once
// CountingEvent: two numbers, successes and failures, and the triggered operations that wait for
// their sum (Portals 4, counting events).
//
// Owned by the interface's pool; borrows the triggered operations, which must be disarmed before
// they die. Guarded by the endpoint's lock. Invariants: (1) operations leave in the order of their
//             thresholds, those of one threshold in the order of arm(); (2) an armed operation is
//             given out by exactly one take_due() or take_any().
// Does not: carry out what it gives out (whoever changes the numbers asks take_due() until there is
// nothing more), or wake threads.

#include <boost/intrusive/set.hpp>
#include <cstddef>
#include <cstdint>

#include "base/slot_pool.h"

namespace lintel::portals {

// What a counting event needs to know of an operation that waits for it.
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

  // What a waiter waits for: enough successes, or any failure.
  bool reached(std::uint64_t test) const { return value_.success >= test || value_.failure != 0; }

  // REQUIRES: it is not armed. O(log n); allocates nothing.
  void arm(Triggered& operation);
  std::size_t armed() const { return armed_.size(); }

  // Takes out the armed operation that comes first, if success + failure has reached its threshold;
  // else null.
  Triggered* take_due();
  // Takes out the armed operation that comes first, due or not; null if there is none.
  Triggered* take_any();

  SlotId id;                   // in the interface's pool; set once after creation
  std::uint32_t sleepers = 0;  // threads that sleep until it changes

 private:
  struct ByThreshold {
    bool operator()(const Triggered& one, const Triggered& other) const {
      return one.threshold_ < other.threshold_;
    }
  };
  using Hook = boost::intrusive::member_hook<Triggered, boost::intrusive::set_member_hook<>,
                                             &Triggered::hook_>;

  Value value_;
  // equal ones stay in the order of arm()
  boost::intrusive::multiset<Triggered, Hook, boost::intrusive::compare<ByThreshold>> armed_;
};

}  // namespace lintel::portals
