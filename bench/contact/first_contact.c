/* How long a first contact takes: the first put to a process, from PtlPut until its acknowledgement
 * is there. Connection, handshake and put are all in it.
 *
 * lintel-run -n N first_contact SIZE
 *
 * Rank 0 puts SIZE bytes to each other rank in turn, and once more: the same without a first
 * contact. The others wait in PtlEQWait, and verify what they got. Rank 0 pauses before each put,
 * so that the target sleeps in the kernel in both cases, and nobody else does anything. It prints
 * one line of JSON: all times by rank, and the medians, us. No target was in contact with anybody
 * before, so what a process does once in its life for contacts is in the first time of each target.
 * What rank 0 does once is in the first time of all.
 *
 * Portals 3 and its run-time functions alone, so it runs with the libraries of other builds too
 * (LD_LIBRARY_PATH). Exit code 0; 2: wrong command line, or a call failed; 3: a wrong byte.
 */
#include <p3rt/p3rt.h>
#include <portals3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
  LIMIT_SECONDS = 110,
  WRONG_USE = 2,
  WRONG_DATA = 3,
  PORTAL = 4,
  MATCH_BITS = 8,
  MOST_BYTES = 1 << 20,
  MOST_RANKS = 1024,
  PUTS = 3,        /* to each: first, second, and one that ends it */
  SETTLE_MS = 100, /* the other ranks still leave their launcher when rank 0 begins */
  /* Longer than a call that waits polls before it sleeps, and than acknowledgements of the network
   * may be owed. */
  PAUSE_MS = 20
};

