#pragma once
// How two processes find each other and agree that they fit.

#include <chrono>
#include <functional>
#include <optional>

#include "control_channel.h"
#include "interface.h"
#include "run_description.h"

namespace lintel::perf {

// Who this process is, for the other one.
ProcessDescription describe_self(const Interface& network, int cpu);

// Client: says hello to `server` and waits for its welcome; a server that is just starting has `deadline` to appear. Returns who it is.
// Throws Failure(kUnusable) if it cannot be reached, does not answer, is busy or is of another protocol.
ProcessDescription greet_server(ControlChannel& control, ptl_process_id_t server, const ProcessDescription& self,
                                std::chrono::duration<double> deadline);

struct Guest {
  ptl_process_id_t id;
  ProcessDescription description;
};

// Server: waits for a client up to `limit` and welcomes it. Returns nothing after `limit`. Throws Failure(kUnusable) when the client is of another protocol,
// after telling it so.
std::optional<Guest> await_client(ControlChannel& control, const ProcessDescription& self, std::chrono::duration<double> limit);

}  // namespace lintel::perf
