/* Each rank prints its rank, its client, and the number of both. */
#include "../mpi_layer/programs/check.h"

int main(void) {
  int flag = 0, *size = NULL, *color = NULL;
  begin();
  CHECK(MPI_Comm_get_attr(MPI_COMM_WORLD, IMPI_CLIENT_SIZE, &size, &flag) == MPI_SUCCESS && flag);
  CHECK(MPI_Comm_get_attr(MPI_COMM_WORLD, IMPI_CLIENT_COLOR, &color, &flag) == MPI_SUCCESS && flag);
  printf("%d of %d, client %d of %d\n", world_rank, world_size, *color, *size);
  return MPI_Finalize();
}
