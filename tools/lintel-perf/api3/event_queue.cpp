#include "event_queue.h"

#include <fmt/format.h>

#include "failure.h"
#include "portals_call.h"

namespace lintel::perf::api3 {

EventQueue::EventQueue(ptl_handle_ni_t ni, std::uint64_t capacity, std::uint64_t length, bool only_arrivals)
    : ni_(ni), length_(length), only_arrivals_(only_arrivals) {
  check_call(PtlEQAlloc(ni, capacity, PTL_EQ_HANDLER_NONE, &handle_), "PtlEQAlloc");
}

EventQueue::~EventQueue() {
  if (!stop_reason_.is_set()) PtlEQFree(handle_);
}

void EventQueue::stop(const std::string& reason) {
  stop_reason_.set(reason, [this] { PtlEQFree(handle_); });  // its waiters return PTL_EQ_INVALID
}

// This queue holds nothing but PUT_END, so the sequence tells of those that were overwritten too.
Taken EventQueue::arrivals(bool lost, const ptl_event_t& event) {
  if (lost && !last_arrival_) throw Failure(ExitCode::kFailed, "events were lost before the first was seen; expected fewer --iterations");
  Taken taken = moved(Moment::kArrived, event);
  if (last_arrival_) taken.count = static_cast<ptl_seq_t>(event.sequence - *last_arrival_);
  last_arrival_ = event.sequence;
  return taken;
}

void EventQueue::reject(int code, const ptl_event_t& event) {
  stop_reason_.throw_if_set();
  if (code == PTL_EQ_DROPPED) reject_lost_events();
  check_call(code, "PtlEQWait");
  const std::string sentence =
      fmt::format("{} reports {}; expected PTL_NI_OK", PtlEventKindStr(event.type), PtlNIFailStr(ni_, event.ni_fail_type));
  if (event.ni_fail_type == PTL_NI_PEER_DEAD) throw PeerLost(sentence);
  throw Failure(ExitCode::kFailed, sentence);
}

}  // namespace lintel::perf::api3
