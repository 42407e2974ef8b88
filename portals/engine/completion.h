#pragma once
// Completion: what remains to be told when an operation that moves data of a descriptor ends.
//
// A value, held by whoever moves the data. Made by NetworkInterface::open, used up by exactly one
// NetworkInterface::close; in between the descriptor is busy and cannot be unlinked, and the queue
// owes the event.

#include "portals/engine/event.h"

namespace lintel::portals {

class NetworkInterface;

struct Completion {
  NetworkInterface* interface = nullptr;  // null: nothing to tell
  bool log_end = false;
  bool link_to_itself = false;    // no START was logged
  bool on_portal = false;         // its portal counts it as under way (Portals 4)
  std::uint32_t portal_turn = 0;  // of its portal, when that took it
  SlotId queue;                   // where the END event goes
  SlotId unexpected;              // the unexpected header that it makes; generation 0: none
  Event event;                    // the END event, but for its sequence
};

}  // namespace lintel::portals
