#pragma once
// QueueWait: waits until there is an event in one of several event queues, and takes it. PtlEQGet,
// PtlEQWait and PtlEQPoll of both APIs use it.
//
// Does not: translate events, or call handlers.

#include "portals/engine/events/event_queue.h"
#include "portals/engine/process/object_wait.h"

namespace lintel::portals {

struct QueueName {
  std::uint8_t interface_kind;
  SlotId id;
};

class QueueWait final : public ObjectWait<QueueWait, EventQueue, QueueName> {
 public:
  QueueWait(Process& process, std::span<const QueueName> queues,
            const std::atomic<bool>* stop = nullptr)
      : ObjectWait(process, queues, stop) {}

  // Valid after kReady, until the lock is released.
  const Event& event() const { return *event_; }
  EventQueue::FaceData face_data() const { return face_data_; }
  // Events before this one were lost.
  bool after_loss() const { return after_loss_; }

 private:
  friend ObjectWait;
  static EventQueue* find(NetworkInterface& interface, SlotId id) LINTEL_REQUIRES(kLock) {
    return interface.events.queue(id);
  }
  static bool is_ready(const EventQueue& queue, const QueueName&) { return queue.unread() > 0; }
  void take(EventQueue& queue) {
    after_loss_ = queue.take(event_) == EventQueue::Taken::kEventAfterLoss;
    face_data_ = queue.face_data();
  }

  const Event* event_ = nullptr;
  EventQueue::FaceData face_data_ = nullptr;
  bool after_loss_ = false;
};

}  // namespace lintel::portals
