#pragma once
// Connects a host of IMPI to all other hosts, over sockets (rules: connection_setup.h).

#include <cstdint>
#include <vector>

#include "base/clock.h"
#include "mpi_layer/bootstrap/outcome.h"
#include "mpi_layer/impi/job_layout.h"
#include "mpi_layer/impi/sockets/tcp_socket.h"

namespace lintel::mpi::impi {

// The most accepted connections that have not sent their rank. A further one ends the oldest of
// them, because a real host sends its rank at once.
inline constexpr std::size_t kMaxUnknownConnections = 64;

// Connects to the hosts below `own` from the address that `own` has announced, and accepts the
// connections of the hosts above it. Returns a connection for each host; that of `own` is not open.
// Connections from anyone else are closed and logged, and delay nobody. Fails, with the name of the
// host, if a host cannot be reached or has not connected at the deadline. REQUIRES: `listener` is
// at the address of `own`.
Outcome<std::vector<Socket>> connect_hosts(const JobLayout& layout, std::uint32_t own,
                                           Socket listener, TimePoint deadline);

}  // namespace lintel::mpi::impi
