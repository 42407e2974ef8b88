#pragma once
// Converts values of portals4.h to values of the engine, and back. Pure functions; each says what
// it refuses. What asks an interface REQUIRES the lock of its process.

#include <optional>

#include "portals/api4/handle.h"
#include "portals/engine/interface/network_interface.h"

namespace lintel::api4 {

// The engine's wildcard for a process.
inline constexpr ProcessId kAnyone{NodeId(portals::kAnyId), Pid(portals::kAnyId)};

// Sets `process` to what `name` means on the interface: a rank, or nid and pid. False, and nothing
// is set: a rank beyond the map. With `wild`, ANY values are allowed and become the engine's
// wildcard.
bool to_process(portals::NetworkInterface& interface, ptl_process_t name, bool wild,
                ProcessId& process) LINTEL_REQUIRES(kLock);
ptl_process_t from_process(portals::NetworkInterface& interface, ProcessId process)
    LINTEL_REQUIRES(kLock);

portals::InterfaceLimits to_limits(const ptl_ni_limits_t* desired, std::uint64_t max_unexpected);
ptl_ni_limits_t from_limits(const portals::InterfaceLimits& limits);

// Nothing if an option, a handle or the memory is not valid.
std::optional<portals::DescriptorRules> to_rules(portals::NetworkInterface& interface,
                                                 const ptl_md_t& md) LINTEL_REQUIRES(kLock);
// For an LE, and for the part of an ME that is like an LE. `allowed`: the options that are legal.
std::optional<portals::DescriptorRules> to_rules(portals::NetworkInterface& interface,
                                                 const ptl_le_t& le, unsigned allowed,
                                                 void* user_pointer) LINTEL_REQUIRES(kLock);
std::optional<portals::DescriptorRules> to_rules(portals::NetworkInterface& interface,
                                                 const ptl_me_t& me, void* user_pointer)
    LINTEL_REQUIRES(kLock);

// Fills in `out` from an event of the interface.
void translate(portals::NetworkInterface& interface, const portals::Event& event, ptl_event_t& out)
    LINTEL_REQUIRES(kLock);

// The counting event or event queue that a handle of this interface names; generation 0 for
// PTL_CT_NONE or PTL_EQ_NONE. Nothing if the handle names none.
std::optional<SlotId> to_counter(portals::NetworkInterface& interface, ptl_handle_ct_t ct)
    LINTEL_REQUIRES(kLock);
std::optional<SlotId> to_queue(portals::NetworkInterface& interface, ptl_handle_eq_t eq)
    LINTEL_REQUIRES(kLock);

}  // namespace lintel::api4
