// Event queues (Portals 4, full events).

#include <algorithm>
#include <boost/container/small_vector.hpp>

#include "portals/api4/library.h"
#include "portals/api4/return_code.h"
#include "portals/api4/translation.h"
#include "portals/engine/process/queue_wait.h"

using namespace lintel;
using namespace lintel::api4;
using portals::NetworkInterface;
using portals::Process;
using portals::QueueName;
using portals::QueueWait;
using portals::Status;

namespace {

// `stop` ends the wait when it becomes true; null for a call that does not wait.
int poll(const ptl_handle_eq_t* eqs, unsigned size, ptl_time_t timeout, ptl_event_t* event,
         unsigned* which, const std::atomic<bool>* stop) {
  Process* own = process();
  if (own == nullptr) return PTL_NO_INIT;
  if (eqs == nullptr || size == 0 || event == nullptr || which == nullptr) return PTL_ARG_INVALID;
  // even for wrong handles
  if (stop != nullptr && stop->load(std::memory_order_relaxed)) return PTL_ABORTED;
  boost::container::small_vector<QueueName, 8> names;
  for (unsigned i = 0; i < size; ++i) {
    const Decoded decoded = decode(eqs[i]);
    if (decoded.kind != HandleKind::kQueue || decoded.interface != decode(eqs[0]).interface)
      return PTL_ARG_INVALID;
    names.push_back({engine_kind(decoded.interface), decoded.id});
  }
  const MutexLock lock(own->lock());
  QueueWait wait(*own, {names.data(), names.size()}, stop);
  const TimePoint deadline = QueueWait::deadline_in(*own, timeout, PTL_TIME_FOREVER);
  switch (wait.run(deadline)) {
    case QueueWait::WaitEnd::kNothing: return PTL_EQ_EMPTY;
    case QueueWait::WaitEnd::kInvalid: return PTL_ARG_INVALID;
    case QueueWait::WaitEnd::kFreed:
    case QueueWait::WaitEnd::kStopped: return PTL_ABORTED;
    case QueueWait::WaitEnd::kReady: break;
  }
  translate(*own->interface(names[wait.index()].interface_kind), wait.event(), *event);
  *which = static_cast<unsigned>(wait.index());
  return wait.after_loss() ? PTL_EQ_DROPPED : PTL_OK;
}

}  // namespace

extern "C" {

int PtlEQAlloc(ptl_handle_ni_t ni_handle, ptl_size_t count, ptl_handle_eq_t* eq_handle) {
  return with_interface(
      ni_handle, HandleKind::kInterface,
      [&](Process&, NetworkInterface& interface, SlotId) LINTEL_REQUIRES(kLock) -> int {
        if (eq_handle == nullptr) return PTL_ARG_INVALID;
        SlotId made;
        // Exactly `count` events, and one PT_DISABLED for each portal.
        const Status status = interface.events.allocate_queue(
            std::max<ptl_size_t>(count, 1), nullptr, made, interface.limits().max_portal_index + 1);
        if (status == Status::kOk) *eq_handle = encode(HandleKind::kQueue, interface.kind(), made);
        return return_code(status);
      });
}

int PtlEQFree(ptl_handle_eq_t eq_handle) {
  return with_interface(eq_handle, HandleKind::kQueue,
                        [](Process& own, NetworkInterface& interface, SlotId id)
                            LINTEL_REQUIRES(kLock) {
                              const Status status = interface.events.free_queue(id);
                              own.progress().wake_all();
                              return return_code(status);
                            });
}

int PtlEQGet(ptl_handle_eq_t eq_handle, ptl_event_t* event) {
  unsigned which;
  return poll(&eq_handle, 1, 0, event, &which, nullptr);
}

int PtlEQWait(ptl_handle_eq_t eq_handle, ptl_event_t* event) {
  unsigned which;
  return poll(&eq_handle, 1, PTL_TIME_FOREVER, event, &which, &aborted);
}

int PtlEQPoll(const ptl_handle_eq_t* eq_handles, unsigned int size, ptl_time_t timeout,
              ptl_event_t* event, unsigned int* which) {
  return poll(eq_handles, size, timeout, event, which, &aborted);
}

}  // extern "C"
