/* abort RANK: that rank aborts with exit code 7 when all have begun. The others wait for a message
 * from it. */
#include "../mpi_layer/programs/check.h"

int main(int argc, char** argv) {
  begin();
  CHECK(argc == 2);
  const int rank = atoi(argv[1]);
  MPI_Barrier(MPI_COMM_WORLD);
  if (world_rank == rank) MPI_Abort(MPI_COMM_WORLD, 7);
  MPI_Recv(NULL, 0, MPI_BYTE, rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return MPI_Finalize();
}
