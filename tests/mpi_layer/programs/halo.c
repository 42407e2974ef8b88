/* Columns of a matrix, which have holes, to both neighbours of a ring. */
#include "check.h"

enum { kRows = 100, kColumns = 60 };
static double field[kRows][kColumns];

int main(void) {
  begin();
  const int next = (world_rank + 1) % world_size,
            previous = (world_rank + world_size - 1) % world_size;
  MPI_Datatype column;
  MPI_Type_vector(kRows, 1, kColumns, MPI_DOUBLE, &column);
  MPI_Type_commit(&column);
  for (int row = 0; row < kRows; ++row) {
    for (int i = 0; i < kColumns; ++i) field[row][i] = world_rank * 1e6 + row * 1000 + i;
  }
  MPI_Request requests[4];
  MPI_Irecv(&field[0][0], 1, column, previous, 1, MPI_COMM_WORLD, &requests[0]);
  MPI_Irecv(&field[0][kColumns - 1], 1, column, next, 2, MPI_COMM_WORLD, &requests[1]);
  MPI_Isend(&field[0][kColumns - 2], 1, column, next, 1, MPI_COMM_WORLD, &requests[2]);
  MPI_Isend(&field[0][1], 1, column, previous, 2, MPI_COMM_WORLD, &requests[3]);
  MPI_Type_free(&column); /* in use, so it stays valid */
  CHECK(MPI_Waitall(4, requests, MPI_STATUSES_IGNORE) == MPI_SUCCESS);
  for (int row = 0; row < kRows; ++row) {
    CHECK(field[row][0] == previous * 1e6 + row * 1000 + kColumns - 2);
    CHECK(field[row][kColumns - 1] == next * 1e6 + row * 1000 + 1);
    for (int i = 1; i < kColumns - 1; ++i)
      CHECK(field[row][i] == world_rank * 1e6 + row * 1000 + i);
  }
  MPI_Finalize();
  return 0;
}
