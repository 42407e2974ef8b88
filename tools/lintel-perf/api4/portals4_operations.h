#pragma once
// The measured operations through Portals 4, beside Portals 3 in one process: both have the same
// nid and pid.

#include <memory>

#include "operations.h"

namespace lintel::perf {

// Opens a matching physical interface. `self`: what the process is called through Portals 3, which
// has to be open. Throws Failure(kUnusable) if it cannot be had.
LINTEL_PERF_SEAM std::unique_ptr<TimedInterface> open_portals4(ProcessName self);

}  // namespace lintel::perf
