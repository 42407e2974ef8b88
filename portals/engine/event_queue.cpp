#include "portals/engine/event_queue.h"

#include <bit>
#include <new>

#include "base/assert.h"
#include "portals/engine/limits.h"

namespace lintel::portals {

// The first number lies `capacity` before the wrap, so that wrapping is met in every long enough run and not after four thousand million events.
EventQueue::EventQueue(std::uint64_t count, FaceData face)
    : mask_(std::bit_ceil(count) - 1),
      next_sequence_(static_cast<std::uint32_t>(0 - (mask_ + 1))),
      face_data_(face),
      ring_(std::make_unique_for_overwrite<Slot[]>(mask_ + 1)) {
  LINTEL_ASSERT(count > 0 && count <= kMaxQueueEvents);
}

EventQueue::Deposited EventQueue::deposit(const Event& event) {
  const bool full = unread() == capacity();
  if (full) {
    ++read_;
    lost_ = true;
  }
  Event* placed = new (ring_[written_ & mask_].bytes) Event(event);
  placed->sequence = next_sequence_;
  ++written_;
  return {next_sequence_++, full};
}

EventQueue::Taken EventQueue::take(Event& event) {
  if (unread() == 0) return Taken::kEmpty;
  event = *std::launder(reinterpret_cast<const Event*>(ring_[read_ & mask_].bytes));
  ++read_;
  const bool after_loss = lost_;
  lost_ = false;
  return after_loss ? Taken::kEventAfterLoss : Taken::kEvent;
}

void EventQueue::settle(std::uint32_t events) {
  LINTEL_ASSERT(owed_ >= events);
  owed_ -= events;
}

}  // namespace lintel::portals
