#include "portals/engine/event_queue.h"

#include <bit>
#include <new>
#include <utility>

#include "base/assert.h"
#include "portals/engine/limits.h"

namespace lintel::portals {

// The first number lies `capacity` before the wrap, so that wrapping is met in every long enough run and not after four thousand million events.
EventQueue::EventQueue(std::uint64_t count, FaceData face, std::uint32_t spare, bool grows)
    : mask_(std::bit_ceil(count + spare) - 1),
      capacity_(spare == 0 ? mask_ + 1 : count),
      next_sequence_(static_cast<std::uint32_t>(0 - (mask_ + 1))),
      grows_(grows),
      face_data_(face),
      ring_(std::make_unique_for_overwrite<Slot[]>(mask_ + 1)) {
  LINTEL_ASSERT(count > 0 && count <= kMaxQueueEvents && !(grows && spare > 0));
}

EventQueue::Deposited EventQueue::deposit(const Event& event) { return append(event, unread() - unread_spare_ >= capacity_); }

EventQueue::Deposited EventQueue::deposit_spare(const Event& event) {
  LINTEL_ASSERT(event.kind == EventKind::kPortalDisabled);
  const Deposited deposited = append(event, false);
  ++unread_spare_;
  return deposited;
}

EventQueue::Deposited EventQueue::append(const Event& event, bool full) {
  full = (full || unread() > mask_) && !(grows_ && grow());
  if (full) {
    leave_oldest();
    lost_ = true;
  }
  Event* placed = new (ring_[written_ & mask_].bytes) Event(event);
  placed->sequence = next_sequence_;
  ++written_;
  return {next_sequence_++, full};
}

// To twice the size, the unread events first. False without memory; nothing has changed then.
bool EventQueue::grow() {
  std::unique_ptr<Slot[]> ring(new (std::nothrow) Slot[2 * (mask_ + 1)]);
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

void EventQueue::leave_oldest() {
  const Event& oldest = *std::launder(reinterpret_cast<const Event*>(ring_[read_ & mask_].bytes));
  if (oldest.kind == EventKind::kPortalDisabled) --unread_spare_;
  ++read_;
}

EventQueue::Taken EventQueue::take(const Event*& event) {
  if (unread() == 0) return Taken::kEmpty;
  event = std::launder(reinterpret_cast<const Event*>(ring_[read_ & mask_].bytes));
  leave_oldest();
  // A reader that keeps up finds its events in the same few lines of the cache.
  if (unread() == 0) read_ = written_ = 0;
  const bool after_loss = lost_;
  lost_ = false;
  return after_loss ? Taken::kEventAfterLoss : Taken::kEvent;
}

void EventQueue::settle(std::uint32_t events) {
  LINTEL_ASSERT(owed_ >= events);
  owed_ -= events;
}

}  // namespace lintel::portals
