/*
 * mpi_perf: latency, message rate, bandwidth, two collective functions and the cost of long queues
 * of one MPI, between two ranks. One source and figure.h, only mpi.h: compiled with each MPI that
 * bench/compare sets beside Lintel's.
 *
 *   mpi_perf latency     SIZE MESSAGES WARM_UP           half a round trip, microseconds: blocking
 *                        sends and receives
 *   mpi_perf rate        SIZE MESSAGES WARM_UP WINDOW    messages per second, one way
 *   mpi_perf bandwidth   SIZE MESSAGES WARM_UP WINDOW    MB/s (1e6 bytes), one way
 *   mpi_perf bibandwidth SIZE MESSAGES WARM_UP WINDOW    MB/s of both ways together, at the same
 *   time
 *   mpi_perf allreduce   SIZE CALLS WARM_UP              one MPI_Allreduce, microseconds: sums of
 *                        SIZE bytes of doubles
 *   mpi_perf alltoall    SIZE CALLS WARM_UP              one MPI_Alltoall, microseconds: SIZE bytes
 *                        to each rank
 *   mpi_perf posted      DEPTH MESSAGES WARM_UP [any]    latency of 8 bytes behind DEPTH posted
 *                                                        receives that it does not match, at both
 *                                                        ranks; any: all receives are from
 *                                                        MPI_ANY_SOURCE, else they name the source
 *   mpi_perf unexpected  DEPTH MESSAGES WARM_UP [any]    the same behind DEPTH messages that were
 *                        sent before and are received after it
 *
 * One way: a window of MPI_Isend meets a window of MPI_Irecv, each ended by MPI_Waitall, and every
 * window is answered by a message of no bytes. Both ways: each rank has both windows, the receives
 * posted first, in one MPI_Waitall, and both answer. The clock stops when the last answer is there.
 * Each message of a window has memory of its own, at both ends.
 *
 * One long message of each rank comes first. TCP's receive window grows with the longest message so
 * far, and until then another side sends its acknowledgements: with 8 bytes, the rate of a young
 * connection is up to a tenth higher than it ever is again.
 *
 * Every byte of the warm-up is verified, with other content in each message, and so is what the
 * last messages of the timed part have left, and every message that lay in a queue. The timed part
 * itself does nothing but pass messages.
 *
 * Prints one line of JSON. Exit code 0; 2: wrong command line; a wrong byte or length ends the job
 * with exit code 3. A rank that is not done after LIMIT_SECONDS ends by SIGALRM: not every launcher
 * takes its ranks along when it is killed.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PROGRAM "mpi_perf"
#include "figure.h"

enum { LIMIT_SECONDS = 110 };
enum { TAG_DATA = 1, TAG_ANSWER = 2, TAG_QUEUED = 1000 };
enum { RANKS = 2, QUEUED_SIZE = 8, ALIGNMENT = 4096, LONG_BYTES = 1 << 20 };

static int other; /* rank */

static unsigned char *memory_of(size_t bytes) {
  void *memory = NULL;
  if (posix_memalign(&memory, ALIGNMENT, bytes > 0 ? bytes : 1) != 0)
    fail(WRONG_USE, "no memory for the messages");
  memset(memory, 0, bytes);
  return memory;
}

/* The content of message `number`: eight bytes that differ in each message and at each position. */
static unsigned long long word_of(unsigned long long number, size_t place) {
  unsigned long long word = (number + 1) * 0x9E3779B97F4A7C15ULL + place;
  return word ^ (word >> 29);
}

static void fill(unsigned char *message, size_t size, unsigned long long number) {
  for (size_t at = 0; at < size; at += sizeof(unsigned long long)) {
    const unsigned long long word = word_of(number, at);
    memcpy(message + at, &word, size - at < sizeof word ? size - at : sizeof word);
  }
}

static void verify(const unsigned char *message, size_t size, unsigned long long number) {
  for (size_t at = 0; at < size; at += sizeof(unsigned long long)) {
    const unsigned long long word = word_of(number, at);
    if (memcmp(message + at, &word, size - at < sizeof word ? size - at : sizeof word) != 0)
      fail(WRONG_DATA, "received a wrong byte");
  }
  ++verified;
}

