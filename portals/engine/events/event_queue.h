#pragma once
// EventQueue: a ring of events that accepts every event. When it is full, the oldest unread event
// is lost, and the reader is notified. A queue that was made to grow loses none while there is
// memory.
//
// Owned by the interface's pool. Guarded by the process' lock.
// Invariants: (1) sequence numbers grow by one for each event, lost or not, and wrap; (2) owed() is
// the number of events that operations under way will still deposit. Of these, the events of
// messages that were matched here are counted separately, because PtlMDUpdate regards a queue as
// empty only if there are none; (3) the capacity is a power of two; (4) a queue that grows does not
// shrink.
// More than 30 members, because it has many counts, and functions of one line that return them.
// Does not: block, wake threads (`sleepers` says whether there are any), or call handlers.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <type_traits>

#include "base/slot_pool.h"
#include "portals/engine/events/event.h"

namespace lintel::portals {

class EventQueue {
 public:
  // A value of the C interface that is returned with each event: its event handler. The engine does
  // not use it.
  using FaceData = void (*)();

  // Has room for at least `count` events. With `spare` it has room for exactly `count`, and for
  // `spare` more that are deposited by deposit_spare(). If it `grows` it has no spare room, and
  // deposit() loses an event only if there is no memory. REQUIRES: 0 < count <= kMaxQueueEvents.
  // Allocates the ring; its pages become resident as events come.
  EventQueue(std::uint64_t count, FaceData face_data, std::uint32_t spare = 0, bool grows = false);
  EventQueue(const EventQueue&) = delete;
  EventQueue& operator=(const EventQueue&) = delete;

  // The sequence number of the next event.
  std::uint32_t next_sequence() const { return next_sequence_; }

  // Appends a copy of `event` with its sequence number. Returns that number, and whether the oldest
  // event was lost by this.
  struct Deposited {
    std::uint32_t sequence;
    bool lost_one;
  };
  Deposited deposit(const Event& event);
  // The same for an event that the caller fills in in the ring. Only its sequence number is set.
  // The caller fills it in before it calls another function of this class.
  struct Placed {
    Event& event;
    bool lost_one;
  };
  Placed place() { return append(unread() - unread_spare_ >= capacity_); }
  // The same for PORTAL_DISABLED, which uses the spare room, so that it makes no other event be
  // lost.
  Deposited deposit_spare(const Event& event);

  enum class Taken : std::uint8_t { kEmpty, kEvent, kEventAfterLoss };
  // Takes the oldest event that is left. `event` points into the ring, and is valid until the next
  // deposit.
  Taken take(const Event*& event);

  void owe(std::uint32_t events) { owed_ += events; }
  void settle(std::uint32_t events);
  // The same for one event, of kind `end`, that ends an operation.
  void owe_end(EventKind end) {
    ++owed_;
    arriving_ += is_arrival(end) ? 1U : 0U;
  }
  void settle_end(EventKind end);
  std::uint64_t owed() const { return owed_; }
  std::uint64_t unread() const { return written_ - read_; }
  // There is no unread event, and none will come of a message that is already matched. Events of
  // operations that this process has started do not count.
  bool quiet() const { return unread() == 0 && arriving_ == 0; }
  // Whether there is room for the event of one more message of another process. A queue that does
  // not grow may lose events instead. One that grows has room for kMostGrown, because the program
  // may not take any for a long time, in which processes can send any number of messages.
  bool takes_message() {
    return !grows_ || unread() < capacity_ || (capacity_ < kMostGrown && grow());
  }
  static constexpr std::uint64_t kMostGrown = std::uint64_t{1} << 19;

  std::uint64_t capacity() const { return capacity_; }
  // How many more events have room, after all events that are owed.
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
  std::uint64_t arriving_ = 0;      // of the owed events, those of messages that were matched here
  std::uint64_t unread_spare_ = 0;  // of the unread events, those of deposit_spare()
  std::uint32_t next_sequence_;
  bool lost_ = false;  // since the last take()
  bool grows_;
  FaceData face_data_;
  // Memory without constructed events, so that a large queue uses memory only as it fills.
  struct alignas(Event) EventSlot {
    std::byte bytes[sizeof(Event)];
  };
  static_assert(std::is_trivially_copyable_v<Event> && std::is_trivially_destructible_v<Event>);
  std::unique_ptr<EventSlot[]> ring_;
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
  // A reader that keeps up then uses the same few cache lines for all events.
  if (unread() == 0) read_ = written_ = 0;
  const bool after_loss = lost_;
  lost_ = false;
  return after_loss ? Taken::kEventAfterLoss : Taken::kEvent;
}

}  // namespace lintel::portals
