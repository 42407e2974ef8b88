#pragma once
// Measures a chain: starts its processes, has them lay it out, meets with them outside Portals before rank 0 sets it off, and reports.

#include "options.h"

namespace lintel::perf {

// Throws Failure after the report of what was done until then; kFailed if a process dies, or nothing moves for the deadline. All processes have ended on
// return. REQUIRES: options.measurement->chain; nothing of Portals has been called in this process.
void run_chain(const Options& options);

}  // namespace lintel::perf
