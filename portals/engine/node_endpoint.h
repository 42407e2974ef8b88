#pragma once
// The one place that puts a process' transport together: libfabric at the bottom, faults if asked
// for, a session on top.

#include "base/config.h"
#include "portals/engine/process.h"

namespace lintel::portals {

// A factory for Process that opens what `config` describes. A wrong value shows in the sentence
// that the factory gives.
TransportFactory node_transport(const Config& config);

// The engine's part of `config`, for the user and job of this operating-system process.
ProcessOptions process_options(const Config& config);

}  // namespace lintel::portals
