#pragma once
// UnexpectedMessage: a message whose data are in an entry of the overflow list, until an entry of
// the priority list claims it or a search deletes it.
//
// A plain struct, owned by the interface's pool. Guarded by the process' lock.

#include "base/slot_pool.h"
#include "portals/engine/events/event.h"
#include "portals/engine/matching/unexpected_header.h"

namespace lintel::portals {

struct UnexpectedMessage : UnexpectedHeader {
  Event event;          // of its arrival
  SlotId id;            // in the interface's pool; set once after creation
  SlotId claimant;      // the descriptor that has claimed it; generation 0: none
  bool landed = false;  // the data are in place, the event of the arrival is logged
};

}  // namespace lintel::portals
