#pragma once
// The only place that converts the engine's Status to a PTL_* code.

#include "portals/engine/values/status.h"

namespace lintel::api3 {

int return_code(portals::Status status);

}  // namespace lintel::api3
