/* heat [rows] [columns] [steps]: heat spreads over a plate that is divided into blocks in both
 * directions, one for each process.
 *
 * A block has a border of its neighbours' cells. Its rows are sent as they are, its columns as a
 * vector type. Rank 0 sends each process its block of the initial state and receives the final one,
 * with subarray types. It compares with the same steps done alone, bit for bit: each cell is
 * computed in the same way. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Block (i, j) of a x b blocks of a plate: rows [i * rows / a, (i + 1) * rows / a), columns alike.
 */
typedef struct {
  int row, column, rows, columns;
} block;

static int cut(int length, int parts, int part) { return (int)((long long)length * part / parts); }

static block block_of(int rank, int down, int across, int rows, int columns) {
  const int i = rank / across, j = rank % across;
  const block it = {cut(rows, down, i), cut(columns, across, j),
                    cut(rows, down, i + 1) - cut(rows, down, i),
                    cut(columns, across, j + 1) - cut(columns, across, j)};
  return it;
}

/* One step for the inner cells of an array of (rows + 2) x (columns + 2). */
static void step(const double* now, double* next, int rows, int columns) {
  const int width = columns + 2;
  for (int row = 1; row <= rows; ++row) {
    for (int column = 1; column <= columns; ++column) {
      const double* cell = now + row * width + column;
      next[row * width + column] =
          cell[0] + 0.125 * (cell[-width] + cell[width] + cell[-1] + cell[1] - 4 * cell[0]);
    }
  }
}

/* The first state: a plate with a cold edge, which is part of the array and never changes. */
static double* new_plate(int rows, int columns) {
  double* plate = calloc((size_t)(rows + 2) * (size_t)(columns + 2), sizeof *plate);
  for (int row = 1; row <= rows; ++row) {
    for (int column = 1; column <= columns; ++column)
      plate[row * (columns + 2) + column] = (row * 37 + column * 101) % 97;
  }
  return plate;
}

/* The cells of `part` in a plate with an edge. */
static MPI_Datatype type_of(block part, int rows, int columns) {
  MPI_Datatype type;
  const int sizes[2] = {rows + 2, columns + 2}, parts[2] = {part.rows, part.columns},
            starts[2] = {part.row + 1, part.column + 1};
  MPI_Type_create_subarray(2, sizes, parts, starts, MPI_ORDER_C, MPI_DOUBLE, &type);
  MPI_Type_commit(&type);
  return type;
}

/* Moves between rank 0's `plate` and the `inner` cells of every process's `cells`: out to all
 * blocks, or back. */
static void move_blocks(int out, double* plate, int down, int across, int rows, int columns,
                        double* cells, MPI_Datatype inner) {
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Request own, *requests = malloc((size_t)size * sizeof *requests);
  if (out) {
    MPI_Irecv(cells, 1, inner, 0, 5, MPI_COMM_WORLD, &own);
  } else {
    MPI_Isend(cells, 1, inner, 0, 5, MPI_COMM_WORLD, &own);
  }
  for (int other = 0; other < size && rank == 0; ++other) {
    MPI_Datatype type = type_of(block_of(other, down, across, rows, columns), rows, columns);
    if (out) {
      MPI_Isend(plate, 1, type, other, 5, MPI_COMM_WORLD, &requests[other]);
    } else {
      MPI_Irecv(plate, 1, type, other, 5, MPI_COMM_WORLD, &requests[other]);
    }
    MPI_Type_free(&type);
  }
  if (rank == 0) MPI_Waitall(size, requests, MPI_STATUSES_IGNORE);
  MPI_Wait(&own, MPI_STATUS_IGNORE);
  free(requests);
}

int main(int argc, char** argv) {
  int rank, size, wrong = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int rows = argc > 1 ? atoi(argv[1]) : 90;
  const int columns = argc > 2 ? atoi(argv[2]) : 130;
  const int steps = argc > 3 ? atoi(argv[3]) : 80;

  /* Chooses blocks that are as square as possible. */
  int down = 1;
  for (int i = 1; i * i <= size; ++i) {
    if (size % i == 0) down = i;
  }
  const int across = size / down;
  if (rows < down || columns < across) {
    if (rank == 0)
      fprintf(stderr, "heat: %d x %d cells; expected at least %d x %d for %d processes\n", rows,
              columns, down, across, size);
    MPI_Finalize();
    return 2;
  }

  const block own = block_of(rank, down, across, rows, columns);
  const int width = own.columns + 2;
  double *now = calloc((size_t)(own.rows + 2) * (size_t)width, sizeof *now),
         *next = calloc((size_t)(own.rows + 2) * (size_t)width, sizeof *next);
  const block inner_cells = {0, 0, own.rows, own.columns};
  MPI_Datatype inner = type_of(inner_cells, own.rows, own.columns), column;
  MPI_Type_vector(own.rows, 1, width, MPI_DOUBLE, &column);
  MPI_Type_commit(&column);
  const int up = rank >= across ? rank - across : MPI_PROC_NULL,
            under = rank + across < size ? rank + across : MPI_PROC_NULL;
  const int left = rank % across > 0 ? rank - 1 : MPI_PROC_NULL,
            right = (rank + 1) % across > 0 ? rank + 1 : MPI_PROC_NULL;

  double* plate = rank == 0 ? new_plate(rows, columns) : NULL;
  move_blocks(1, plate, down, across, rows, columns, now, inner);
  for (int i = 0; i < steps; ++i) {
    double *first = now + width + 1, *last_row = now + own.rows * width + 1,
           *last_column = now + width + own.columns;
    MPI_Sendrecv(first, own.columns, MPI_DOUBLE, up, 1, last_row + width, own.columns, MPI_DOUBLE,
                 under, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(last_row, own.columns, MPI_DOUBLE, under, 2, first - width, own.columns,
                 MPI_DOUBLE, up, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(first, 1, column, left, 3, last_column + 1, 1, column, right, 3, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    MPI_Sendrecv(last_column, 1, column, right, 4, first - 1, 1, column, left, 4, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    step(now, next, own.rows, own.columns);
    double* swap = now;
    now = next;
    next = swap;
  }
  move_blocks(0, plate, down, across, rows, columns, now, inner);

  if (rank == 0) {
    const size_t cells = (size_t)(rows + 2) * (size_t)(columns + 2);
    double *serial = new_plate(rows, columns), *after = calloc(cells, sizeof *after);
    for (int i = 0; i < steps; ++i) {
      step(serial, after, rows, columns);
      double* swap = serial;
      serial = after;
      after = swap;
    }
    wrong = memcmp(plate, serial, cells * sizeof *plate) != 0;
    unsigned long long checksum = 0;
    for (size_t i = 0; i < cells; ++i) {
      unsigned long long bits;
      memcpy(&bits, plate + i, sizeof bits);
      checksum = checksum * 31 + bits;
    }
    printf("heat: %d x %d cells, %d steps: checksum %016llx%s\n", rows, columns, steps, checksum,
           wrong ? ", WRONG" : "");
    free(after);
    free(serial);
  }
  free(plate);
  MPI_Type_free(&column);
  MPI_Type_free(&inner);
  free(next);
  free(now);
  MPI_Finalize();
  return wrong;
}
