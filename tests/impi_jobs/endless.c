/* Runs until a rank is lost: "endless ring" sends a message round and round; "endless allreduce"
 * makes one call after the other; "endless wait" waits for a message of the last rank that never
 * comes. Rank 0 and the last one print "running" when all have begun. */
#include <string.h>

#include "../mpi_layer/programs/check.h"

int main(int argc, char** argv) {
  begin();
  CHECK(argc == 2);
  const int next = (world_rank + 1) % world_size,
            previous = (world_rank + world_size - 1) % world_size;
  static char out[100000], in[100000];
  int one = 1, sum = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  if (world_rank == 0 || world_rank == world_size - 1) {
    puts("running");
    fflush(stdout);
  }
  for (;;) {
    if (strcmp(argv[1], "ring") == 0)
      MPI_Sendrecv(out, sizeof out, MPI_BYTE, next, 0, in, sizeof in, MPI_BYTE, previous, 0,
                   MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    else if (strcmp(argv[1], "allreduce") == 0)
      MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    else
      MPI_Recv(in, 1, MPI_BYTE, world_rank == world_size - 1 ? 0 : world_size - 1, 1,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}
