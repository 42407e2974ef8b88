#pragma once
// Completion: what is logged when an operation that moves data of a descriptor ends.
//
// Kept by the part that moves the data. NetworkInterface::open makes it; exactly one
// NetworkInterface::close uses it up. In between the descriptor is busy and cannot be unlinked, and
// the queue owes the event. It can be moved, not copied; what was moved from logs nothing.

#include <memory>

#include "portals/engine/events/event.h"

namespace lintel::portals {

class NetworkInterface;

struct Completion {
  // Destroyed with an open right, it logs nothing: the descriptor would be busy for ever.
  struct NotOwned {
    void operator()(NetworkInterface*) const {}
  };
  std::unique_ptr<NetworkInterface, NotOwned> interface;  // null: nothing is logged
  bool log_end = false;
  bool link_to_itself = false;    // no START was logged
  bool on_portal = false;         // its portal counts the operation as under way (Portals 4)
  std::uint32_t portal_turn = 0;  // the portal's `turn` when the portal accepted it
  SlotId queue;                   // where the END event goes
  SlotId unexpected;              // the unexpected header of the message; generation 0: none
  Event event;                    // the END event, except its sequence number
};

}  // namespace lintel::portals
