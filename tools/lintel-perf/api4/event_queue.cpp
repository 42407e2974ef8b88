#include "event_queue.h"

#include <fmt/format.h>

#include "failure.h"
#include "portals4_call.h"

namespace lintel::perf::api4 {

EventQueue::EventQueue(ptl_handle_ni_t ni, std::uint64_t capacity, std::uint64_t length) : length_(length) {
  check_call(PtlEQAlloc(ni, capacity, &handle_), "PtlEQAlloc");
}

EventQueue::~EventQueue() {
  if (!stop_reason_.is_set()) PtlEQFree(handle_);
}

void EventQueue::stop(const std::string& reason) {
  stop_reason_.set(reason, [this] { PtlEQFree(handle_); });  // its waiters return PTL_ABORTED
}

void EventQueue::reject_moved(const ptl_event_t& event) const { reject_length(event_name(event.type).c_str(), event.mlength, length_); }

void EventQueue::reject(int code, const ptl_event_t& event) {
  stop_reason_.throw_if_set();
  if (code == PTL_EQ_DROPPED) reject_lost_events();
  check_call(code, "PtlEQWait");
  const std::string sentence = fmt::format("{} reports {}; expected PTL_NI_OK", event_name(event.type), failure_name(event.ni_fail_type));
  if (event.ni_fail_type == PTL_NI_UNDELIVERABLE) throw PeerLost(sentence);
  throw Failure(ExitCode::kFailed, sentence);
}

}  // namespace lintel::perf::api4
