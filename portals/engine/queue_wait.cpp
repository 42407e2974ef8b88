#include "portals/engine/queue_wait.h"

namespace lintel::portals {

QueueWait::Outcome QueueWait::run(TimePoint deadline) {
  if (look()) return outcome_;
  if (deadline == kAtOnce) {
    process_.progress().advance();
    look();
  } else {
    process_.progress().wait_until(*this, deadline);
  }
  return outcome_;
}

void QueueWait::asleep(bool asleep) {
  for (std::size_t i = 0; i < queues_.size(); ++i) {
    // Freed while we slept: its count went with it.
    if (EventQueue* sleeping_on = queue(i)) asleep ? ++sleeping_on->sleepers : --sleeping_on->sleepers;
  }
}

EventQueue* QueueWait::queue(std::size_t index) LINTEL_NO_THREAD_SAFETY_ANALYSIS {
  NetworkInterface* interface = process_.interface(queues_[index].interface_kind);
  return interface != nullptr ? interface->queue(queues_[index].id) : nullptr;
}

// True when there is an answer.
bool QueueWait::look() {
  if (stop_ != nullptr && stop_->load(std::memory_order_relaxed)) {
    outcome_ = Outcome::kStopped;
    return true;
  }
  EventQueue* ready = nullptr;
  for (std::size_t i = 0; i < queues_.size(); ++i) {
    EventQueue* const candidate = queue(i);
    if (candidate == nullptr) {
      outcome_ = Outcome::kInvalid;
      index_ = i;
      return true;
    }
    if (ready == nullptr && candidate->unread() > 0) {
      ready = candidate;
      index_ = i;
    }
  }
  if (ready == nullptr) return false;
  outcome_ = ready->take(event_) == EventQueue::Taken::kEventAfterLoss ? Outcome::kEventAfterLoss : Outcome::kEvent;
  face_data_ = ready->face_data();
  return true;
}

}  // namespace lintel::portals
