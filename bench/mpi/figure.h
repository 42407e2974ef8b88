/* What the MPI measuring programs share: how they end, what they read from the command line, and
 * the line of JSON that they print. Each is compiled with each MPI from its own source and this.
 * Wrong usage ends the job with exit code 2, a wrong byte with 3. */
#ifndef LINTEL_BENCH_MPI_FIGURE_H
#define LINTEL_BENCH_MPI_FIGURE_H

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { WRONG_USE = 2, WRONG_DATA = 3 };

static int self;      /* this rank */
static long verified; /* messages, here */

static void fail(int code, const char* text) {
  fprintf(stderr, "%s: rank %d: %s\n", PROGRAM, self, text);
  MPI_Abort(MPI_COMM_WORLD, code);
  exit(code);
}

/* A multiple of `step`. */
static long number_from(const char* text, const char* what, long least, long step) {
  char* end = NULL;
  const long number = strtol(text, &end, 10);
  if (*text == '\0' || *end != '\0' || number < least || number > 2000000000L ||
      number % step != 0) {
    if (step == 1)
      fprintf(stderr, "%s: %s is '%s'; expected a number from %ld to 2000000000\n", PROGRAM, what,
              text, least);
    else
      fprintf(stderr,
              "%s: %s is '%s'; expected a number from %ld to 2000000000, a multiple of %ld\n",
              PROGRAM, what, text, least, step);
    MPI_Abort(MPI_COMM_WORLD, WRONG_USE);
    exit(WRONG_USE);
  }
  return number;
}

static void report(const char* measure, long of, long messages, const char* unit, double value) {
  long all = 0;
  MPI_Reduce(&verified, &all, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
  if (self != 0) return;
  printf(
      "{\"measure\": \"%s\", \"of\": %ld, \"messages\": %ld, \"value\": %.6g, \"unit\": \"%s\", "
      "\"verified_messages\": %ld}\n",
      measure, of, messages, value, unit, all);
}

#endif
