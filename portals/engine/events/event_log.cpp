#include "portals/engine/events/event_log.h"

#include <new>

#include "portals/engine/values/interface_limits.h"

namespace lintel::portals {

Status EventLog::allocate_queue(std::uint64_t count, EventQueue::FaceData face_data, SlotId& made,
                                std::uint32_t spare, bool grows) {
  if (count == 0 || count > kMaxQueueEvents) return Status::kNoSpace;
  try {
    const auto [queue, id] = queues_.create(count, face_data, spare, grows);
    if (queue == nullptr) return Status::kNoSpace;
    queue->id = id;
    made = id;
    return Status::kOk;
  } catch (const std::bad_alloc&) {
    return Status::kNoSpace;
  }
}

Status EventLog::free_queue(SlotId id) {
  const EventQueue* const queue = queues_.get(id);
  if (queue == nullptr) return Status::kQueueInvalid;
  if (queue->sleepers > 0) pending_work_.wake_needed = true;
  descriptors_.forget_queue(id);
  queues_.destroy(id);
  return Status::kOk;
}

Status EventLog::test_quiet(SlotId id) {
  if (id.generation == 0) return Status::kOk;
  const EventQueue* const queue = queues_.get(id);
  if (queue == nullptr) return Status::kQueueInvalid;
  return queue->quiet() ? Status::kOk : Status::kNoUpdate;
}

void EventLog::log_entry_event(const MemoryDescriptor& descriptor, EventKind kind,
                               std::uint32_t portal_index, Failure failure) {
  EventQueue* const queue = queues_.get(descriptor.queue());
  if (queue == nullptr) return;
  Event event;
  fill(event, descriptor, kind);
  event.failure = failure;
  event.portal_index = portal_index;
  event.user_pointer = descriptor.snapshot().user_pointer;
  deposit(*queue, event);
}

void EventLog::peer_lost(ProcessId peer) {
  EventQueue* const queue = queues_.get(losses_queue_);
  if (queue == nullptr) return;
  Event event;
  event.kind = EventKind::kPeerLost;
  event.failure = Failure::kPeerDead;
  event.initiator = peer;
  deposit(*queue, event);
}

void EventLog::drop_all() {
  queues_.for_each([this](SlotId id, EventQueue& queue) {
    kLock.is_held();
    if (queue.sleepers > 0) pending_work_.wake_needed = true;
    queues_.destroy(id);
  });
}

}  // namespace lintel::portals
