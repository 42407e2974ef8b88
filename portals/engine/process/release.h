#pragma once
// Ends MDs and entries that operations may still use for a short time (Portals 4).
//
// release_descriptor() may wait, and releases the process' lock meanwhile. The interface may have
// been closed when it returns.

#include <atomic>

#include "portals/engine/process/process.h"

namespace lintel::portals {

// Ends the descriptor. Waits for what ends without an action of the program: acknowledgements, and
// operations whose end is not reported to the program (NetworkInterface::idle_soon). Each ends when
// its answer comes, or its peer is lost. `stop` ends the wait when it is set. Errors:
// kDescriptorInvalid; kDescriptorInUse, after one turn: an operation still has an event or count to
// come, or waits to be triggered.
Status release_descriptor(Process& process, std::uint8_t interface_kind, SlotId descriptor,
                          const std::atomic<bool>& stop) LINTEL_REQUIRES(kLock);

// Ends the entry. Errors: kEntryInvalid; kEntryInUse, after one turn: the caller tries again.
Status unlink_entry(Process& process, NetworkInterface& interface, SlotId entry)
    LINTEL_REQUIRES(kLock);

}  // namespace lintel::portals
