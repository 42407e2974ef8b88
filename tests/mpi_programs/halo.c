/* halo [rows] [columns] [generations]: Conway's game of life on a torus whose rows are distributed
 * over the processes.
 *
 * Before each generation neighbours exchange their outermost rows. The rows between are computed
 * meanwhile. Rank 0 compares the result with a serial game. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rows, columns;

/* Process `part` of `parts` has rows [first_row(part), first_row(part + 1)). */
static int first_row(int part, int parts) { return (int)((long long)rows * part / parts); }

static int is_alive_at_first(int row, int column) {
  unsigned value = (unsigned)row * 2654435761u + (unsigned)column * 40503u + 12345u;
  value ^= value >> 15;
  value *= 2246822519u;
  return (value >> 16) % 3 == 0;
}

/* Computes the row `here` of the next generation from the rows above, here and below of this one.
 */
static void next_row(const char* above, const char* here, const char* below, char* next) {
  for (int column = 0; column < columns; ++column) {
    const int left = (column + columns - 1) % columns, right = (column + 1) % columns;
    const int around = above[left] + above[column] + above[right] + here[left] + here[right] +
                       below[left] + below[column] + below[right];
    next[column] = around == 3 || (around == 2 && here[column]);
  }
}

static char* serial_game(int generations) {
  char* now = calloc((size_t)rows, (size_t)columns);
  char* next = calloc((size_t)rows, (size_t)columns);
  for (int i = 0; i < rows * columns; ++i)
    now[i] = (char)is_alive_at_first(i / columns, i % columns);
  for (int generation = 0; generation < generations; ++generation) {
    for (int row = 0; row < rows; ++row)
      next_row(now + (row + rows - 1) % rows * columns, now + row * columns,
               now + (row + 1) % rows * columns, next + row * columns);
    char* swap = now;
    now = next;
    next = swap;
  }
  free(next);
  return now;
}

int main(int argc, char** argv) {
  int rank, size, wrong = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  rows = argc > 1 ? atoi(argv[1]) : 120;
  columns = argc > 2 ? atoi(argv[2]) : 200;
  const int generations = argc > 3 ? atoi(argv[3]) : 60;
  if (rows < size || columns < 1) {
    if (rank == 0)
      fprintf(stderr, "halo: %d rows of %d cells; expected at least one for each of %d processes\n",
              rows, columns, size);
    MPI_Finalize();
    return 2;
  }

  /* Rows 1 to `mine` are this process's own, 0 and mine + 1 are copies of its neighbours'. */
  const int begin = first_row(rank, size), mine = first_row(rank + 1, size) - begin;
  const size_t bytes = (size_t)(mine + 2) * (size_t)columns;
  char *now = calloc(bytes, 1), *next = calloc(bytes, 1);
  for (int i = 0; i < mine * columns; ++i)
    now[columns + i] = (char)is_alive_at_first(begin + i / columns, i % columns);
  const int up = (rank + size - 1) % size, down = (rank + 1) % size;

  for (int generation = 0; generation < generations; ++generation) {
    MPI_Request requests[4];
    MPI_Irecv(now, columns, MPI_CHAR, up, 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(now + (mine + 1) * columns, columns, MPI_CHAR, down, 2, MPI_COMM_WORLD, &requests[1]);
    MPI_Isend(now + mine * columns, columns, MPI_CHAR, down, 1, MPI_COMM_WORLD, &requests[2]);
    MPI_Isend(now + columns, columns, MPI_CHAR, up, 2, MPI_COMM_WORLD, &requests[3]);
    for (int row = 2; row < mine; ++row)
      next_row(now + (row - 1) * columns, now + row * columns, now + (row + 1) * columns,
               next + row * columns);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    next_row(now, now + columns, now + 2 * columns, next + columns);
    next_row(now + (mine - 1) * columns, now + mine * columns, now + (mine + 1) * columns,
             next + mine * columns);
    char* swap = now;
    now = next;
    next = swap;
  }

  char* all = NULL;
  int *counts = NULL, *places = NULL;
  if (rank == 0) {
    all = malloc((size_t)rows * (size_t)columns);
    counts = malloc((size_t)size * sizeof(int));
    places = malloc((size_t)size * sizeof(int));
    for (int part = 0; part < size; ++part) {
      places[part] = first_row(part, size) * columns;
      counts[part] = first_row(part + 1, size) * columns - places[part];
    }
  }
  MPI_Gatherv(now + columns, mine * columns, MPI_CHAR, all, counts, places, MPI_CHAR, 0,
              MPI_COMM_WORLD);
  if (rank == 0) {
    char* serial = serial_game(generations);
    unsigned long long checksum = 0;
    int alive = 0;
    wrong = memcmp(all, serial, (size_t)rows * (size_t)columns) != 0;
    for (int i = 0; i < rows * columns; ++i) {
      alive += all[i];
      checksum = checksum * 31 + (unsigned long long)all[i];
    }
    printf("halo: %d x %d cells, %d generations, %d alive: checksum %016llx%s\n", rows, columns,
           generations, alive, checksum, wrong ? ", WRONG" : "");
    free(serial);
  }
  free(places);
  free(counts);
  free(all);
  free(next);
  free(now);
  MPI_Finalize();
  return wrong;
}
