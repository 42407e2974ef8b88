/* All ranks add up their numbers. Prints the name of the library. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char** argv) {
  int rank, size, sum = 0, length;
  char version[MPI_MAX_LIBRARY_VERSION_STRING];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  rank += 1;
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Get_library_version(version, &length);
  if (rank == 1) printf("%s: %d ranks, sum %d\n", version, size, sum);
  MPI_Finalize();
  return sum == size * (size + 1) / 2 && strncmp(version, "Lintel ", 7) == 0 ? 0 : 1;
}
