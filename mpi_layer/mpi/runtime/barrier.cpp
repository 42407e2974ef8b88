#include "mpi_layer/mpi/runtime/barrier.h"

#include "mpi_layer/mpi/runtime/impi_collectives.h"

namespace lintel::mpi {

int barrier(const Team& team) {
  return team.clients() != nullptr ? barrier_between_clients(team) : team.barrier();
}

}  // namespace lintel::mpi
