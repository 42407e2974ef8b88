/*
 * ranks_perf: what all ranks of one MPI do together, of as many as there are: with more ranks than
 * processors, they wait for each other's turn on these as well. Compiled with each MPI that
 * bench/compare sets beside Lintel's.
 *
 *   ranks_perf MEASURE CALLS WARM_UP      microseconds of one call, the mean; the greatest of any
 *   rank's
 *     barrier      MPI_Barrier
 *     allreduce    MPI_Allreduce, the sum of one double
 *     alltoall     MPI_Alltoall, 1 KiB to each
 *     incast       20 messages of 1 KiB from every rank to rank 0, which has posted all receives,
 *                  then a barrier
 *     polled       20 messages of 1 KiB from every rank to ranks at random, from any source;
 *                  nothing waits: MPI_Testany and MPI_Iprobe are called until all are there
 *     split        MPI_Comm_split into the even and the odd ranks, and MPI_Comm_free
 *     dup          MPI_Comm_dup, and MPI_Comm_free
 *
 * What each call of the warm-up brings is verified, and what the last timed one has left. Prints
 * one line of JSON. Exit code 0; 2: wrong command line; 3: wrong data. A rank that is not done
 * after LIMIT_SECONDS ends by SIGALRM.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PROGRAM "ranks_perf"
#include "figure.h"

enum { LIMIT_SECONDS = 110, PART = 1024, INCAST = 20 };

static int ranks;
static unsigned char *out, *in; /* a part for each rank; in of rank 0: INCAST of them */
static MPI_Request *requests;
static double sum;

/* What rank `from` sends to rank `to` in call `number`, as message `index`. */
static unsigned char content(long number, int from, int to, int index) {
  return (unsigned char)(number * 31 + from * 7 + to * 3 + index);
}

static void verify_part(const unsigned char *part, unsigned char expected) {
  if (part[0] != expected || memcmp(part, part + 1, PART - 1) != 0)
    fail(WRONG_DATA, "received a wrong byte");
  ++verified;
}

/* ---- Each in three steps: fill what is sent, call, verify what was received. */

static void fill_nothing(long number) { (void)number; }

static void call_barrier(long number) {
  (void)number;
  MPI_Barrier(MPI_COMM_WORLD);
}
static void verify_barrier(long number) {
  (void)number;
  ++verified; /* it has ended */
}

