#pragma once
// CounterWait: waits until one of several counting events has reached its test value. PtlCTWait and
// PtlCTPoll use it.

#include "portals/engine/events/counting_event.h"
#include "portals/engine/process/object_wait.h"

namespace lintel::portals {

struct CounterTest {
  std::uint8_t interface_kind;
  SlotId id;
  std::uint64_t test;
};

class CounterWait final : public ObjectWait<CounterWait, CountingEvent, CounterTest> {
 public:
  CounterWait(Process& process, std::span<const CounterTest> tests, const std::atomic<bool>& stop)
      : ObjectWait(process, tests, &stop) {}

  // After kReady.
  const CountingEvent::Value& value() const { return value_; }

 private:
  friend ObjectWait;
  static CountingEvent* find(NetworkInterface& interface, SlotId id) LINTEL_REQUIRES(kLock) {
    return interface.triggers.counter(id);
  }
  static bool is_ready(const CountingEvent& counter, const CounterTest& wanted) {
    return counter.reached(wanted.test);
  }
  void take(CountingEvent& counter) { value_ = counter.value(); }

  CountingEvent::Value value_;
};

}  // namespace lintel::portals
