// Counting events (Portals 4, lightweight counting events).

#include <span>

#include "portals/api4/library.h"
#include "portals/api4/return_code.h"
#include "portals/api4/translation.h"

using namespace lintel;
using namespace lintel::api4;
using portals::CountingEvent;
using portals::NetworkInterface;
using portals::Process;
using portals::Status;

namespace {

CountingEvent::Value to_value(ptl_ct_event_t event) { return {event.success, event.failure}; }
ptl_ct_event_t from_value(const CountingEvent::Value& value) { return {value.success, value.failure}; }

// Any of several counting events has reached what is waited for, or is none, or the wait was aborted.
class CounterWait final : public portals::Condition {
 public:
  CounterWait(Process& process, std::span<const ptl_handle_ct_t> cts, const ptl_size_t* tests)
      : process_(process), cts_(cts), tests_(tests) {}

  bool holds() override LINTEL_NO_THREAD_SAFETY_ANALYSIS {
    if (aborted.load(std::memory_order_relaxed)) {
      code = PTL_ABORTED;
      return true;
    }
    // All must be good, also those behind the first that has reached its test.
    const CountingEvent* reached = nullptr;
    for (std::size_t i = 0; i < cts_.size(); ++i) {
      const CountingEvent* counter = find(i);
      if (counter == nullptr) {
        code = PTL_ARG_INVALID;
        return true;
      }
      if (reached != nullptr || !counter->reached(tests_[i])) continue;
      reached = counter;
      which = static_cast<unsigned>(i);
    }
    if (reached == nullptr) return false;
    code = PTL_OK;
    value = from_value(reached->value());
    return true;
  }

  void asleep(bool asleep) override {
    for (std::size_t i = 0; i < cts_.size(); ++i) {
      if (CountingEvent* counter = find(i)) asleep ? ++counter->sleepers : --counter->sleepers;
    }
  }

  int code = PTL_CT_NONE_REACHED;
  ptl_ct_event_t value{};
  unsigned which = 0;

 private:
  CountingEvent* find(std::size_t index) LINTEL_NO_THREAD_SAFETY_ANALYSIS {
    const Decoded decoded = decode(cts_[index]);
    if (decoded.kind != HandleKind::kCounter || decoded.interface != decode(cts_[0]).interface) return nullptr;
    NetworkInterface* interface = process_.interface(engine_kind(decoded.interface));
    return interface != nullptr ? interface->counter(decoded.id) : nullptr;
  }

  Process& process_;
  std::span<const ptl_handle_ct_t> cts_;
  const ptl_size_t* tests_;
};

int wait(std::span<const ptl_handle_ct_t> cts, const ptl_size_t* tests, ptl_time_t timeout, ptl_ct_event_t* event, unsigned* which) {
  Process* own = process();
  const MutexLock lock(own->lock());
  CounterWait wanted(*own, cts, tests);
  if (!wanted.holds()) {
    if (timeout == 0) {
      own->progress().advance();
      wanted.holds();
    } else {
      const TimePoint deadline = timeout == PTL_TIME_FOREVER ? kNever : own->now() + std::chrono::milliseconds(timeout);
      own->progress().wait_until(wanted, deadline);
      // It was a counting event when the wait began.
      if (wanted.code == PTL_ARG_INVALID) wanted.code = PTL_ABORTED;
    }
  }
  if (wanted.code == PTL_OK) {
    *event = wanted.value;
    if (which != nullptr) *which = wanted.which;
  }
  return wanted.code;
}

}  // namespace

extern "C" {

int PtlCTAlloc(ptl_handle_ni_t ni_handle, ptl_handle_ct_t* ct_handle) {
  return with_interface(ni_handle, HandleKind::kInterface, [&](Process&, NetworkInterface& interface, SlotId) -> int {
    if (ct_handle == nullptr) return PTL_ARG_INVALID;
    SlotId made;
    const Status status = interface.allocate_counter(made);
    if (status == Status::kOk) *ct_handle = encode(HandleKind::kCounter, interface.kind(), made);
    return return_code(status);
  });
}

int PtlCTFree(ptl_handle_ct_t ct_handle) {
  return with_interface(ct_handle, HandleKind::kCounter, [](Process& own, NetworkInterface& interface, SlotId id) {
    const Status status = interface.free_counter(id);
    own.progress().wake_all();
    return return_code(status);
  });
}

int PtlCTCancelTriggered(ptl_handle_ct_t ct_handle) {
  return with_interface(ct_handle, HandleKind::kCounter,
                        [](Process&, NetworkInterface& interface, SlotId id) { return return_code(interface.cancel_triggered(id)); });
}

int PtlCTGet(ptl_handle_ct_t ct_handle, ptl_ct_event_t* event) {
  return with_interface(ct_handle, HandleKind::kCounter, [&](Process& own, NetworkInterface& interface, SlotId id) -> int {
    if (event == nullptr || interface.counter(id) == nullptr) return PTL_ARG_INVALID;
    own.progress().advance();  // programs spin on this
    const CountingEvent* counter = interface.counter(id);
    *event = from_value(counter->value());
    return PTL_OK;
  });
}

int PtlCTWait(ptl_handle_ct_t ct_handle, ptl_size_t test, ptl_ct_event_t* event) {
  if (process() == nullptr) return PTL_NO_INIT;
  if (aborted.load(std::memory_order_relaxed)) return PTL_ABORTED;  // whatever the handle is
  if (event == nullptr) return PTL_ARG_INVALID;
  return wait({&ct_handle, 1}, &test, PTL_TIME_FOREVER, event, nullptr);
}

int PtlCTPoll(const ptl_handle_ct_t* ct_handles, const ptl_size_t* tests, unsigned int size, ptl_time_t timeout, ptl_ct_event_t* event,
              unsigned int* which) {
  if (process() == nullptr) return PTL_NO_INIT;
  if (aborted.load(std::memory_order_relaxed)) return PTL_ABORTED;
  if (ct_handles == nullptr || tests == nullptr || size == 0 || event == nullptr || which == nullptr) return PTL_ARG_INVALID;
  return wait({ct_handles, size}, tests, timeout, event, which);
}

int PtlCTSet(ptl_handle_ct_t ct_handle, ptl_ct_event_t new_ct) {
  return with_interface_acting(ct_handle, HandleKind::kCounter, [&](Process&, NetworkInterface& interface, SlotId id) {
    return return_code(interface.set_counter(id, to_value(new_ct)));
  });
}

int PtlCTInc(ptl_handle_ct_t ct_handle, ptl_ct_event_t increment) {
  return with_interface_acting(ct_handle, HandleKind::kCounter, [&](Process&, NetworkInterface& interface, SlotId id) -> int {
    if (increment.success != 0 && increment.failure != 0) return PTL_ARG_INVALID;
    return return_code(interface.increment_counter(id, to_value(increment)));
  });
}

}  // extern "C"
