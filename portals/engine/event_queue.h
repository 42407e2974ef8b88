#pragma once
// EventQueue: a ring of events that never refuses one: when it is full, the oldest unread event is
// lost and the reader is told; or, if it was made so, it grows, and loses none while there is
// memory.
//
// Owned by the interface's pool. Guarded by the endpoint's lock.
// Invariants: (1) sequence numbers grow by one per event, lost or not, and wrap; (2) owed() counts
//             events that operations under way will still deposit, and of these apart those of
//             messages that have been matched here, so that "empty" can mean "and no message is on
//             its way to memory" (PtlMDUpdate); (3) capacity is a power of two;
//             (4) a queue that grows does not shrink.
// Does not: block, wake threads (it says that somebody sleeps on it), or call handlers.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <type_traits>

#include "base/slot_pool.h"
#include "portals/engine/event.h"

namespace lintel::portals {

class EventQueue {
 public:
  // Opaque to the engine: the API face's own, handed back with each event (its handler).
  using FaceData = void (*)();

  // Room for at least `count` events; with `spare` room for exactly `count`, and for so many more
  // that come by deposit_spare();
  // if it `grows` it has no spare room, and deposit() loses an event only for want of memory.
  // REQUIRES: 0 < count <= kMaxQueueEvents. Allocates the ring; pages are touched as events come.
  EventQueue(std::uint64_t count, FaceData face_data, std::uint32_t spare = 0, bool grows = false);
  EventQueue(const EventQueue&) = delete;
  EventQueue& operator=(const EventQueue&) = delete;

  // The number that the next event will carry.
  std::uint32_t next_sequence() const { return next_sequence_; }

  // Appends a copy of `event` with its sequence number. Returns that number, and whether the oldest
  // event was lost for it.
  struct Deposited {
    std::uint32_t sequence;
    bool lost_one;
  };
  Deposited deposit(const Event& event);
  // The same for an event that the caller writes where it stays: fresh but for its sequence number,
  // and to be filled in before anything else happens here.
  struct Placed {
    Event& event;
    bool lost_one;
  };
  Placed place() { return append(unread() - unread_spare_ >= capacity_); }
  // The same for PORTAL_DISABLED, which must not push out others, nor take their room: some is set
  // aside for it.
  Deposited deposit_spare(const Event& event);

  enum class Taken : std::uint8_t { kEmpty, kEvent, kEventAfterLoss };
  // Takes the oldest surviving event. It stands in the ring, and there until the next deposit at
  // least.
  Taken take(const Event*& event);

  void owe(std::uint32_t events) { owed_ += events; }
  void settle(std::uint32_t events);
  // The same for one event, that of kind `end` with which an operation ends.
  void owe_end(EventKind end) {
    ++owed_;
    arriving_ += is_arrival(end) ? 1U : 0U;
  }
  void settle_end(EventKind end);
  std::uint64_t owed() const { return owed_; }
  std::uint64_t unread() const { return written_ - read_; }
  // Nothing unread, and no message that has been matched is still to be told of. What this process
  // has started itself does not count: it knows of that.
  bool quiet() const { return unread() == 0 && arriving_ == 0; }

  std::uint64_t capacity() const { return capacity_; }
  // How many more events would push out none, those that are owed included.
  std::uint64_t room() const {
    return capacity_ - std::min(capacity_, unread() - unread_spare_ + owed_);
  }
  FaceData face_data() const { return face_data_; }

  SlotId id;                   // in the interface's pool; set once after creation
  std::uint32_t sleepers = 0;  // threads that sleep until an event comes

 private:
  Placed append(bool full);
  static Deposited put(const Event& event, Placed placed);
  [[gnu::cold]] bool grow();
  void leave_oldest();

  std::uint64_t mask_;
  std::uint64_t capacity_;
  std::uint64_t written_ = 0;
  std::uint64_t read_ = 0;
  std::uint64_t owed_ = 0;
  std::uint64_t arriving_ = 0;      // of the owed events, those that tell of a message which has
                                    // been matched here
  std::uint64_t unread_spare_ = 0;  // of the unread events, those of deposit_spare()
  std::uint32_t next_sequence_;
  bool lost_ = false;  // since the last take()
  bool grows_;
  FaceData face_data_;
  // Room without constructed events, so that a large queue costs memory only as it fills.
  struct alignas(Event) Slot {
    std::byte bytes[sizeof(Event)];
  };
  static_assert(std::is_trivially_copyable_v<Event> && std::is_trivially_destructible_v<Event>);
  std::unique_ptr<Slot[]> ring_;
};

inline void EventQueue::leave_oldest() {
  const Event& oldest = *std::launder(reinterpret_cast<const Event*>(ring_[read_ & mask_].bytes));
  if (oldest.kind == EventKind::kPortalDisabled) --unread_spare_;
  ++read_;
}

inline EventQueue::Taken EventQueue::take(const Event*& event) {
  if (unread() == 0) return Taken::kEmpty;
  event = std::launder(reinterpret_cast<const Event*>(ring_[read_ & mask_].bytes));
  leave_oldest();
  // A reader that keeps up finds its events in the same few lines of the cache.
  if (unread() == 0) read_ = written_ = 0;
  const bool after_loss = lost_;
  lost_ = false;
  return after_loss ? Taken::kEventAfterLoss : Taken::kEvent;
}

}  // namespace lintel::portals
