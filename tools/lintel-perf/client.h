#pragma once
// The client: finds the target, measures, and reports.

#include "failure.h"
#include "options.h"

namespace lintel::perf {

// With role kLocal the target is started here, else it is looked for at options.server_address. Throws Failure.
void run_client(const Options& options);

}  // namespace lintel::perf
