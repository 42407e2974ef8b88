#include "as_jobs.h"

#include <vector>

#include "mpi.h"
#include "mpi_layer/mpi/runtime/data_representation.h"

void set_external_ranks(bool (*is_external)(int rank, int own)) {
  int own = 0, size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &own);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  std::vector<bool> ranks;
  for (int rank = 0; rank < size; ++rank) ranks.push_back(is_external(rank, own));
  lintel::mpi::set_external_processes(ranks);
  MPI_Barrier(MPI_COMM_WORLD);
}
