#pragma once
// How a host of IMPI connects to the others: the dance on sockets.

#include <cstdint>
#include <vector>

#include "base/clock.h"
#include "mpi_layer/bootstrap/outcome.h"
#include "mpi_layer/impi/job_layout.h"
#include "mpi_layer/impi/sockets/tcp_socket.h"

namespace lintel::mpi::impi {

// Connections that have not said who they are, of which one more ends the oldest: an honest one
// says it at once.
inline constexpr std::size_t kMaxStrangers = 64;

// Calls the hosts below `own` from the address that `own` has announced, and waits for the calls of
// those above it. Returns a connection for each host; that of `own` is not open. Callers that are
// none of the others are closed and named in the log; they hold up nobody. Fails, and names the
// host, when one cannot be reached, or has not called at the deadline. REQUIRES: `listener` is at
// the address of `own`.
Outcome<std::vector<Socket>> connect_hosts(const JobLayout& layout, std::uint32_t own,
                                           Socket listener, TimePoint deadline);

}  // namespace lintel::mpi::impi