#define MUST(call)                                                             \
  do {                                                                         \
    const int code_ = (call);                                                  \
    if (code_ != PTL_OK) fail(WRONG_USE, #call, PtlErrorStr((unsigned)code_)); \
  } while (0)

static unsigned rank, ranks;
static size_t size;

static void fail(int code, const char *what, const char *why) {
  fprintf(stderr, "first_contact: rank %u: %s: %s\n", rank, what, why);
  exit(code);
}

static size_t size_from(const char *text) {
  char *end = NULL;
  const long number = strtol(text, &end, 10);
  if (*text == '\0' || *end != '\0' || number < 1 || number > MOST_BYTES) {
    fprintf(stderr, "first_contact: SIZE is '%s'; expected a number from 1 to %d\n", text,
            MOST_BYTES);
    exit(WRONG_USE);
  }
  return (size_t)number;
}

static unsigned char *memory_of(size_t bytes) {
  unsigned char *const memory = calloc(1, bytes);
  if (memory == NULL) fail(WRONG_USE, "calloc", "no memory");
  memset(memory, 0xff, bytes); /* resident */
  return memory;
}

static unsigned char byte_of(unsigned target, unsigned put, size_t at) {
  return (unsigned char)(target * 37 + put * 11 + at + (at >> 8));
}

static ptl_event_t next_event(ptl_handle_eq_t eq) {
  ptl_event_t event;
  MUST(PtlEQWait(eq, &event));
  if (event.ni_fail_type != PTL_NI_OK) fail(WRONG_USE, ptl_event_str[event.type], "failed");
  return event;
}

/* Memory for all puts, one behind the other. */
static ptl_handle_eq_t open_memory(ptl_handle_ni_t ni, unsigned char *memory) {
  const ptl_process_id_t anyone = {PTL_NID_ANY, PTL_PID_ANY};
  ptl_handle_eq_t eq;
  ptl_handle_me_t me;
  ptl_handle_md_t target;
  ptl_md_t md = {0};
  MUST(PtlEQAlloc(ni, 2 * PUTS, PTL_EQ_HANDLER_NONE, &eq));
  MUST(PtlMEAttach(ni, PORTAL, anyone, MATCH_BITS, 0, PTL_RETAIN, PTL_INS_AFTER, &me));
  md.start = memory;
  md.length = PUTS * size;
  md.threshold = PTL_MD_THRESH_INF;
  md.options = PTL_MD_OP_PUT | PTL_MD_EVENT_START_DISABLE;
  md.eq_handle = eq;
  MUST(PtlMDAttach(me, md, PTL_RETAIN, &target));
  return eq;
}

static void receive(ptl_handle_eq_t eq, const unsigned char *memory) {
  for (unsigned put = 0; put < PUTS; ++put) {
    if (next_event(eq).type != PTL_EVENT_PUT_END) fail(WRONG_USE, "PtlEQWait", "another event");
  }
  for (unsigned put = 0; put < PUTS; ++put) {
    for (size_t at = 0; at < size; ++at) {
      if (memory[put * size + at] != byte_of(rank, put, at))
        fail(WRONG_DATA, "received", "a wrong byte");
    }
  }
}

static void pause_ms(long ms) {
  const struct timespec time = {.tv_sec = 0, .tv_nsec = ms * 1000000};
  nanosleep(&time, NULL);
}

static double now_us(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec * 1e6 + (double)time.tv_nsec / 1e3;
}

/* The sender's memory: its queue gets acknowledgements only. */
static ptl_handle_md_t bind_memory(ptl_handle_ni_t ni, unsigned char *memory, ptl_handle_eq_t eq) {
  ptl_handle_md_t source;
  ptl_md_t md = {0};
  md.start = memory;
  md.length = size;
  md.threshold = PTL_MD_THRESH_INF;
  md.options = PTL_MD_EVENT_START_DISABLE | PTL_MD_EVENT_END_DISABLE;
  md.eq_handle = eq;
  MUST(PtlMDBind(ni, md, PTL_RETAIN, &source));
  return source;
}

struct sender {
  ptl_handle_eq_t eq;
  ptl_handle_md_t source;
  unsigned char *memory;
};

/* Returns the time from the call to the acknowledgement. */
static double put_us(const struct sender *from, ptl_process_id_t to, unsigned target,
                     unsigned put) {
  for (size_t at = 0; at < size; ++at) from->memory[at] = byte_of(target, put, at);
  pause_ms(PAUSE_MS);
  const double begin = now_us();
  MUST(PtlPut(from->source, PTL_ACK_REQ, to, PORTAL, 0, MATCH_BITS, 0, 0));
  const ptl_event_t event = next_event(from->eq);
  const double taken = now_us() - begin;
  if (event.type != PTL_EVENT_ACK || event.mlength != size)
    fail(WRONG_DATA, "PtlEQWait", "expected an acknowledgement of all bytes");
  return taken;
}

static int ascending(const void *one, const void *other) {
  const double a = *(const double *)one, b = *(const double *)other;
  return (a > b) - (a < b);
}

static void print(const char *name, const double *times, unsigned count) {
  double sorted[MOST_RANKS];
  memcpy(sorted, times, count * sizeof *times);
  qsort(sorted, count, sizeof *sorted, ascending);
  printf(", \"%s_us\": %.2f, \"%s_us_each\": [", name,
         (sorted[(count - 1) / 2] + sorted[count / 2]) / 2, name);
  for (unsigned i = 0; i < count; ++i) printf("%s%.2f", i == 0 ? "" : ", ", times[i]);
  printf("]");
}

static void measure(ptl_handle_ni_t ni) {
  static double times[PUTS][MOST_RANKS];
  static ptl_process_id_t ids[MOST_RANKS];
  struct sender from = {.memory = memory_of(size)};
  const unsigned targets = ranks - 1;
  MUST(PtlEQAlloc(ni, 8, PTL_EQ_HANDLER_NONE, &from.eq));
  from.source = bind_memory(ni, from.memory, from.eq);
  for (unsigned i = 0; i < targets; ++i) MUST(PtlGetRankId(ni, i + 1, &ids[i]));
  pause_ms(SETTLE_MS);
  for (unsigned i = 0; i < targets; ++i) {
    for (unsigned put = 0; put + 1 < PUTS; ++put)
      times[put][i] = put_us(&from, ids[i], i + 1, put);
  }
  /* Not earlier: what ends does something. */
  for (unsigned i = 0; i < targets; ++i) put_us(&from, ids[i], i + 1, PUTS - 1);
  printf("{\"measure\": \"first contact\", \"of\": %zu, \"targets\": %u", size, targets);
  print("first", times[0], targets);
  print("second", times[1], targets);
  printf("}\n");
}

int main(int argc, char **argv) {
  ptl_handle_ni_t ni;
  int interfaces;
  alarm(LIMIT_SECONDS);
  if (argc != 2) fail(WRONG_USE, "wrong command line", "expected SIZE");
  size = size_from(argv[1]);
  unsigned char *const memory = memory_of(PUTS * size);
  MUST(PtlInit(&interfaces));
  MUST(PtlNIInit(PTL_IFACE_DEFAULT, PTL_PID_ANY, NULL, NULL, &ni));
  const ptl_handle_eq_t eq = open_memory(ni, memory);
  MUST(PtlGetRank(ni, &rank, &ranks)); /* blocks until all ranks have opened their memory */
  if (ranks < 2 || ranks > MOST_RANKS + 1) {
    fprintf(stderr, "first_contact: there are %u ranks; expected 2 to %d: lintel-run -n N\n",
            ranks, MOST_RANKS + 1);
    exit(WRONG_USE);
  }
  if (rank == 0)
    measure(ni);
  else
    receive(eq, memory);
  PtlFini();
  return 0;
}
