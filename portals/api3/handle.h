#pragma once
// Handles of Portals 3 have the format of the engine's handles (portals/engine/values/handle.h).
// The one interface of Portals 3 is number 0.

#include <type_traits>

#include "portals/engine/values/handle.h"
#include "portals3.h"

namespace lintel::api3 {

static_assert(std::is_same_v<ptl_handle_any_t, std::uint32_t>);

using portals::decode;
using portals::Decoded;
using portals::encode;
using portals::HandleKind;
using portals::interface_handle;

}  // namespace lintel::api3
