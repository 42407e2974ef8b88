// Makes one job look like several IMPI clients after MPI_Init, so that the collective functions of
// such jobs can be tested in one. TEST_IMPI_CLIENTS has the client of each rank, which is also its
// host, one digit each: 00011222. TEST_IMPI_MAX_LINEAR: as ClientMap's. With
// TEST_IMPI_REDUCING_AMONG_MESSAGES set to anything, client 1 reduces in the context of messages.
#include <cstdlib>
#include <string>

#include "mpi.h"
#include "mpi_layer/mpi/runtime/client_map.h"
#include "mpi_profiling.h"

// Replaces the library's function, which is weak.
extern "C" int MPI_Init(int* argc, char*** argv) {
  const int error = PMPI_Init(argc, argv);
  const char* const clients = std::getenv("TEST_IMPI_CLIENTS");
  const char* const linear = std::getenv("TEST_IMPI_MAX_LINEAR");
  int ranks = 0;
  PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (clients == nullptr || linear == nullptr ||
      std::string(clients).size() < static_cast<std::size_t>(ranks))
    std::abort();
  lintel::mpi::ClientMap map;
  for (const char client : std::string(clients)) map.clients.push_back(client - '0');
  map.hosts = map.clients;
  map.max_linear = std::atoi(linear);
  if (std::getenv("TEST_IMPI_REDUCING_AMONG_MESSAGES") != nullptr)
    map.reducing_among_messages = {1};
  lintel::mpi::set_client_map(map);
  return error;
}
