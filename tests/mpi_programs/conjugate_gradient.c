/* conjugate_gradient [n]: solves A x = b by conjugate gradients.
 *
 * A is the five-point Laplacian of a grid of n x n points, and its rows are distributed over the
 * processes. A row's product needs the rows above and below (MPI_Sendrecv, with MPI_PROC_NULL at
 * the edges). Scalar products are sums over all processes (MPI_Allreduce). b is computed from a
 * solution of whole numbers, which x must reach. Rank 0 also solves alone, as a communicator of
 * one, and compares. Sums differ in their last bits with the number of processes, so the checksum
 * is of x to six decimal places. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int n;

static int first_row(int part, int parts) { return (int)((long long)n * part / parts); }
static double absolute(double x) { return x < 0 ? -x : x; }
static double solution(int row, int column) {
  return row < 0 || row >= n || column < 0 || column >= n
             ? 0
             : (double)((row * 7 + column * 3) % 11 - 5);
}

/* The processes of `comm` solve together. Each has `rows` rows, with a row of zeros or of its
 * neighbour above and below. */
typedef struct {
  MPI_Comm comm;
  int above, below, begin, rows;
} part;

static double* new_vector(const part* own) {
  return calloc((size_t)(own->rows + 2) * (size_t)n, sizeof(double));
}

static double product(const part* own, const double* x, const double* y) {
  double sum = 0, total = 0;
  for (int i = n; i < (own->rows + 1) * n; ++i) sum += x[i] * y[i];
  MPI_Allreduce(&sum, &total, 1, MPI_DOUBLE, MPI_SUM, own->comm);
  return total;
}

static void multiply(const part* own, double* x, double* result) {
  const int last = own->rows * n;
  MPI_Sendrecv(x + n, n, MPI_DOUBLE, own->above, 1, x + last + n, n, MPI_DOUBLE, own->below, 1,
               own->comm, MPI_STATUS_IGNORE);
  MPI_Sendrecv(x + last, n, MPI_DOUBLE, own->below, 2, x, n, MPI_DOUBLE, own->above, 2, own->comm,
               MPI_STATUS_IGNORE);
  for (int i = n; i < last + n; ++i) {
    const int column = i % n;
    result[i] = 4 * x[i] - x[i - n] - x[i + n] - (column > 0 ? x[i - 1] : 0) -
                (column + 1 < n ? x[i + 1] : 0);
  }
}

/* This process's rows of x, without those of its neighbours. `*iterations` becomes -1 if it does
 * not converge. */
static double* solve(MPI_Comm comm, int* rows, int* iterations) {
  int rank, size;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  part own = {comm, rank > 0 ? rank - 1 : MPI_PROC_NULL, rank + 1 < size ? rank + 1 : MPI_PROC_NULL,
              first_row(rank, size), 0};
  own.rows = first_row(rank + 1, size) - own.begin;
  double *x = new_vector(&own), *r = new_vector(&own), *p = new_vector(&own),
         *ap = new_vector(&own);
  for (int i = n; i < (own.rows + 1) * n; ++i) {
    const int row = own.begin + i / n - 1, column = i % n;
    r[i] = 4 * solution(row, column) - solution(row - 1, column) - solution(row + 1, column) -
           solution(row, column - 1) - solution(row, column + 1);
    p[i] = r[i];
  }
  double rr = product(&own, r, r);
  const double enough = rr * 1e-24;
  for (*iterations = 0; rr > enough && *iterations < 20 * n; ++*iterations) {
    multiply(&own, p, ap);
    const double alpha = rr / product(&own, p, ap);
    for (int i = n; i < (own.rows + 1) * n; ++i) {
      x[i] += alpha * p[i];
      r[i] -= alpha * ap[i];
    }
    const double next = product(&own, r, r);
    for (int i = n; i < (own.rows + 1) * n; ++i) p[i] = r[i] + next / rr * p[i];
    rr = next;
  }
  if (rr > enough) *iterations = -1;
  for (int i = 0; i < own.rows * n; ++i) x[i] = x[i + n];
  free(ap);
  free(p);
  free(r);
  *rows = own.rows;
  return x;
}

int main(int argc, char** argv) {
  int rank, size, wrong = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  n = argc > 1 ? atoi(argv[1]) : 64;
  if (n < size) {
    if (rank == 0)
      fprintf(stderr,
              "conjugate_gradient: %d rows; expected at least one for each of %d processes\n", n,
              size);
    MPI_Finalize();
    return 2;
  }
  int rows, iterations;
  double* own = solve(MPI_COMM_WORLD, &rows, &iterations);

  double* x = NULL;
  int* counts = calloc((size_t)size, sizeof(int));
  int* places = calloc((size_t)size, sizeof(int));
  for (int process = 0; process < size; ++process) {
    places[process] = first_row(process, size) * n;
    counts[process] = first_row(process + 1, size) * n - places[process];
  }
  if (rank == 0) x = malloc((size_t)n * (size_t)n * sizeof *x);
  MPI_Gatherv(own, rows * n, MPI_DOUBLE, x, counts, places, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  if (rank == 0) {
    int serial_iterations;
    double* serial = solve(MPI_COMM_SELF, &rows, &serial_iterations);
    unsigned long long checksum = 0;
    wrong = iterations < 0 || serial_iterations < 0;
    for (int i = 0; i < n * n; ++i) {
      if (absolute(x[i] - serial[i]) > 1e-8 || absolute(x[i] - solution(i / n, i % n)) > 1e-8)
        wrong = 1;
      const long long millionths = (long long)((x[i] + 1000) * 1e6 + 0.5);
      checksum = checksum * 31 + (unsigned long long)millionths;
    }
    printf("conjugate_gradient: %d x %d points: checksum %016llx%s\n", n, n, checksum,
           wrong ? ", WRONG" : "");
    free(serial);
  }
  free(places);
  free(counts);
  free(x);
  free(own);
  MPI_Finalize();
  return wrong;
}
