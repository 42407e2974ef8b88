#pragma once
// Portal: one entry of an interface's portal table: its lists, and with Portals 4 its options, its
// event queue and whether it accepts messages.
//
// A plain struct, owned by the network interface. Guarded by the process' lock. A portal of Portals
// 3 is always enabled, and uses only its priority list.

#include <cstdint>

#include "base/slot_pool.h"
#include "portals/engine/events/event.h"
#include "portals/engine/matching/match_list.h"
#include "portals/engine/matching/unexpected_list.h"

namespace lintel::portals {

enum class PortalState : std::uint8_t {
  kFree,  // not allocated
  kEnabled,
  kDraining,  // accepts nothing any more, but operations that it has accepted are under way
  kDisabled,
};

struct Portal {
  bool takes_messages() const { return state == PortalState::kEnabled; }
  MatchList& list(PortalList which) { return which == PortalList::kPriority ? priority : overflow; }

  MatchList priority;
  MatchList overflow;
  UnexpectedList unexpected;
  SlotId queue;  // generation 0: none
  PortalState state = PortalState::kFree;
  bool flow_control = false;  // it disables itself when it would have to drop a message
  std::uint32_t active = 0;   // operations that it has accepted and that are under way
  // A portal that has disabled itself reports this when the operations that it had accepted before
  // have ended, also if it is enabled again meanwhile.
  std::uint32_t turn = 0;      // how often it has disabled itself; wraps
  std::uint32_t draining = 0;  // of the active operations, those of earlier turns
  std::uint32_t unlogged = 0;  // PORTAL_DISABLED events to log when `draining` is 0
};

}  // namespace lintel::portals
