#pragma once
// The only place that composes the transport of a process: the network, injected faults if
// LINTEL_FAULTS asks for them, and a session on top.

#include "base/config.h"
#include "portals/engine/process/process.h"

namespace lintel::portals {

// A factory for Process that opens the transport that `config` describes. If a value is wrong, the
// factory's explanation names it.
TransportFactory node_transport(const Config& config);

// The options of the engine from `config`, with the user and job of this operating-system process.
ProcessOptions process_options(const Config& config);

}  // namespace lintel::portals
