/* An error without a handler ends the job: this program must fail, with exit code 1. */
#include "check.h"

int main(void) {
  begin();
  int number = 0;
  if (world_rank == world_size - 1) MPI_Send(&number, 1, MPI_INT, -7, 0, MPI_COMM_WORLD);
  MPI_Recv(&number, 1, MPI_INT, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE); /* waits for ever */
  return 0;
}