static void call_allreduce(long number) {
  const double own = (double)(number + self);
  MPI_Allreduce(&own, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}
static void verify_allreduce(long number) {
  if (sum != (double)ranks * (double)number + (double)ranks * (double)(ranks - 1) / 2)
    fail(WRONG_DATA, "got a wrong sum");
  ++verified;
}

static void fill_alltoall(long number) {
  for (int to = 0; to < ranks; ++to)
    memset(out + (size_t)to * PART, content(number, self, to, 0), PART);
}
static void call_alltoall(long number) {
  (void)number;
  MPI_Alltoall(out, PART, MPI_BYTE, in, PART, MPI_BYTE, MPI_COMM_WORLD);
}
static void verify_alltoall(long number) {
  for (int from = 0; from < ranks; ++from)
    verify_part(in + (size_t)from * PART, content(number, from, self, 0));
}

/* Address of message `index` of rank `from`. */
static unsigned char *place_of(int from, int index) {
  return in + ((size_t)from * INCAST + (size_t)index) * PART;
}

static void fill_incast(long number) {
  for (int index = 0; index < INCAST; ++index)
    memset(out + (size_t)index * PART, content(number, self, 0, index), PART);
}
static void call_incast(long number) {
  (void)number;
  if (self != 0) {
    for (int index = 0; index < INCAST; ++index)
      MPI_Send(out + (size_t)index * PART, PART, MPI_BYTE, 0, index, MPI_COMM_WORLD);
  } else {
    int count = 0;
    for (int from = 1; from < ranks; ++from) {
      for (int index = 0; index < INCAST; ++index)
        MPI_Irecv(place_of(from, index), PART, MPI_BYTE, from, index, MPI_COMM_WORLD,
                  &requests[count++]);
    }
    MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
  }
  MPI_Barrier(MPI_COMM_WORLD);
}
static void verify_incast(long number) {
  for (int from = 1; self == 0 && from < ranks; ++from) {
    for (int index = 0; index < INCAST; ++index)
      verify_part(place_of(from, index), content(number, from, 0, index));
  }
}

/* The rank to which message `index` of rank `from` goes in call `number`. Every rank computes it
 * for all, so each knows how many will come. */
static int target_of(long number, int from, int index) {
  unsigned long bits =
      (unsigned long)number * 1000003UL + (unsigned long)from * INCAST + (unsigned long)index;
  bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9UL; /* the mixing steps of SplitMix64 */
  bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebUL;
  return (int)((bits ^ (bits >> 31)) % (unsigned long)ranks);
}

static int targets[INCAST], expected; /* messages of a call for this rank */

static void fill_polled(long number) {
  expected = 0;
  for (int from = 0; from < ranks; ++from) {
    for (int index = 0; index < INCAST; ++index) expected += target_of(number, from, index) == self;
  }
  for (int index = 0; index < INCAST; ++index) {
    targets[index] = target_of(number, self, index);
    memset(out + (size_t)index * PART, content(number, self, targets[index], index), PART);
  }
}
static void call_polled(long number) {
  (void)number;
  for (int index = 0; index < INCAST; ++index)
    MPI_Isend(out + (size_t)index * PART, PART, MPI_BYTE, targets[index], index, MPI_COMM_WORLD,
              &requests[index]);
  for (int came = 0, sent = 0; came < expected || sent < INCAST;) {
    int index, is_sent = 0, is_there = 0;
    MPI_Status status;
    if (sent < INCAST) MPI_Testany(INCAST, requests, &index, &is_sent, MPI_STATUS_IGNORE);
    sent += is_sent;
    if (came < expected)
      MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &is_there, &status);
    if (!is_there) continue;
    MPI_Recv(place_of(status.MPI_SOURCE, status.MPI_TAG), PART, MPI_BYTE, status.MPI_SOURCE,
             status.MPI_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    ++came;
  }
  MPI_Barrier(MPI_COMM_WORLD); /* otherwise a message of the next call is taken for one of this */
}
static void verify_polled(long number) {
  for (int from = 0; from < ranks; ++from) {
    for (int index = 0; index < INCAST; ++index) {
      if (target_of(number, from, index) == self)
        verify_part(place_of(from, index), content(number, from, self, index));
    }
  }
}

static int made_size, made_rank;

static void take_apart(MPI_Comm made) {
  MPI_Comm_size(made, &made_size);
  MPI_Comm_rank(made, &made_rank);
  MPI_Comm_free(&made);
}
static void call_split(long number) {
  (void)number;
  MPI_Comm made;
  MPI_Comm_split(MPI_COMM_WORLD, self % 2, 0, &made);
  take_apart(made);
}
static void verify_split(long number) {
  (void)number;
  if (made_size != (ranks + 1 - self % 2) / 2 || made_rank != self / 2)
    fail(WRONG_DATA, "has a wrong place in a communicator");
  ++verified;
}
static void call_dup(long number) {
  (void)number;
  MPI_Comm made;
  MPI_Comm_dup(MPI_COMM_WORLD, &made);
  take_apart(made);
}
static void verify_dup(long number) {
  (void)number;
  if (made_size != ranks || made_rank != self)
    fail(WRONG_DATA, "has a wrong place in a communicator");
  ++verified;
}

struct measured_operation {
  const char *name;
  void (*fill)(long number);
  void (*call)(long number);
  void (*verify)(long number);
};
static const struct measured_operation operations[] = {
    {"barrier", fill_nothing, call_barrier, verify_barrier},
    {"allreduce", fill_nothing, call_allreduce, verify_allreduce},
    {"alltoall", fill_alltoall, call_alltoall, verify_alltoall},
    {"incast", fill_incast, call_incast, verify_incast},
    {"polled", fill_polled, call_polled, verify_polled},
    {"split", fill_nothing, call_split, verify_split},
    {"dup", fill_nothing, call_dup, verify_dup},
};

static double seconds_of(const struct measured_operation *operation, long calls, long warm_up) {
  for (long number = 0; number < warm_up; ++number) {
    operation->fill(number);
    operation->call(number);
    operation->verify(number);
  }
  operation->fill(warm_up);
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  for (long i = 0; i < calls; ++i) operation->call(warm_up);
  const double own = MPI_Wtime() - start;
  operation->verify(warm_up);
  double greatest = 0;
  MPI_Allreduce(&own, &greatest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return greatest;
}

int main(int argc, char **argv) {
  alarm(LIMIT_SECONDS);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &self);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const struct measured_operation *operation = NULL;
  for (size_t i = 0; argc == 4 && i < sizeof operations / sizeof *operations; ++i) {
    if (strcmp(operations[i].name, argv[1]) == 0) operation = &operations[i];
  }
  if (operation == NULL)
    fail(WRONG_USE,
         "expected barrier, allreduce, alltoall, incast, polled, split or dup, then CALLS and "
         "WARM_UP");
  const long calls = number_from(argv[2], "CALLS", 1, 1);
  const long warm_up = number_from(argv[3], "WARM_UP", 1, 1);
  const size_t places = (size_t)ranks * INCAST;
  out = calloc(places, PART);
  in = calloc(places, PART);
  requests = malloc(places * sizeof *requests);
  if (out == NULL || in == NULL || requests == NULL) fail(WRONG_USE, "no memory for the messages");
  report(operation->name, ranks, calls, "us",
         seconds_of(operation, calls, warm_up) * 1e6 / (double)calls);
  free(requests);
  free(in);
  free(out);
  MPI_Finalize();
  return 0;
}
