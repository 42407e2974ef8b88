#pragma once
// Converts a caller's ptl_md_t to the engine's description of a memory descriptor, and back.

#include "portals/api3/handle.h"
#include "portals/engine/interface/network_interface.h"
#include "portals/engine/memory/memory_descriptor.h"

namespace lintel::api3 {

// Fills in `rules` from `md`. Checks options, queue and memory as far as Portals allows, and copies
// the list of pieces. Errors: PTL_MD_ILLEGAL, PTL_EQ_INVALID.
int make_rules(portals::NetworkInterface& interface, std::uint32_t interface_index,
               const ptl_md_t& md, portals::DescriptorRules& rules) LINTEL_REQUIRES(kLock);

ptl_md_t to_ptl_md(const portals::DescriptorSnapshot& snapshot, std::uint32_t interface_index);

}  // namespace lintel::api3
