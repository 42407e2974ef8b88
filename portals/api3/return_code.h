#pragma once
// The one place where the engine's Status becomes a PTL_* code.

#include "portals/engine/status.h"

namespace lintel::api3 {

int return_code(portals::Status status);

}  // namespace lintel::api3
