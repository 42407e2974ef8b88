#pragma once
// The ends of MDs and entries that operations may still be using for a moment (Portals 4).
//
// Both REQUIRE the process' lock. release_descriptor() may wait, and lets the lock go meanwhile:
// the interface may be gone when it returns.

#include <atomic>

#include "portals/engine/process.h"

namespace lintel::portals {

// Ends the descriptor. What is on its way and ends without the program's doing is waited for:
// acknowledgements, and operations of whose end the program does not hear
// (NetworkInterface::idle_soon). Each ends when its answer comes, or its peer is lost. `stop` ends
// the wait when it is set. Errors: kDescriptorInvalid; kDescriptorInUse, after a turn: the program
// is still to hear of an operation, or one waits to be triggered.
Status release_descriptor(Process& process, std::uint8_t interface_kind, SlotId descriptor,
                          const std::atomic<bool>& stop) LINTEL_NO_THREAD_SAFETY_ANALYSIS;

// Ends the entry. Errors: kEntryInvalid; kEntryInUse, after a turn: callers try again until it is
// idle.
Status unlink_entry(Process& process, NetworkInterface& interface, SlotId entry);

}  // namespace lintel::portals
