#pragma once
// The server: is the target for one client after the other.

#include "failure.h"
#include "options.h"

namespace lintel::perf {

// Serves until killed, or one client with --once. Returns the exit code of a served client; throws Failure if it cannot begin.
ExitCode run_server(const Options& options);

}  // namespace lintel::perf
