#include "event_queue.h"

#include <fmt/format.h>

#include "failure.h"
#include "portals_call.h"

namespace lintel::perf {

EventQueue::EventQueue(ptl_handle_ni_t ni, std::uint64_t capacity) : ni_(ni) {
  check_call(PtlEQAlloc(ni, capacity, PTL_EQ_HANDLER_NONE, &handle_), "PtlEQAlloc");
}

EventQueue::~EventQueue() {
  if (stop_reason_.empty()) PtlEQFree(handle_);
}

void EventQueue::stop(const std::string& reason) {
  const std::lock_guard lock(mutex_);
  if (!stop_reason_.empty()) return;
  stop_reason_ = reason;
  PtlEQFree(handle_);  // its waiters return PTL_EQ_INVALID
}

void EventQueue::reject(int code, const ptl_event_t& event) {
  {
    const std::lock_guard lock(mutex_);
    if (!stop_reason_.empty()) throw PeerLost(stop_reason_);
  }
  if (code == PTL_EQ_DROPPED)
    throw Failure(ExitCode::kFailed, "PtlEQWait reports PTL_EQ_DROPPED; expected a queue that is large enough for this window");
  check_call(code, "PtlEQWait");
  const std::string sentence =
      fmt::format("{} reports {}; expected PTL_NI_OK", PtlEventKindStr(event.type), PtlNIFailStr(ni_, event.ni_fail_type));
  if (event.ni_fail_type == PTL_NI_PEER_DEAD) throw PeerLost(sentence);
  throw Failure(ExitCode::kFailed, sentence);
}

}  // namespace lintel::perf
