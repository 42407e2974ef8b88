#pragma once
// QueueWait: one look at several event queues, and then waiting for an event in any of them. What PtlEQGet, PtlEQWait and PtlEQPoll of both APIs are made of.
//
// Made on the caller's stack for one call; borrows the process and the names. Thread: one; every member REQUIRES the process' lock, which waiting lets go.
// Does not: translate events, or call handlers.

#include <atomic>
#include <cstdint>
#include <span>

#include "portals/engine/event_queue.h"
#include "portals/engine/process.h"

namespace lintel::portals {

struct QueueName {
  std::uint8_t interface_kind;
  SlotId id;
};

class QueueWait final : private Condition {
 public:
  enum class Outcome : std::uint8_t { kNothing, kEvent, kEventAfterLoss, kInvalid, kStopped };
  static constexpr TimePoint kAtOnce{0};

  // All names must be good, also those behind the first event; one that is not is the answer. `stop`, if given, ends the wait when it is set.
  QueueWait(Process& process, std::span<const QueueName> queues, const std::atomic<bool>* stop = nullptr)
      : process_(process), queues_(queues), stop_(stop) {}

  // kAtOnce: looks, drives the engine one turn if there is nothing, and looks again. kNever: waits for ever.
  Outcome run(TimePoint deadline);

  // After kEvent and kEventAfterLoss.
  const Event& event() const { return event_; }
  EventQueue::FaceData face_data() const { return face_data_; }
  // The queue that has answered: with an event, or by not being one.
  std::size_t index() const { return index_; }

 private:
  bool holds() override { return look(); }
  void asleep(bool asleep) override;
  EventQueue* queue(std::size_t index);
  bool look();

  Process& process_;
  std::span<const QueueName> queues_;
  const std::atomic<bool>* stop_;
  Outcome outcome_ = Outcome::kNothing;
  Event event_;
  EventQueue::FaceData face_data_ = nullptr;
  std::size_t index_ = 0;
};

}  // namespace lintel::portals
