#pragma once
// Values of portals4.h to values of the engine and back. Pure; each function says what it refuses.

#include <optional>

#include "portals/api4/handle.h"
#include "portals/engine/network_interface.h"

namespace lintel::api4 {

// A process as the interface names it: rank or nid and pid. Nothing for a rank beyond the map. With
// `wild`, the ANY values stand for themselves.
std::optional<ProcessId> to_process(portals::NetworkInterface& interface, ptl_process_t name,
                                    bool wild);
ptl_process_t from_process(portals::NetworkInterface& interface, ProcessId process);

portals::Limits to_limits(const ptl_ni_limits_t* desired, std::uint64_t max_unexpected);
ptl_ni_limits_t from_limits(const portals::Limits& limits);

// Nothing if an option, a handle or the memory makes no sense.
std::optional<portals::DescriptorRules> to_rules(portals::NetworkInterface& interface,
                                                 const ptl_md_t& md);
// What LE and ME have in common, and the rest of an ME. `allowed`: the options that the caller's
// kind of entry has.
std::optional<portals::DescriptorRules> to_rules(portals::NetworkInterface& interface,
                                                 const ptl_le_t& le, unsigned allowed,
                                                 void* user_pointer);
std::optional<portals::DescriptorRules> to_rules(portals::NetworkInterface& interface,
                                                 const ptl_me_t& me, void* user_pointer);

// Fills in `out` from an event of the interface.
void translate(portals::NetworkInterface& interface, const portals::Event& event, ptl_event_t& out);

// The counting event that a handle of this interface names; generation 0 for PTL_CT_NONE. Nothing
// if it names none.
std::optional<SlotId> to_counter(portals::NetworkInterface& interface, ptl_handle_ct_t ct);
std::optional<SlotId> to_queue(portals::NetworkInterface& interface, ptl_handle_eq_t eq);

}  // namespace lintel::api4
