/* MPI_THREAD_MULTIPLE: two threads of each process make communicators of their own at the same time
 * and send messages on them. Even ranks start the threads in one order, odd ones in the other, so
 * that agreements that wait for each other would never end. */
#include <pthread.h>

#include "check.h"

enum { kRounds = 40 };
static MPI_Comm parents[2];

static void* work(void* argument) {
  const MPI_Comm parent = *(MPI_Comm*)argument;
  int rank, size;
  MPI_Comm_rank(parent, &rank);
  MPI_Comm_size(parent, &size);
  for (int round = 0; round < kRounds; ++round) {
    MPI_Comm copy;
    int in = -1;
    CHECK(MPI_Comm_dup(parent, &copy) == MPI_SUCCESS);
    const int out = rank * kRounds + round;
    const int previous = (rank + size - 1) % size;
    CHECK(MPI_Sendrecv(&out, 1, MPI_INT, (rank + 1) % size, 0, &in, 1, MPI_INT, previous,
                       MPI_ANY_TAG, copy, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    CHECK(in == previous * kRounds + round);
    CHECK(MPI_Comm_free(&copy) == MPI_SUCCESS);
  }
  return NULL;
}

int main(void) {
  int level = 0;
  CHECK(MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &level) == MPI_SUCCESS &&
        level == MPI_THREAD_MULTIPLE);
  MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
  MPI_Comm_dup(MPI_COMM_WORLD, &parents[0]);
  MPI_Comm_dup(MPI_COMM_WORLD, &parents[1]);
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i)
    CHECK(pthread_create(&threads[i], NULL, work, &parents[(i + world_rank) % 2]) == 0);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  MPI_Comm_free(&parents[0]);
  MPI_Comm_free(&parents[1]);
  MPI_Finalize();
  return 0;
}
