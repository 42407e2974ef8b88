/* Rank 1 aborts the job with 7 while all others wait for a message that never comes. */
#include "check.h"

int main(void) {
  begin();
  int number = 0;
  if (world_rank == 1) {
    for (int rank = 0; rank < world_size; ++rank) {
      if (rank != 1)
        CHECK(MPI_Recv(&number, 1, MPI_INT, rank, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE) ==
              MPI_SUCCESS);
    }
    MPI_Abort(MPI_COMM_WORLD, 7);
  }
  MPI_Send(&number, 1, MPI_INT, 1, 3, MPI_COMM_WORLD);
  MPI_Recv(&number, 1, MPI_INT, 1, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  fprintf(stderr, "rank %d has got a message that was never sent\n", world_rank);
  return 0;
}
