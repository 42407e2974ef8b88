#pragma once

#include "portals/engine/values/status.h"

namespace lintel::api4 {

// Converts the engine's Status to a code of portals4.h.
int return_code(portals::Status status);

}  // namespace lintel::api4
