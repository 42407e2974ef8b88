/* killed SIGNAL: rank 1 gets SIGNAL while all ranks wait for a message that nobody sends. */
#include <mpi.h>
#include <signal.h>
#include <stdlib.h>

int main(int count, char** arguments) {
  int rank, found;
  if (count != 2) return 2;
  MPI_Init(&count, &arguments);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 1) raise(atoi(arguments[1]));
  for (;;) MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
}
