/*
 * collective_perf: one collective function of MPI, at the sizes between which the library chooses
 * its algorithm. As many ranks as there are.
 *
 *   collective_perf FUNCTION SIZE CALLS WARM_UP     microseconds of one call, the mean; the
 *                                                   greatest of any rank's
 *     broadcast       SIZE bytes from rank 0
 *     gather          SIZE bytes of each rank to rank 0
 *     scatter         the reverse
 *     allgather       SIZE bytes of all ranks together to all
 *     alltoall        SIZE bytes from each rank to each
 *     reduce          the sum of SIZE bytes of doubles of each rank, to rank 0
 *     allreduce       likewise, to all
 *     reduce_scatter  likewise, to each rank its part
 *
 * A barrier comes before each call and is not counted: without one, rank 0 of a broadcast would run
 * ahead of the others. What each call of the warm-up brings is verified, and what the last timed
 * one has left. Prints one line of JSON. Exit code 0; 2: wrong command line; 3: wrong data. A rank
 * that is not done after LIMIT_SECONDS ends by SIGALRM.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PROGRAM "collective_perf"
#include "figure.h"

enum { LIMIT_SECONDS = 110 };

static int ranks;
static size_t part;             /* bytes from one rank, or to one */
static unsigned char *out, *in; /* a part for each rank */

static int count(void) { return (int)part; }
static int items(void) { return (int)(part / sizeof(double)); }
static unsigned char *place(unsigned char *memory, int rank) {
  return memory + (size_t)rank * part;
}

/* What rank `from` sends to rank `to` in call `number`. */
static unsigned char content(long number, int from, int to) {
  return (unsigned char)(number * 31 + from * 7 + to * 3 + 1);
}
static void fill_part(unsigned char *memory, long number, int from, int to) {
  memset(memory, content(number, from, to), part);
}
static void verify_part(const unsigned char *memory, long number, int from, int to) {
  if (memory[0] != content(number, from, to) || memcmp(memory, memory + 1, part - 1) != 0)
    fail(WRONG_DATA, "received a wrong byte");
  ++verified;
}

/* Whole numbers, whose sum a double represents exactly. */
static double item(long number, int rank, size_t at) {
  return (double)(number + rank) * 3 + (double)(at % 1000);
}
static void fill_items(long number) {
  double *const own = (double *)out;
  for (size_t at = 0; at < part * (size_t)ranks / sizeof *own; ++at)
    own[at] = item(number, self, at);
}
static void verify_sums(long number, size_t first) {
  const double *const sums = (const double *)in;
  for (size_t at = 0; at < part / sizeof *sums; ++at) {
    double expected = 0;
    for (int rank = 0; rank < ranks; ++rank) expected += item(number, rank, first + at);
    if (sums[at] != expected) fail(WRONG_DATA, "got a wrong sum");
  }
  ++verified;
}

/* ---- Each in three steps: fill what is sent, call, verify what was received. */

static void fill_own(long number) { fill_part(out, number, self, 0); }
static void fill_all(long number) {
  for (int to = 0; to < ranks; ++to) fill_part(place(out, to), number, self, to);
}
static void verify_all(long number) {
  for (int from = 0; from < ranks; ++from) verify_part(place(in, from), number, from, self);
}
static void verify_own_of_each(long number) {
  for (int from = 0; from < ranks; ++from) verify_part(place(in, from), number, from, 0);
}
static void verify_at_root(long number) {
  if (self == 0) verify_own_of_each(number);
}
static void verify_of_root(long number) { verify_part(in, number, 0, self); }
static void verify_broadcast(long number) { verify_part(self == 0 ? out : in, number, 0, 0); }
static void verify_all_sums(long number) { verify_sums(number, 0); }
static void verify_sums_at_root(long number) {
  if (self == 0) verify_sums(number, 0);
}
static void verify_own_sums(long number) {
  verify_sums(number, (size_t)self * part / sizeof(double));
}

static void broadcast(void) {
  MPI_Bcast(self == 0 ? out : in, count(), MPI_BYTE, 0, MPI_COMM_WORLD);
}
static void gather(void) {
  MPI_Gather(out, count(), MPI_BYTE, in, count(), MPI_BYTE, 0, MPI_COMM_WORLD);
}
static void scatter(void) {
  MPI_Scatter(out, count(), MPI_BYTE, in, count(), MPI_BYTE, 0, MPI_COMM_WORLD);
}
static void allgather(void) {
  MPI_Allgather(out, count(), MPI_BYTE, in, count(), MPI_BYTE, MPI_COMM_WORLD);
}
static void alltoall(void) {
  MPI_Alltoall(out, count(), MPI_BYTE, in, count(), MPI_BYTE, MPI_COMM_WORLD);
}
static void reduce(void) {
  MPI_Reduce(out, in, items(), MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
}
static void allreduce(void) {
  MPI_Allreduce(out, in, items(), MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}
static void reduce_scatter(void) {
  MPI_Reduce_scatter_block(out, in, items(), MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

struct measured_function {
  const char *name;
  int is_of_all; /* SIZE is that of the parts of all ranks together */
  void (*fill)(long number);
  void (*call)(void);
  void (*verify)(long number);
};
static const struct measured_function functions[] = {
    {"broadcast", 0, fill_own, broadcast, verify_broadcast},
    {"gather", 0, fill_own, gather, verify_at_root},
    {"scatter", 0, fill_all, scatter, verify_of_root},
    {"allgather", 1, fill_own, allgather, verify_own_of_each},
    {"alltoall", 0, fill_all, alltoall, verify_all},
    {"reduce", 0, fill_items, reduce, verify_sums_at_root},
    {"allreduce", 0, fill_items, allreduce, verify_all_sums},
    {"reduce_scatter", 1, fill_items, reduce_scatter, verify_own_sums},
};

static double seconds_of(const struct measured_function *function, long calls, long warm_up) {
  for (long number = 0; number < warm_up; ++number) {
    function->fill(number);
    function->call();
    function->verify(number);
  }
  function->fill(warm_up);
  double own = 0, greatest = 0;
  for (long i = 0; i < calls; ++i) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = MPI_Wtime();
    function->call();
    own += MPI_Wtime() - start;
  }
  function->verify(warm_up);
  MPI_Allreduce(&own, &greatest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return greatest;
}

int main(int argc, char **argv) {
  alarm(LIMIT_SECONDS);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &self);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const struct measured_function *function = NULL;
  for (size_t i = 0; argc == 5 && i < sizeof functions / sizeof *functions; ++i) {
    if (strcmp(functions[i].name, argv[1]) == 0) function = &functions[i];
  }
  if (function == NULL)
    fail(WRONG_USE,
         "expected broadcast, gather, scatter, allgather, alltoall, reduce, allreduce or "
         "reduce_scatter, then SIZE, CALLS and WARM_UP");
  const long step = (long)sizeof(double) * (function->is_of_all ? ranks : 1);
  const long size = number_from(argv[2], "SIZE", step, step);
  const long calls = number_from(argv[3], "CALLS", 1, 1);
  const long warm_up = number_from(argv[4], "WARM_UP", 1, 1);
  part = (size_t)size / (size_t)(function->is_of_all ? ranks : 1);
  out = calloc((size_t)ranks, part);
  in = calloc((size_t)ranks, part);
  if (out == NULL || in == NULL) fail(WRONG_USE, "no memory for the messages");
  report(function->name, size, calls, "us",
         seconds_of(function, calls, warm_up) * 1e6 / (double)calls);
  free(in);
  free(out);
  MPI_Finalize();
  return 0;
}
