#pragma once
// What this process does, by its role.

#include "failure.h"
#include "options.h"

namespace lintel::perf {

// The client: finds the target, measures, and reports. With role kLocal the target is started here,
// else it is looked for at options.server_address. Throws Failure.
void run_client(const Options& options);

// The server: is the target for one client after the other, until killed, or for one client with
// --once.
// Returns the exit code of a served client; throws Failure if it cannot begin.
ExitCode run_server(const Options& options);

// Measures a chain: starts its processes, has them lay it out, meets with them outside Portals
// before rank 0 sets it off, and reports. Throws Failure after the report of what was done until
// then;
// kFailed
// if a process dies, or nothing moves for the deadline. All processes have ended on return.
// REQUIRES:
// options.measurement->chain; nothing of Portals has been called in this process.
void run_chain(const Options& options);

}  // namespace lintel::perf
