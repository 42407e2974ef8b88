#pragma once
// The only place that composes the transport of a process: the network, injected faults if
// LINTEL_FAULTS asks for them, and a session on top.

#include <cstddef>
#include <memory>
#include <span>

#include "base/config.h"
#include "portals/engine/process/process.h"

namespace lintel::transport {
class JobKey;
}

namespace lintel::portals {

// What the session of a process proves itself with. It has no key yet.
std::shared_ptr<transport::JobKey> new_job_key();
// Gives it the secret of the job, unless it has one. REQUIRES: the lock of the process; the secret
// is not empty.
void give_secret(transport::JobKey& job_key, std::span<const std::byte> secret);

// A factory for Process that opens the transport that `config` describes, and gives `job_key` the
// secret of LINTEL_SECRET_FILE, if it is set. If a value is wrong, the factory's explanation names
// it.
TransportFactory node_transport(const Config& config,
                                std::shared_ptr<transport::JobKey> job_key = new_job_key());

// The options of the engine from `config`, with the user and job of this operating-system process.
ProcessOptions process_options(const Config& config);

// The most unexpected headers of one portal: LINTEL_MAX_UNEXPECTED, or as many as
// LINTEL_MEMORY_LIMIT allows.
std::uint64_t most_unexpected(const Config& config);

}  // namespace lintel::portals
