// Counting events (Portals 4, lightweight counting events).

#include <boost/container/small_vector.hpp>
#include <span>

#include "portals/api4/library.h"
#include "portals/api4/return_code.h"
#include "portals/api4/translation.h"
#include "portals/engine/process/counter_wait.h"

using namespace lintel;
using namespace lintel::api4;
using portals::CounterTest;
using portals::CounterWait;
using portals::CountingEvent;
using portals::NetworkInterface;
using portals::Process;
using portals::Status;

namespace {

CountingEvent::Value to_value(ptl_ct_event_t event) { return {event.success, event.failure}; }
ptl_ct_event_t from_value(const CountingEvent::Value& value) {
  return {value.success, value.failure};
}

int wait(std::span<const ptl_handle_ct_t> cts, const ptl_size_t* tests, ptl_time_t timeout,
         ptl_ct_event_t* event, unsigned* which) {
  Process* own = process();
  if (own == nullptr) return PTL_NO_INIT;
  if (aborted.load(std::memory_order_relaxed)) return PTL_ABORTED;  // even for wrong arguments
  if (cts.data() == nullptr || cts.empty() || tests == nullptr || event == nullptr ||
      which == nullptr)
    return PTL_ARG_INVALID;
  boost::container::small_vector<CounterTest, 8> wanted;
  for (std::size_t i = 0; i < cts.size(); ++i) {
    const Decoded decoded = decode(cts[i]);
    if (decoded.kind != HandleKind::kCounter || decoded.interface != decode(cts[0]).interface)
      return PTL_ARG_INVALID;
    wanted.push_back({engine_kind(decoded.interface), decoded.id, tests[i]});
  }
  const MutexLock lock(own->lock());
  const TimePoint deadline = CounterWait::deadline_in(*own, timeout, PTL_TIME_FOREVER);
  CounterWait waiting(*own, {wanted.data(), wanted.size()}, aborted);
  switch (waiting.run(deadline)) {
    case CounterWait::WaitEnd::kNothing: return PTL_CT_NONE_REACHED;
    case CounterWait::WaitEnd::kInvalid: return PTL_ARG_INVALID;
    case CounterWait::WaitEnd::kFreed:
    case CounterWait::WaitEnd::kStopped: return PTL_ABORTED;
    case CounterWait::WaitEnd::kReady: break;
  }
  *event = from_value(waiting.value());
  *which = static_cast<unsigned>(waiting.index());
  return PTL_OK;
}

}  // namespace

extern "C" {

int PtlCTAlloc(ptl_handle_ni_t ni_handle, ptl_handle_ct_t* ct_handle) {
  return with_interface(ni_handle, HandleKind::kInterface,
                        [&](Process&, NetworkInterface& interface, SlotId)
                            LINTEL_REQUIRES(kLock) -> int {
                              if (ct_handle == nullptr) return PTL_ARG_INVALID;
                              SlotId made;
                              const Status status = interface.triggers.allocate_counter(made);
                              if (status == Status::kOk)
                                *ct_handle = encode(HandleKind::kCounter, interface.kind(), made);
                              return return_code(status);
                            });
}

int PtlCTFree(ptl_handle_ct_t ct_handle) {
  return with_interface(ct_handle, HandleKind::kCounter,
                        [](Process& own, NetworkInterface& interface, SlotId id)
                            LINTEL_REQUIRES(kLock) {
                              const Status status = interface.triggers.free_counter(id);
                              own.progress().wake_all();
                              return return_code(status);
                            });
}

int PtlCTCancelTriggered(ptl_handle_ct_t ct_handle) {
  return with_interface(ct_handle, HandleKind::kCounter,
                        [](Process&, NetworkInterface& interface, SlotId id)
                            LINTEL_REQUIRES(kLock) {
                              const Status status = interface.triggers.cancel(id);
                              return return_code(status);
                            });
}

int PtlCTGet(ptl_handle_ct_t ct_handle, ptl_ct_event_t* event) {
  return with_interface(ct_handle, HandleKind::kCounter,
                        [&](Process& own, NetworkInterface& interface, SlotId id)
                            LINTEL_REQUIRES(kLock) -> int {
                              if (event == nullptr || interface.triggers.counter(id) == nullptr)
                                return PTL_ARG_INVALID;
                              own.progress().advance();  // programs call this in a loop
                              const CountingEvent* counter = interface.triggers.counter(id);
                              *event = from_value(counter->value());
                              return PTL_OK;
                            });
}

int PtlCTWait(ptl_handle_ct_t ct_handle, ptl_size_t test, ptl_ct_event_t* event) {
  unsigned which;
  return wait({&ct_handle, 1}, &test, PTL_TIME_FOREVER, event, &which);
}

int PtlCTPoll(const ptl_handle_ct_t* ct_handles, const ptl_size_t* tests, unsigned int size,
              ptl_time_t timeout, ptl_ct_event_t* event, unsigned int* which) {
  return wait({ct_handles, size}, tests, timeout, event, which);
}

int PtlCTSet(ptl_handle_ct_t ct_handle, ptl_ct_event_t new_ct) {
  return with_interface_acting(
      ct_handle, HandleKind::kCounter,
      [&](Process&, NetworkInterface& interface, SlotId id) LINTEL_REQUIRES(kLock) {
        return return_code(interface.triggers.set_counter(id, to_value(new_ct)));
      });
}

int PtlCTInc(ptl_handle_ct_t ct_handle, ptl_ct_event_t increment) {
  return with_interface_acting(
      ct_handle, HandleKind::kCounter,
      [&](Process&, NetworkInterface& interface, SlotId id) LINTEL_REQUIRES(kLock) -> int {
        return return_code(interface.triggers.increment_counter(id, to_value(increment)));
      });
}

}  // extern "C"
