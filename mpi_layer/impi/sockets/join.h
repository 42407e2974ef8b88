#pragma once
// join(): how a job becomes one client, with one host, of an IMPI job: the server, what all have to
// say of themselves, and a connection to every other host.

#include <cstdint>
#include <vector>

#include "mpi_layer/impi/job_layout.h"
#include "mpi_layer/impi/sockets/client_settings.h"
#include "mpi_layer/impi/sockets/tcp_socket.h"

namespace lintel::mpi::impi {

struct JoinedJob {
  JobLayout layout;
  std::uint32_t client = 0;     // this one
  std::uint32_t host = 0;       // its host
  Socket server{};              // open and silent until the job ends
  std::vector<Socket> hosts{};  // by host rank: a connection with each other host; the own one is
                                // not open
};

// Joins with the processes of this job, whose process ids, all different, are by their ranks in it;
// they are said to be at the address of its host. Blocks: for other clients to join as long as it
// takes, for everything else `patience` at most. Only one process of a job calls it. Fails with a
// sentence that names the client, or host, and the address at fault. No sentence has a key.
Outcome<JoinedJob> join(const ClientSettings& settings, const std::vector<std::int64_t>& local_pids,
                        Nanoseconds patience);

}  // namespace lintel::mpi::impi
