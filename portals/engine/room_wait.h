#pragma once
// What a call does that starts an operation: if there is no room for one, it drives the engine
// until there is. So starts are never refused for want of room.
//
// Does not: run within progress. Triggered operations that find no room stay due instead
// (Initiator::carry_out_triggered).

#include <atomic>

#include "portals/engine/process.h"

namespace lintel::portals {

// What start_when_room() does when there is no room.
[[gnu::cold]] Status wait_and_start(Process& process, std::uint8_t interface_kind,
                                    wire::MessageKind kind, const RequestArguments& arguments,
                                    const std::atomic<bool>* stop) LINTEL_NO_THREAD_SAFETY_ANALYSIS;

// Initiator::start(), and as long as that says kNoSpace waits for room, or for the loss of its
// peer: then the operation ends with the events of that, and the call succeeds. REQUIRES: the lock,
// which is let go while it waits: `interface` may be gone when it returns. `stop`, if given, ends
// the wait when it is set. Errors: as start(), but for kNoSpace; kAborted; kDescriptorInvalid, also
// if the interface has gone meanwhile.
inline Status start_when_room(Process& process, NetworkInterface& interface, wire::MessageKind kind,
                              const RequestArguments& arguments,
                              const std::atomic<bool>* stop = nullptr) {
  const Status status = process.endpoint().initiator().start(interface, kind, arguments);
  return status != Status::kNoSpace
             ? status
             : wait_and_start(process, interface.kind(), kind, arguments, stop);
}

}  // namespace lintel::portals
