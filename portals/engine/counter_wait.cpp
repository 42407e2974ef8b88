#include "portals/engine/counter_wait.h"

namespace lintel::portals {

CounterWait::Outcome CounterWait::run(TimePoint deadline) {
  if (look()) return outcome_;
  if (deadline == kAtOnce) {
    process_.progress().advance();
    look();
  } else {
    process_.progress().wait_until(*this, deadline);
  }
  return outcome_;
}

void CounterWait::asleep(bool asleep) {
  for (std::size_t i = 0; i < tests_.size(); ++i) {
    // Freed while we slept: its count went with it.
    if (CountingEvent* sleeping_on = counter(i)) asleep ? ++sleeping_on->sleepers : --sleeping_on->sleepers;
  }
}

CountingEvent* CounterWait::counter(std::size_t index) LINTEL_NO_THREAD_SAFETY_ANALYSIS {
  NetworkInterface* interface = process_.interface(tests_[index].interface_kind);
  return interface != nullptr ? interface->counter(tests_[index].id) : nullptr;
}

// True when there is an answer.
bool CounterWait::look() {
  if (stop_.load(std::memory_order_relaxed)) {
    outcome_ = Outcome::kStopped;
    return true;
  }
  const CountingEvent* reached = nullptr;
  for (std::size_t i = 0; i < tests_.size(); ++i) {
    const CountingEvent* const candidate = counter(i);
    if (candidate == nullptr) {
      outcome_ = Outcome::kInvalid;
      index_ = i;
      return true;
    }
    if (reached == nullptr && candidate->reached(tests_[i].test)) {
      reached = candidate;
      index_ = i;
    }
  }
  if (reached == nullptr) return false;
  outcome_ = Outcome::kReached;
  value_ = reached->value();
  return true;
}

}  // namespace lintel::portals
