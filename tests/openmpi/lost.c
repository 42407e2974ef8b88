/* Rank 0 ends without notice after both have communicated. What rank 1 waits for fails. */
#include <signal.h>
#include <unistd.h>

#include "check.h"

int main(void) {
  begin();
  int number = 0, class = MPI_SUCCESS;
  CHECK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN) == MPI_SUCCESS);
  if (world_rank == 0) {
    MPI_Recv(&number, 1, MPI_INT, 1, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    raise(SIGKILL);
  }
  CHECK(MPI_Send(&number, 1, MPI_INT, 0, 3, MPI_COMM_WORLD) == MPI_SUCCESS);
  MPI_Error_class(MPI_Recv(&number, 1, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE), &class);
  if (class == MPI_ERR_OTHER) fprintf(stderr, "the receive has failed\n");
  _exit(0);
}
