#pragma once
// PortalTable: the portals of one interface: which exist, which accept messages, and how many
// operations are under way at each.
//
// Owned by the interface; owns its portals; borrows the event log and the process' pending_work.
// Guarded by the process' lock.
// Invariants: (1) `active` of a portal is the number of operations between enter() and leave(); (2)
// with flow control no message is dropped: a portal that would have to drop one accepts none any
// more, and reports this by PORTAL_DISABLED when the operations that it had accepted before have
// ended.
// Does not: make entries (entry_table.h) or unexpected headers (unexpected_messages.h).

#include <cstdint>
#include <vector>

#include "base/process_lock.h"
#include "portals/engine/events/completion.h"
#include "portals/engine/events/event_log.h"
#include "portals/engine/events/pending_work.h"
#include "portals/engine/matching/portal.h"
#include "portals/engine/values/status.h"

namespace lintel::portals {

class PortalTable {
 public:
  struct Rules {
    bool flow_control = false;
    bool enabled = true;
  };
  // Whether a message finds room for its unexpected header, and with flow control for its events.
  enum class Room : std::uint8_t { kEnough, kNoHeader, kQueueFull };

  // `all_enabled`: every portal accepts messages from the start, without allocate() (Portals 3).
  PortalTable(EventLog& events, std::uint32_t max_index, bool all_enabled,
              PendingWork& pending_work);

  std::uint32_t max_index() const LINTEL_REQUIRES(kLock) {
    return static_cast<std::uint32_t>(portals_.size() - 1);
  }
  // REQUIRES: index <= max_index().
  Portal& operator[](std::uint32_t index) LINTEL_REQUIRES(kLock) { return portals_[index]; }
  // Null if there is no such portal, or it is not allocated.
  Portal* existing(std::uint32_t index) LINTEL_REQUIRES(kLock) {
    return index <= max_index() && portals_[index].state != PortalState::kFree ? &portals_[index]
                                                                               : nullptr;
  }

  // `wanted`: an index, or kAnyId for the lowest free one. Errors: kPortalInvalid, kPortalInUse,
  // kPortalFull, kQueueInvalid.
  Status allocate(const Rules& rules, SlotId queue, std::uint32_t wanted, std::uint32_t& made)
      LINTEL_REQUIRES(kLock);
  // Errors: kPortalInvalid, kPortalInUse (an entry is in one of its lists).
  Status test_free(std::uint32_t index) LINTEL_REQUIRES(kLock);
  // REQUIRES: test_free() returns kOk; the portal has no unexpected header.
  void free(std::uint32_t index) LINTEL_REQUIRES(kLock);
  // The portal accepts no message from now on. Operations that it has accepted may be under way
  // until quiet(). Errors: kPortalInvalid.
  Status disable(std::uint32_t index) LINTEL_REQUIRES(kLock);
  Status enable(std::uint32_t index) LINTEL_REQUIRES(kLock);  // errors: kPortalInvalid
  bool quiet(std::uint32_t index) const LINTEL_REQUIRES(kLock) {
    return portals_[index].active == 0;
  }

  // An operation that a portal has accepted begins, and ends.
  void enter(Completion& completion) LINTEL_REQUIRES(kLock);
  void leave(std::uint32_t index, std::uint32_t turn) LINTEL_REQUIRES(kLock);
  // The portal has to refuse a message, because of `room`, or because no entry matched (`matched`
  // null). With flow control it disables itself.
  [[gnu::cold]] void refuse(Portal& portal, Room room, const MemoryDescriptor* matched)
      LINTEL_REQUIRES(kLock);

 private:
  [[gnu::cold]] void disable_itself(Portal& portal, bool reported) LINTEL_REQUIRES(kLock);
  [[gnu::cold]] void finish_disabling(Portal& portal) LINTEL_REQUIRES(kLock);
  [[gnu::cold]] void log_disabled(Portal& portal, std::uint32_t index) LINTEL_REQUIRES(kLock);

  EventLog& events_;
  std::vector<Portal> portals_ LINTEL_GUARDED_BY(kLock);
  PendingWork& pending_work_;
};

}  // namespace lintel::portals
