/* Messages of many lengths around a ring, by every kind of send and receive that is possible there.
 */
#include <string.h>

#include "check.h"

enum { kMost = 1 << 20 };
static unsigned char out[kMost], in[kMost];

int main(void) {
  begin();
  const int next = (world_rank + 1) % world_size,
            previous = (world_rank + world_size - 1) % world_size;
  const int lengths[] = {0, 1, 8, 4096, 16384, 16385, 100000, kMost};
  for (unsigned i = 0; i < sizeof lengths / sizeof lengths[0]; ++i) {
    const int length = lengths[i];
    memset(out, world_rank + 1, (size_t)length);
    memset(in, 0, (size_t)length);
    MPI_Status status;
    int count = -1;
    CHECK(MPI_Sendrecv(out, length, MPI_BYTE, next, 7, in, kMost, MPI_BYTE, previous, 7,
                       MPI_COMM_WORLD, &status) == MPI_SUCCESS);
    CHECK(status.MPI_SOURCE == previous && status.MPI_TAG == 7);
    CHECK(MPI_Get_count(&status, MPI_BYTE, &count) == MPI_SUCCESS && count == length);
    for (int k = 0; k < length; ++k) CHECK(in[k] == previous + 1);

    /* Non-blocking, from any source, with any tag. */
    MPI_Request requests[2];
    MPI_Status statuses[2];
    memset(in, 0, (size_t)length);
    CHECK(MPI_Irecv(in, length, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD,
                    &requests[0]) == MPI_SUCCESS);
    CHECK(MPI_Isend(out, length, MPI_BYTE, next, 9, MPI_COMM_WORLD, &requests[1]) == MPI_SUCCESS);
    CHECK(MPI_Waitall(2, requests, statuses) == MPI_SUCCESS);
    CHECK(requests[0] == MPI_REQUEST_NULL && requests[1] == MPI_REQUEST_NULL);
    CHECK(statuses[0].MPI_SOURCE == previous && statuses[0].MPI_TAG == 9);
    for (int k = 0; k < length; ++k) CHECK(in[k] == previous + 1);

    CHECK(MPI_Sendrecv_replace(out, length, MPI_BYTE, next, 1, previous, 1, MPI_COMM_WORLD,
                               MPI_STATUS_IGNORE) == MPI_SUCCESS);
    for (int k = 0; k < length; ++k) CHECK(out[k] == previous + 1);
  }
  MPI_Finalize();
  return 0;
}
