/* The check of the programs in this folder: CHECK(condition) ends the job with exit code 2 if the
 * condition does not hold. */
#ifndef LINTEL_TESTS_CHECK_H
#define LINTEL_TESTS_CHECK_H

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define CHECK(condition)                                                            \
  do {                                                                              \
    if (!(condition)) {                                                             \
      fprintf(stderr, "%s:%d: expected %s\n", __FILE__, __LINE__, #condition);      \
      MPI_Abort(MPI_COMM_WORLD, 2);                                                 \
    }                                                                               \
  } while (0)

static int world_rank, world_size;

static inline void begin(void) {
  CHECK(MPI_Init(NULL, NULL) == MPI_SUCCESS);
  MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
  MPI_Comm_size(MPI_COMM_WORLD, &world_size);
}

#endif