static void verify_status(const MPI_Status *status, int size, int tag) {
  int count = -1;
  MPI_Get_count(status, MPI_BYTE, &count);
  if (count != size || status->MPI_SOURCE != other || status->MPI_TAG != tag)
    fail(WRONG_DATA, "received a wrong length, source or tag");
}

/* ---- There and back */

static void pass(unsigned char *out, unsigned char *in, int size, int source) {
  if (self == 0) {
    MPI_Send(out, size, MPI_BYTE, other, TAG_DATA, MPI_COMM_WORLD);
    MPI_Recv(in, size, MPI_BYTE, source, TAG_DATA, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else {
    MPI_Recv(in, size, MPI_BYTE, source, TAG_DATA, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(out, size, MPI_BYTE, other, TAG_DATA, MPI_COMM_WORLD);
  }
}

/* Returns the seconds of `messages` round trips. */
static double ping_pong(int size, long messages, long warm_up, int source) {
  unsigned char *const out = memory_of((size_t)size);
  unsigned char *const in = memory_of((size_t)size);
  for (long i = 0; i < warm_up; ++i) {
    fill(out, (size_t)size, (unsigned long long)i);
    pass(out, in, size, source);
    verify(in, (size_t)size, (unsigned long long)i);
  }
  fill(out, (size_t)size, (unsigned long long)warm_up);
  const double start = MPI_Wtime();
  for (long i = 0; i < messages; ++i) pass(out, in, size, source);
  const double seconds = MPI_Wtime() - start;
  verify(in, (size_t)size, (unsigned long long)warm_up);
  free(out);
  free(in);
  return seconds;
}

/* ---- One way, and both ways */

struct window {
  unsigned char *out, *in; /* NULL: this rank sends nothing, or receives nothing */
  MPI_Request *requests;   /* room for both */
  size_t size;
  int length;
};

static void pass_window(const struct window *window) {
  const int size = (int)window->size;
  int under_way = 0;
  for (int i = 0; window->in != NULL && i < window->length; ++i)
    MPI_Irecv(window->in + (size_t)i * window->size, size, MPI_BYTE, other, TAG_DATA,
              MPI_COMM_WORLD, &window->requests[under_way++]);
  for (int i = 0; window->out != NULL && i < window->length; ++i)
    MPI_Isend(window->out + (size_t)i * window->size, size, MPI_BYTE, other, TAG_DATA,
              MPI_COMM_WORLD, &window->requests[under_way++]);
  MPI_Waitall(under_way, window->requests, MPI_STATUSES_IGNORE);
  if (window->in != NULL) MPI_Send(NULL, 0, MPI_BYTE, other, TAG_ANSWER, MPI_COMM_WORLD);
  if (window->out != NULL)
    MPI_Recv(NULL, 0, MPI_BYTE, other, TAG_ANSWER, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void fill_window(const struct window *window, unsigned long long first) {
  for (int i = 0; window->out != NULL && i < window->length; ++i)
    fill(window->out + (size_t)i * window->size, window->size, first + (unsigned long long)i);
}

static void verify_window(const struct window *window, unsigned long long first) {
  for (int i = 0; window->in != NULL && i < window->length; ++i)
    verify(window->in + (size_t)i * window->size, window->size, first + (unsigned long long)i);
}

/* Returns the seconds of as many whole windows as `*messages` needs in one direction. `*messages`
 * becomes what they hold. */
static double stream(size_t size, long *messages, long warm_up, int length, int both_ways) {
  const size_t bytes = size * (size_t)length;
  struct window window = {NULL, NULL, malloc(2 * (size_t)length * sizeof(MPI_Request)), size,
                          length};
  if (window.requests == NULL) fail(WRONG_USE, "no memory for the requests");
  if (both_ways || self == 0) window.out = memory_of(bytes);
  if (both_ways || self == 1) window.in = memory_of(bytes);
  const long windows = (*messages + length - 1) / length;
  unsigned long long number = 0;
  for (long done = 0; done < warm_up; done += length, number += (unsigned long long)length) {
    fill_window(&window, number);
    pass_window(&window);
    verify_window(&window, number);
  }
  fill_window(&window, number);
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  for (long i = 0; i < windows; ++i) pass_window(&window);
  const double seconds = MPI_Wtime() - start;
  verify_window(&window, number);
  *messages = windows * length;
  free(window.requests);
  free(window.out);
  free(window.in);
  return seconds;
}

/* See above. */
static void exchange_long(void) {
  unsigned char *const memory = memory_of(2 * LONG_BYTES);
  memset(memory, 0, LONG_BYTES);
  MPI_Sendrecv(memory, LONG_BYTES, MPI_BYTE, other, TAG_DATA, memory + LONG_BYTES, LONG_BYTES,
               MPI_BYTE, other, TAG_DATA, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  free(memory);
}

/* ---- Collective functions. In each call `number` each rank has other content, and in an alltoall
 * for each receiver. */

static unsigned long long part_number(unsigned long long number, int from, int to) {
  return (number * RANKS + (unsigned)from) * RANKS + (unsigned)to;
}

/* Whole numbers, whose sum a double represents exactly. */
static double summand(unsigned long long number, int rank, size_t place) {
  return (double)(word_of(part_number(number, rank, 0), place) & 0xFFFFFFFFFFFFULL);
}

static void fill_summands(unsigned char *message, size_t size, unsigned long long number) {
  double *const summands = (double *)message;
  for (size_t i = 0; i < size / sizeof(double); ++i) summands[i] = summand(number, self, i);
}

static void verify_sums(const unsigned char *message, size_t size, unsigned long long number) {
  const double *const sums = (const double *)message;
  for (size_t i = 0; i < size / sizeof(double); ++i) {
    if (sums[i] != summand(number, 0, i) + summand(number, 1, i))
      fail(WRONG_DATA, "got a wrong sum");
  }
  ++verified;
}

static void reduce_all(unsigned char *out, unsigned char *in, size_t size) {
  MPI_Allreduce(out, in, (int)(size / sizeof(double)), MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static void fill_parts(unsigned char *message, size_t size, unsigned long long number) {
  for (int to = 0; to < RANKS; ++to)
    fill(message + (size_t)to * size, size, part_number(number, self, to));
}

static void verify_parts(const unsigned char *message, size_t size, unsigned long long number) {
  for (int from = 0; from < RANKS; ++from)
    verify(message + (size_t)from * size, size, part_number(number, from, self));
}

static void exchange_all(unsigned char *out, unsigned char *in, size_t size) {
  MPI_Alltoall(out, (int)size, MPI_BYTE, in, (int)size, MPI_BYTE, MPI_COMM_WORLD);
}

struct collective {
  void (*fill)(unsigned char *out, size_t size, unsigned long long number);
  void (*call)(unsigned char *out, unsigned char *in, size_t size);
  void (*verify)(const unsigned char *in, size_t size, unsigned long long number);
};
static const struct collective allreduce = {fill_summands, reduce_all, verify_sums},
                               alltoall = {fill_parts, exchange_all, verify_parts};

/* Returns the seconds of `calls`. */
static double together(const struct collective *collective, size_t size, long calls, long warm_up) {
  unsigned char *const out = memory_of(size * RANKS);
  unsigned char *const in = memory_of(size * RANKS);
  for (long i = 0; i < warm_up; ++i) {
    collective->fill(out, size, (unsigned long long)i);
    collective->call(out, in, size);
    collective->verify(in, size, (unsigned long long)i);
  }
  collective->fill(out, size, (unsigned long long)warm_up);
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  for (long i = 0; i < calls; ++i) collective->call(out, in, size);
  const double seconds = MPI_Wtime() - start;
  collective->verify(in, size, (unsigned long long)warm_up);
  free(out);
  free(in);
  return seconds;
}

/* ---- Behind long queues */

static unsigned long long queued_number(int rank, int index) {
  return ((unsigned long long)(rank + 1) << 40) + (unsigned long long)index;
}

static void send_queued(int depth) {
  for (int i = 0; i < depth; ++i) {
    unsigned char message[QUEUED_SIZE];
    fill(message, QUEUED_SIZE, queued_number(self, i));
    MPI_Send(message, QUEUED_SIZE, MPI_BYTE, other, TAG_QUEUED + i, MPI_COMM_WORLD);
  }
}

static double behind_posted(int depth, long messages, long warm_up, int source) {
  unsigned char *const memory = memory_of((size_t)depth * QUEUED_SIZE);
  MPI_Request *const requests = malloc((size_t)(depth + 1) * sizeof *requests);
  MPI_Status *const statuses = malloc((size_t)(depth + 1) * sizeof *statuses);
  if (requests == NULL || statuses == NULL) fail(WRONG_USE, "no memory for the requests");
  for (int i = 0; i < depth; ++i)
    MPI_Irecv(memory + (size_t)i * QUEUED_SIZE, QUEUED_SIZE, MPI_BYTE, source, TAG_QUEUED + i,
              MPI_COMM_WORLD, &requests[i]);
  MPI_Barrier(MPI_COMM_WORLD);
  const double seconds = ping_pong(QUEUED_SIZE, messages, warm_up, source);
  MPI_Barrier(MPI_COMM_WORLD);
  send_queued(depth);
  MPI_Waitall(depth, requests, statuses);
  for (int i = 0; i < depth; ++i) {
    verify_status(&statuses[i], QUEUED_SIZE, TAG_QUEUED + i);
    verify(memory + (size_t)i * QUEUED_SIZE, QUEUED_SIZE, queued_number(other, i));
  }
  free(statuses);
  free(requests);
  free(memory);
  return seconds;
}

static double behind_unexpected(int depth, long messages, long warm_up, int source) {
  send_queued(depth);
  /* Messages of a pair do not overtake each other, so after the first round trip all of them have
   * arrived. */
  const double seconds = ping_pong(QUEUED_SIZE, messages, warm_up, source);
  for (int i = 0; i < depth; ++i) {
    unsigned char message[QUEUED_SIZE];
    MPI_Status status;
    MPI_Recv(message, QUEUED_SIZE, MPI_BYTE, source, TAG_QUEUED + i, MPI_COMM_WORLD, &status);
    verify_status(&status, QUEUED_SIZE, TAG_QUEUED + i);
    verify(message, QUEUED_SIZE, queued_number(other, i));
  }
  return seconds;
}

/* ---- */

int main(int argc, char **argv) {
  int ranks = 0;
  alarm(LIMIT_SECONDS);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &self);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (ranks != RANKS) fail(WRONG_USE, "expected two ranks");
  other = 1 - self;
  if (argc < 5) fail(WRONG_USE, "expected MEASURE SIZE|DEPTH MESSAGES|CALLS WARM_UP [WINDOW|any]");
  const char *const measure = argv[1];
  const int sums = strcmp(measure, "allreduce") == 0,
            both_ways = strcmp(measure, "bibandwidth") == 0;
  const long of = number_from(argv[2], "SIZE or DEPTH", 0, sums ? (long)sizeof(double) : 1);
  long messages = number_from(argv[3], "MESSAGES or CALLS", 1, 1);
  const long warm_up = number_from(argv[4], "WARM_UP", 1, 1);
  exchange_long();
  if (strcmp(measure, "latency") == 0 && argc == 5) {
    report(measure, of, messages, "us",
           ping_pong((int)of, messages, warm_up, other) * 1e6 / 2 / (double)messages);
  } else if ((strcmp(measure, "rate") == 0 || strcmp(measure, "bandwidth") == 0 || both_ways) &&
             argc == 6) {
    const double seconds = stream((size_t)of, &messages, warm_up,
                                  (int)number_from(argv[5], "WINDOW", 1, 1), both_ways);
    if (*measure == 'r')
      report(measure, of, messages, "messages/s", (double)messages / seconds);
    else
      report(measure, of, messages, "MB/s",
             (both_ways ? 2 : 1) * (double)messages * (double)of / seconds / 1e6);
  } else if ((sums || strcmp(measure, "alltoall") == 0) && argc == 5) {
    report(measure, of, messages, "us",
           together(sums ? &allreduce : &alltoall, (size_t)of, messages, warm_up) * 1e6 /
               (double)messages);
  } else if ((strcmp(measure, "posted") == 0 || strcmp(measure, "unexpected") == 0) &&
             (argc == 5 || (argc == 6 && strcmp(argv[5], "any") == 0))) {
    const int source = argc == 6 ? MPI_ANY_SOURCE : other;
    const double seconds =
        (*measure == 'p' ? behind_posted : behind_unexpected)((int)of, messages, warm_up, source);
    report(measure, of, messages, "us", seconds * 1e6 / 2 / (double)messages);
  } else {
    fail(WRONG_USE,
         "expected latency, rate, bandwidth, bibandwidth, allreduce, alltoall, posted or "
         "unexpected, and the arguments of that");
  }
  MPI_Finalize();
  return 0;
}
