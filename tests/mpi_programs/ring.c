/* ring [hops] [numbers]: a token of many numbers is passed from process to process, and each
 * changes it.
 *
 * The process that has it after the last hop sends it to rank 0, which compares it with its own
 * computation. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

typedef unsigned long long number;

static void change(number* token, int count, int hop) {
  for (int i = 0; i < count; ++i)
    token[i] = token[i] * 6364136223846793005ULL + (number)hop * 31 + (number)i;
}

int main(int argc, char** argv) {
  int rank, size, wrong = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int hops = argc > 1 ? atoi(argv[1]) : 50;
  const int count = argc > 2 ? atoi(argv[2]) : 20000;
  number* token = calloc((size_t)count + 1, sizeof *token);

  for (int hop = 0; hop < hops; ++hop) {
    if (hop % size != rank) continue;
    if (hop > 0 && size > 1)
      MPI_Recv(token, count, MPI_UNSIGNED_LONG_LONG, (hop - 1) % size, hop, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
    change(token, count, hop);
    if (hop + 1 < hops && size > 1)
      MPI_Send(token, count, MPI_UNSIGNED_LONG_LONG, (hop + 1) % size, hop + 1, MPI_COMM_WORLD);
  }
  const int last = hops > 0 ? (hops - 1) % size : 0;
  if (last != 0 && rank == last)
    MPI_Send(token, count, MPI_UNSIGNED_LONG_LONG, 0, hops, MPI_COMM_WORLD);
  if (last != 0 && rank == 0)
    MPI_Recv(token, count, MPI_UNSIGNED_LONG_LONG, last, hops, MPI_COMM_WORLD, MPI_STATUS_IGNORE);

  if (rank == 0) {
    number* serial = calloc((size_t)count + 1, sizeof *serial);
    number checksum = 0;
    for (int hop = 0; hop < hops; ++hop) change(serial, count, hop);
    for (int i = 0; i < count; ++i) {
      if (token[i] != serial[i]) wrong = 1;
      checksum = checksum * 31 + token[i];
    }
    printf("ring: %d hops, %d numbers: checksum %016llx%s\n", hops, count, checksum,
           wrong ? ", WRONG" : "");
    free(serial);
  }
  free(token);
  MPI_Finalize();
  return wrong;
}
