#pragma once
// join(): makes this job one client, with one host, of an IMPI job: it contacts the server,
// exchanges the labels, and connects to every other host.

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
  Socket server{};              // open without traffic until the job ends
  std::vector<Socket> hosts{};  // connections by host rank; that of this host is not open
};

// Joins with the processes of this job. `local_pids` are their process ids in order of rank, all
// different; they are announced at the address of the host. Blocks without limit until all other
// clients have joined, and at most `timeout` for everything else. Only one process of a job calls
// it. If it fails, the message names the client or host and the address at fault. No message
// contains a key.
Outcome<JoinedJob> join(const ClientSettings& settings, const std::vector<std::int64_t>& local_pids,
                        Nanoseconds timeout);

}  // namespace lintel::mpi::impi
