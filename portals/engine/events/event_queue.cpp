#include "portals/engine/events/event_queue.h"

#include <bit>
#include <new>
#include <utility>

#include "base/assert.h"
#include "portals/engine/values/interface_limits.h"

namespace lintel::portals {

// The first number is `capacity` below the wrap, so that wrapping is tested in every longer run,
// and not only after four thousand million events.
EventQueue::EventQueue(std::uint64_t count, FaceData face, std::uint32_t spare, bool grows)
    : mask_(std::bit_ceil(count + spare) - 1),
      capacity_(spare == 0 ? mask_ + 1 : count),
      next_sequence_(static_cast<std::uint32_t>(0 - (mask_ + 1))),
      grows_(grows),
      face_data_(face),
      ring_(std::make_unique_for_overwrite<EventSlot[]>(mask_ + 1)) {
  LINTEL_ASSERT(count > 0 && count <= kMaxQueueEvents && !(grows && spare > 0));
}

EventQueue::Deposited EventQueue::deposit(const Event& event) { return put(event, place()); }

EventQueue::Deposited EventQueue::deposit_spare(const Event& event) {
  LINTEL_ASSERT(event.kind == EventKind::kPortalDisabled);
  const Deposited deposited = put(event, append(false));
  ++unread_spare_;
  return deposited;
}

EventQueue::Placed EventQueue::append(bool full) {
  full = (full || unread() > mask_) && !(grows_ && grow());
  if (full) {
    leave_oldest();
    lost_ = true;
  }
  Event* placed = new (ring_[written_ & mask_].bytes) Event;
  placed->sequence = next_sequence_++;
  ++written_;
  return {*placed, full};
}

EventQueue::Deposited EventQueue::put(const Event& event, Placed placed) {
  const std::uint32_t sequence = placed.event.sequence;
  placed.event = event;
  placed.event.sequence = sequence;
  return {sequence, placed.lost_one};
}

// Doubles the ring, the unread events first. False: there is no memory, and nothing has changed.
bool EventQueue::grow() {
  std::unique_ptr<EventSlot[]> ring(new (std::nothrow) EventSlot[2 * (mask_ + 1)]);
  if (!ring) return false;
  const std::uint64_t events = unread();
  for (std::uint64_t i = 0; i < events; ++i) ring[i] = ring_[(read_ + i) & mask_];
  ring_ = std::move(ring);
  mask_ = 2 * mask_ + 1;
  capacity_ = mask_ + 1;
  read_ = 0;
  written_ = events;
  return true;
}

void EventQueue::settle(std::uint32_t events) {
  LINTEL_ASSERT(owed_ >= events);
  owed_ -= events;
}

void EventQueue::settle_end(EventKind end) {
  settle(1);
  const std::uint64_t arrivals = is_arrival(end) ? 1 : 0;
  LINTEL_ASSERT(arriving_ >= arrivals);
  arriving_ -= arrivals;
}

}  // namespace lintel::portals
