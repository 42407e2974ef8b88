#pragma once
// The start of an operation by a call. If there is no room for an operation with its peer, the call
// drives the engine until there is, so no start is refused for lack of room.
//
// Not for use inside a turn: triggered operations that find no room remain due instead
// (Initiator::carry_out_triggered).

#include <atomic>

#include "portals/engine/process/process.h"

namespace lintel::portals {

// The part of start_when_room() for the case that there is no room.
[[gnu::cold]] Status wait_and_start(Process& process, std::uint8_t interface_kind,
                                    wire::MessageKind kind, const RequestArguments& arguments,
                                    const std::atomic<bool>* stop) LINTEL_REQUIRES(kLock);

// Calls Initiator::start(). While that returns kNoSpace, waits for room for the peer, or for its
// loss; then the operation ends with the events of a failure, and the call succeeds. The lock is
// released during the wait: `interface` may have been closed when it returns.
// `stop`, if not null, ends the wait when it is set. Errors: as start(), except kNoSpace; kAborted;
// kDescriptorInvalid also if the interface was closed meanwhile.
inline Status start_when_room(Process& process, NetworkInterface& interface, wire::MessageKind kind,
                              const RequestArguments& arguments,
                              const std::atomic<bool>* stop = nullptr) LINTEL_REQUIRES(kLock) {
  const Status status = process.endpoint().initiator().start(interface, kind, arguments);
  return status != Status::kNoSpace
             ? status
             : wait_and_start(process, interface.kind(), kind, arguments, stop);
}

}  // namespace lintel::portals
