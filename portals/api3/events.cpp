// Event queues (clause 3.11).

#include <boost/container/small_vector.hpp>

#include "portals/api3/descriptor_rules.h"
#include "portals/api3/library.h"
#include "portals/api3/return_code.h"
#include "portals/engine/process/queue_wait.h"

using namespace lintel;
using namespace lintel::api3;
using portals::Event;
using portals::EventKind;
using portals::EventQueue;
using portals::NetworkInterface;
using portals::Process;
using portals::QueueName;
using portals::QueueWait;
using portals::Status;

namespace {

static_assert(PTL_EVENT_GET_START == static_cast<int>(EventKind::kGetStart) &&
              PTL_EVENT_GET_END == static_cast<int>(EventKind::kGetEnd));
static_assert(PTL_EVENT_PUT_START == static_cast<int>(EventKind::kPutStart) &&
              PTL_EVENT_PUT_END == static_cast<int>(EventKind::kPutEnd));
static_assert(PTL_EVENT_GETPUT_START == static_cast<int>(EventKind::kGetPutStart) &&
              PTL_EVENT_GETPUT_END == static_cast<int>(EventKind::kGetPutEnd));
static_assert(PTL_EVENT_REPLY_START == static_cast<int>(EventKind::kReplyStart) &&
              PTL_EVENT_REPLY_END == static_cast<int>(EventKind::kReplyEnd));
static_assert(PTL_EVENT_SEND_START == static_cast<int>(EventKind::kSendStart) &&
              PTL_EVENT_SEND_END == static_cast<int>(EventKind::kSendEnd));
static_assert(PTL_EVENT_ACK == static_cast<int>(EventKind::kAck) &&
              PTL_EVENT_UNLINK == static_cast<int>(EventKind::kUnlink));
static_assert(PTL_NI_OK == static_cast<int>(portals::Failure::kNone) &&
              PTL_NI_FAIL == static_cast<int>(portals::Failure::kFailed));
static_assert(PTL_NI_PEER_DEAD == static_cast<int>(portals::Failure::kPeerDead) &&
              PTL_NI_SHUTDOWN == static_cast<int>(portals::Failure::kShutdown));

void translate(const Event& event, std::uint32_t interface, ptl_event_t& out) {
  out.type = static_cast<ptl_event_kind_t>(event.kind);
  out.initiator = {event.initiator.nid.value, event.initiator.pid.value};
  out.uid = event.user.value;
  out.jid = event.job.value;
  out.pt_index = event.portal_index;
  out.match_bits = event.match_bits;
  out.rlength = event.requested_length;
  out.mlength = event.manipulated_length;
  out.offset = event.offset;
  out.md_handle = encode(HandleKind::kDescriptor, interface, event.descriptor);
  out.md = to_ptl_md(event.snapshot, interface);
  out.hdr_data = event.header_data;
  out.link = event.link;
  out.ni_fail_type = static_cast<ptl_ni_fail_t>(event.failure);
  out.sequence = event.sequence;
}

int poll(ptl_handle_eq_t* eqs, int size, ptl_time_t timeout, ptl_event_t* event, int* which) {
  Process* process = current_process();
  if (process == nullptr) return PTL_NO_INIT;
  boost::container::small_vector<QueueName, 8> names;
  for (int i = 0; i < size; ++i) {
    const Decoded decoded = decode(eqs[i]);
    const bool good =
        decoded.kind == HandleKind::kQueue && decoded.interface == decode(eqs[0]).interface;
    names.push_back({static_cast<std::uint8_t>(decoded.interface), good ? decoded.id : SlotId{}});
  }
  int code = PTL_EQ_EMPTY;
  ptl_eq_handler_t handler = nullptr;
  {
    const MutexLock lock(process->lock());
    QueueWait wait(*process, {names.data(), names.size()});
    const TimePoint deadline = QueueWait::deadline_in(*process, timeout, PTL_TIME_FOREVER);
    switch (wait.run(deadline)) {
      case QueueWait::WaitEnd::kNothing:
      case QueueWait::WaitEnd::kStopped: return PTL_EQ_EMPTY;
      case QueueWait::WaitEnd::kInvalid:
      case QueueWait::WaitEnd::kFreed: code = PTL_EQ_INVALID; break;
      case QueueWait::WaitEnd::kReady: code = wait.after_loss() ? PTL_EQ_DROPPED : PTL_OK; break;
    }
    if (which != nullptr) *which = static_cast<int>(wait.index());
    if (code != PTL_EQ_INVALID) {
      translate(wait.event(), names[wait.index()].interface_kind, *event);
      handler = reinterpret_cast<ptl_eq_handler_t>(wait.face_data());
    }
  }
  // No lock is held here: a handler may call any function that does not wait for events.
  if (handler != nullptr) handler(event);
  return code;
}

}  // namespace

extern "C" {

int PtlEQAlloc(ptl_handle_ni_t ni, ptl_size_t count, ptl_eq_handler_t handler,
               ptl_handle_eq_t* eq) {
  if (eq == nullptr) return PTL_SEGV;
  return with_interface(ni, HandleKind::kInterface, PTL_NI_INVALID,
                        [&](Process&, NetworkInterface& interface, SlotId) LINTEL_REQUIRES(kLock) {
                          if (count == 0) {
                            *eq = PTL_EQ_NONE;
                            return static_cast<int>(PTL_OK);
                          }
                          SlotId made;
                          const Status status = interface.events.allocate_queue(
                              count, reinterpret_cast<EventQueue::FaceData>(handler), made);
                          if (status == Status::kOk)
                            *eq = encode(HandleKind::kQueue, interface.kind(), made);
                          return return_code(status);
                        });
}

int PtlEQFree(ptl_handle_eq_t eq) {
  return with_interface(eq, HandleKind::kQueue, PTL_EQ_INVALID,
                        [](Process& process, NetworkInterface& interface, SlotId id)
                            LINTEL_REQUIRES(kLock) {
                              const Status status = interface.events.free_queue(id);
                              process.progress().wake_all();
                              return return_code(status);
                            });
}

int PtlEQGet(ptl_handle_eq_t eq, ptl_event_t* event) {
  if (event == nullptr) return PTL_SEGV;
  return poll(&eq, 1, 0, event, nullptr);
}

int PtlEQWait(ptl_handle_eq_t eq, ptl_event_t* event) {
  if (event == nullptr) return PTL_SEGV;
  return poll(&eq, 1, PTL_TIME_FOREVER, event, nullptr);
}

int PtlEQPoll(ptl_handle_eq_t* eqs, int size, ptl_time_t timeout, ptl_event_t* event, int* which) {
  if (eqs == nullptr || event == nullptr || which == nullptr) return PTL_SEGV;
  if (current_process() == nullptr) return PTL_NO_INIT;
  if (size <= 0) {
    *which = 0;
    return PTL_EQ_INVALID;
  }
  return poll(eqs, size, timeout, event, which);
}

}  // extern "C"
