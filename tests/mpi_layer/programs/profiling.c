/* A program that defines functions of MPI, as a profiler does: they are called instead of the
 * library's, also by a library that does not know them, and call the library's by their PMPI_
 * names. */
#include "check.h"

static int sent, barriers;

int MPI_Send(const void* buffer, int count, MPI_Datatype datatype, int destination, int tag,
             MPI_Comm communicator) {
  ++sent;
  return PMPI_Send(buffer, count, datatype, destination, tag, communicator);
}

int MPI_Barrier(MPI_Comm communicator) {
  ++barriers;
  return PMPI_Barrier(communicator);
}

int main(int argc, char** argv) {
  begin();
  CHECK(argc == 2 && world_size == atoi(argv[1]));
  const int own_barriers = barriers;
  int got = -1;
  if (world_rank == 0) {
    for (int rank = 1; rank < world_size; ++rank)
      MPI_Send(&rank, 1, MPI_INT, rank, 3, MPI_COMM_WORLD);
  } else {
    MPI_Recv(&got, 1, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK(got == world_rank);
  }
  CHECK(sent == (world_rank == 0 ? world_size - 1 : 0));
  CHECK(PMPI_Barrier(MPI_COMM_WORLD) == MPI_SUCCESS && barriers == own_barriers);
  CHECK(MPI_Barrier(MPI_COMM_WORLD) == MPI_SUCCESS && barriers == own_barriers + 1);
  return MPI_Finalize();
}
