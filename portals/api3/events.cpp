// Event queues (clause 3.11).

#include <climits>

#include "portals/api3/descriptor_rules.h"
#include "portals/api3/library.h"
#include "portals/api3/return_code.h"

using namespace lintel;
using namespace lintel::api3;
using portals::Event;
using portals::EventKind;
using portals::EventQueue;
using portals::NetworkInterface;
using portals::Process;
using portals::Status;

namespace {

static_assert(PTL_EVENT_GET_START == static_cast<int>(EventKind::kGetStart) && PTL_EVENT_GET_END == static_cast<int>(EventKind::kGetEnd));
static_assert(PTL_EVENT_PUT_START == static_cast<int>(EventKind::kPutStart) && PTL_EVENT_PUT_END == static_cast<int>(EventKind::kPutEnd));
static_assert(PTL_EVENT_GETPUT_START == static_cast<int>(EventKind::kGetPutStart) &&
              PTL_EVENT_GETPUT_END == static_cast<int>(EventKind::kGetPutEnd));
static_assert(PTL_EVENT_REPLY_START == static_cast<int>(EventKind::kReplyStart) &&
              PTL_EVENT_REPLY_END == static_cast<int>(EventKind::kReplyEnd));
static_assert(PTL_EVENT_SEND_START == static_cast<int>(EventKind::kSendStart) &&
              PTL_EVENT_SEND_END == static_cast<int>(EventKind::kSendEnd));
static_assert(PTL_EVENT_ACK == static_cast<int>(EventKind::kAck) && PTL_EVENT_UNLINK == static_cast<int>(EventKind::kUnlink));
static_assert(PTL_NI_OK == static_cast<int>(portals::Failure::kNone) && PTL_NI_FAIL == static_cast<int>(portals::Failure::kFailed));
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

ptl_eq_handler_t handler_of(const EventQueue& queue) { return reinterpret_cast<ptl_eq_handler_t>(queue.face_data()); }

constexpr TimePoint kAtOnce{0};

// One look at several queues, and then waiting for any of them.
class Poll final : private portals::Condition {
 public:
  Poll(Process& process, ptl_handle_eq_t* handles, int size, ptl_event_t* event, int* which)
      : process_(process), handles_(handles), size_(size), event_(event), which_(which) {}

  // REQUIRES the lock; lets it go while it waits.
  int run(TimePoint deadline) LINTEL_NO_THREAD_SAFETY_ANALYSIS {
    if (look()) return code_;
    if (deadline == kAtOnce) {
      process_.progress().advance();
      look();
      return code_;
    }
    process_.progress().wait_until(*this, deadline);
    return code_;
  }

  // Of the event that was returned, or null.
  ptl_eq_handler_t handler() const { return handler_; }

 private:
  bool holds() override { return look(); }

  void asleep(bool asleep) override {
    for (int i = 0; i < size_; ++i) {
      // Freed while we slept: its count went with it.
      if (EventQueue* sleeping_on = queue(i)) asleep ? ++sleeping_on->sleepers : --sleeping_on->sleepers;
    }
  }

  EventQueue* queue(int index) LINTEL_NO_THREAD_SAFETY_ANALYSIS {
    const Decoded decoded = decode(handles_[index]);
    if (decoded.kind != HandleKind::kQueue || decoded.interface != decode(handles_[0]).interface) return nullptr;
    NetworkInterface* interface = process_.interface(decoded.interface);
    return interface != nullptr ? interface->queue(decoded.id) : nullptr;
  }

  // True when there is an answer: an event, or a queue that is none. All handles must be good, also those behind the first event.
  bool look() {
    EventQueue* ready = nullptr;
    int index = 0;
    for (int i = 0; i < size_; ++i) {
      EventQueue* const candidate = queue(i);
      if (candidate == nullptr) {
        code_ = PTL_EQ_INVALID;
        if (which_ != nullptr) *which_ = i;
        return true;
      }
      if (ready == nullptr && candidate->unread() > 0) {
        ready = candidate;
        index = i;
      }
    }
    if (ready == nullptr) return false;
    Event event;
    const EventQueue::Taken taken = ready->take(event);
    translate(event, decode(handles_[index]).interface, *event_);
    handler_ = handler_of(*ready);
    if (which_ != nullptr) *which_ = index;
    code_ = taken == EventQueue::Taken::kEventAfterLoss ? PTL_EQ_DROPPED : PTL_OK;
    return true;
  }

  Process& process_;
  ptl_handle_eq_t* handles_;
  int size_;
  ptl_event_t* event_;
  int* which_;
  int code_ = PTL_EQ_EMPTY;
  ptl_eq_handler_t handler_ = nullptr;
};

int poll(ptl_handle_eq_t* eqs, int size, ptl_time_t timeout, ptl_event_t* event, int* which) {
  Process* process = current_process();
  if (process == nullptr) return PTL_NO_INIT;
  int code = PTL_EQ_EMPTY;
  ptl_eq_handler_t handler = nullptr;
  {
    const MutexLock lock(process->lock());
    Poll poll(*process, eqs, size, event, which);
    TimePoint deadline = kAtOnce;
    if (timeout == PTL_TIME_FOREVER) {
      deadline = kNever;
    } else if (timeout != 0) {
      deadline = process->now() + std::chrono::milliseconds(timeout);
    }
    code = poll.run(deadline);
    handler = poll.handler();
  }
  // With no lock held: a handler may call what it likes but to wait.
  if (handler != nullptr) handler(event);
  return code;
}

}  // namespace

extern "C" {

int PtlEQAlloc(ptl_handle_ni_t ni, ptl_size_t count, ptl_eq_handler_t handler, ptl_handle_eq_t* eq) {
  if (eq == nullptr) return PTL_SEGV;
  return with_interface(ni, HandleKind::kInterface, PTL_NI_INVALID, [&](Process&, NetworkInterface& interface, SlotId) {
    if (count == 0) {
      *eq = PTL_EQ_NONE;
      return static_cast<int>(PTL_OK);
    }
    SlotId made;
    const Status status = interface.allocate_queue(count, reinterpret_cast<EventQueue::FaceData>(handler), made);
    if (status == Status::kOk) *eq = encode(HandleKind::kQueue, interface.kind(), made);
    return return_code(status);
  });
}

int PtlEQFree(ptl_handle_eq_t eq) {
  return with_interface(eq, HandleKind::kQueue, PTL_EQ_INVALID, [](Process& process, NetworkInterface& interface, SlotId id) {
    const Status status = interface.free_queue(id);
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
