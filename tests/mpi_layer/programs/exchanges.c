/* MPI_Isendrecv and MPI_Isendrecv_replace: one request for both directions. */
#include <string.h>

#include "check.h"

enum { kMost = 300000 };
static int out[kMost], in[kMost];

int main(void) {
  begin();
  const int next = (world_rank + 1) % world_size,
            previous = (world_rank + world_size - 1) % world_size;
  MPI_Request request;
  MPI_Status status;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  const int counts[] = {0, 1, 1000, kMost};
  for (unsigned k = 0; k < sizeof counts / sizeof counts[0]; ++k) {
    const int count = counts[k];
    int got = -1;
    for (int i = 0; i < count; ++i) out[i] = world_rank + i;
    CHECK(MPI_Isendrecv(out, count, MPI_INT, next, 1, in, kMost, MPI_INT, previous, 1,
                        MPI_COMM_WORLD, &request) == MPI_SUCCESS);
    CHECK(MPI_Wait(&request, &status) == MPI_SUCCESS && request == MPI_REQUEST_NULL);
    memset(out, 0, sizeof out); /* what was sent may be overwritten once the request is complete */
    CHECK(status.MPI_SOURCE == previous && status.MPI_TAG == 1);
    CHECK(MPI_Get_count(&status, MPI_INT, &got) == MPI_SUCCESS && got == count);
    for (int i = 0; i < count; ++i) CHECK(in[i] == previous + i);

    for (int i = 0; i < count; ++i) in[i] = 5 * world_rank + i;
    CHECK(MPI_Isendrecv_replace(in, count, MPI_INT, next, 2, previous, 2, MPI_COMM_WORLD,
                                &request) == MPI_SUCCESS);
    CHECK(MPI_Wait(&request, &status) == MPI_SUCCESS);
    for (int i = 0; i < count; ++i) CHECK(in[i] == 5 * previous + i);
  }

  /* In place, although the message has arrived when the call is made. */
  int number = world_rank;
  CHECK(MPI_Send(&number, 1, MPI_INT, next, 3, MPI_COMM_WORLD) == MPI_SUCCESS);
  CHECK(MPI_Probe(previous, 3, MPI_COMM_WORLD, &status) == MPI_SUCCESS);
  number = 1000 + world_rank;
  CHECK(MPI_Isendrecv_replace(&number, 1, MPI_INT, next, 3, previous, 3, MPI_COMM_WORLD,
                              &request) == MPI_SUCCESS);
  CHECK(MPI_Wait(&request, MPI_STATUS_IGNORE) == MPI_SUCCESS && number == previous);
  CHECK(MPI_Recv(&number, 1, MPI_INT, previous, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE) ==
            MPI_SUCCESS &&
        number == 1000 + previous);

  /* MPI_PROC_NULL on one side or both; wrong arguments start nothing. */
  CHECK(MPI_Isendrecv(out, 1, MPI_INT, MPI_PROC_NULL, 4, in, 1, MPI_INT, MPI_PROC_NULL, 4,
                      MPI_COMM_WORLD, &request) == MPI_SUCCESS);
  CHECK(MPI_Wait(&request, &status) == MPI_SUCCESS && status.MPI_SOURCE == MPI_PROC_NULL);
  CHECK(MPI_Isendrecv(out, 1, MPI_INT, world_size, 4, in, 1, MPI_INT, previous, 4, MPI_COMM_WORLD,
                      &request) == MPI_ERR_RANK);
  CHECK(MPI_Isendrecv(out, 1, MPI_INT, next, 4, in, -1, MPI_INT, previous, 4, MPI_COMM_WORLD,
                      &request) == MPI_ERR_COUNT);
  CHECK(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &number, MPI_STATUS_IGNORE) ==
            MPI_SUCCESS &&
        number == 0);
  MPI_Finalize();
  return 0;
}
