// Makes one job look like several clients of IMPI to what follows MPI_Init, so that the collective
// functions of such jobs can be tried in one. TEST_IMPI_CLIENTS has the client of each rank, which
// is its host as well, a digit for each: 00011222. TEST_IMPI_MAX_LINEAR: as ClientMap's.
// TEST_IMPI_REDUCING_AMONG_MESSAGES, set to whatever: client 1 does.
#include <cstdlib>
#include <string>

#include "mpi.h"
#include "mpi_layer/mpi/runtime/client_map.h"
#include "mpi_profiling.h"

// In the place of the library's, which is weak.
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
