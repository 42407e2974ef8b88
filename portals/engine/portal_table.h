#pragma once
// PortalTable: the portals of one interface: which exist, which take messages, and what is under
// way at each.
//
// Owned by the interface; owns its portals; borrows the event log and the process' attention.
// Guarded by the process' lock. Invariants: (1) `active` of a portal is the number of operations
//             between enter() and leave(); (2) with flow control nothing is dropped: a portal that
//             would have to drop takes nothing any more, and says so by PORTAL_DISABLED when what
//             it had taken by then is done.
// Does not: make entries (entry_table.h) or unexpected headers (unexpected_messages.h).

#include <cstdint>
#include <vector>

#include "portals/engine/attention.h"
#include "portals/engine/completion.h"
#include "portals/engine/event_log.h"
#include "portals/engine/portal.h"
#include "portals/engine/status.h"

namespace lintel::portals {

class PortalTable {
 public:
  struct Rules {
    bool flow_control = false;
    bool enabled = true;
  };
  // Whether a message finds room for its unexpected header, and with flow control for its events.
  enum class Room : std::uint8_t { kEnough, kNoHeader, kQueueFull };

  // `all_enabled`: each portal takes messages from the start, and no call is needed for that
  // (Portals 3).
  PortalTable(EventLog& events, std::uint32_t max_index, bool all_enabled, Attention& attention);

  std::uint32_t max_index() const { return static_cast<std::uint32_t>(portals_.size() - 1); }
  // REQUIRES: index <= max_index().
  Portal& operator[](std::uint32_t index) { return portals_[index]; }
  // Null if there is none, or it is not allocated.
  Portal* existing(std::uint32_t index) {
    return index <= max_index() && portals_[index].state != Portal::State::kFree ? &portals_[index]
                                                                                 : nullptr;
  }

  // `wanted`: an index, or kAnyId for the first that is free. Errors: kPortalInvalid, kPortalInUse,
  // kPortalFull, kQueueInvalid.
  Status allocate(const Rules& rules, SlotId queue, std::uint32_t wanted, std::uint32_t& made);
  // Errors: kPortalInvalid, kPortalInUse (an entry is in one of its lists).
  Status test_free(std::uint32_t index);
  // REQUIRES: test_free() says kOk; it has no unexpected header.
  void free(std::uint32_t index);
  // Takes no message from now on; what it has taken may be under way until quiet(). Errors:
  // kPortalInvalid.
  Status disable(std::uint32_t index);
  Status enable(std::uint32_t index);  // errors: kPortalInvalid
  bool quiet(std::uint32_t index) const { return portals_[index].active == 0; }

  // An operation that a portal has taken begins and ends there.
  void enter(Completion& completion);
  void leave(std::uint32_t index, std::uint32_t turn);
  // The portal has to refuse a message, for want of `room` or (matched null) of an entry: with flow
  // control it disables itself.
  [[gnu::cold]] void refuse(Portal& portal, Room room, const MemoryDescriptor* matched);

 private:
  [[gnu::cold]] void disable_itself(Portal& portal, bool told);
  [[gnu::cold]] void finish_disabling(Portal& portal);
  [[gnu::cold]] void tell_disabled(Portal& portal, std::uint32_t index);

  EventLog& events_;
  std::vector<Portal> portals_;
  Attention& attention_;
};

}  // namespace lintel::portals
