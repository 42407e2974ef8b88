#pragma once
// Takes all events of a queue, for tests that expect a sequence of them.

#include <vector>

#include "portals/engine/events/event_log.h"

namespace lintel::portals {

// Their kinds. `last`, if not null, is the newest one then.
inline std::vector<EventKind> take_kinds(EventLog& events, SlotId queue, Event* last = nullptr) {
  kLock.is_held();
  std::vector<EventKind> found;
  const Event* event = nullptr;
  while (events.queue(queue)->take(event) != EventQueue::Taken::kEmpty) {
    found.push_back(event->kind);
    if (last != nullptr) *last = *event;
  }
  return found;
}

}  // namespace lintel::portals
