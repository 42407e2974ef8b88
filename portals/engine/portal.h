#pragma once
// Portal: one entry of an interface's portal table: its lists, and with Portals 4 its options, its
// event queue and whether it takes messages.
//
// A plain struct, owned by the network interface, guarded by the endpoint's lock. A portal of
// Portals 3 is always enabled, and uses its priority list only.

#include <cstdint>

#include "base/slot_pool.h"
#include "portals/engine/event.h"
#include "portals/engine/match_list.h"
#include "portals/engine/unexpected_list.h"

namespace lintel::portals {

// A message whose data lie in an entry of the overflow list, until an entry of the priority list
// claims it or a search deletes it.
struct UnexpectedMessage : UnexpectedHeader {
  Event event;          // of its arrival
  SlotId id;            // in the interface's pool; set once after creation
  SlotId claimant;      // the descriptor that has claimed it; generation 0: none
  bool landed = false;  // the data are in place, the event of the arrival is logged
};

struct Portal {
  enum class State : std::uint8_t {
    kFree,  // not allocated
    kEnabled,
    kDraining,  // takes nothing any more, but operations that it took are under way
    kDisabled,
  };

  bool takes_messages() const { return state == State::kEnabled; }
  MatchList& list(PortalList which) { return which == PortalList::kPriority ? priority : overflow; }

  MatchList priority;
  MatchList overflow;
  UnexpectedList unexpected;
  SlotId queue;  // generation 0: none
  State state = State::kFree;
  bool flow_control = false;  // disables itself when it would have to drop
  std::uint32_t active = 0;   // operations that it took and that are under way
  // It has disabled itself, and tells so when what it had taken by then is done, also if it takes
  // messages again meanwhile.
  std::uint32_t turn = 0;      // how often it has disabled itself; wraps
  std::uint32_t draining = 0;  // of the active operations, those of turns before
  std::uint32_t untold = 0;    // PORTAL_DISABLED that follow when there are none of these
};

}  // namespace lintel::portals
