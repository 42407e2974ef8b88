/* A process of the soak's Portals traffic.
 *
 *   soak_portals3 survivor              is put to, got from and swapped with by peers that come and
 *                                       die, and answers them. Says its nid and pid; then obeys
 *                                       standard input: "report" makes a line of figures, its end
 *                                       or "end" the process' end
 *   soak_portals3 peer NID PID SLOT SEED OPERATIONS
 *                                       random operations on that slot of the survivor's memory; 0
 *                                       operations: for ever. Says what it has done
 *   soak_portals3 stranger HOW NID PID  attacks that process through a session: soak_stranger.c
 *
 * Contents: a slot belongs to one peer at a time, which knows every byte of it. Counts: the
 * survivor publishes how many operations it has seen at a slot, and a peer waits for its own to be
 * among them, which also bounds what waits in the survivor's queue. Answers: a peer asks for one
 * with bits of a put's header. Exit code 1: something is wrong; 3: the other side is lost.
 */
#include <dirent.h>
#include <errno.h>
#include <malloc.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "soak_portals.h"

enum {
  SLOTS = 16,
  SLOT_BYTES = 256 << 10,
  ANSWERS_BYTES = 256 << 10,
  MOST_ANSWER = 100 << 10,
  BATCH = 8,
  LEAD = 256,
  TIMEOUT_SECONDS = 60
};
enum { MATCH_COUNTS = 1, MATCH_ANSWER = 2, MATCH_SLOT = 0x100 };
enum { WRONG = 1, LOST = 3 };

static const uint64_t answer_wanted = 1ULL << 63;

static unsigned char slots[SLOTS][SLOT_BYTES], answers[ANSWERS_BYTES];
static unsigned char for_strangers[SOAK_STRANGERS_BYTES];
static uint64_t counts[SLOTS];
static uint64_t operations, bytes; /* survivor: arrived operations; peer: its own */

void soak_fail(int exit_code, const char* format, ...) {
  va_list rest;
  va_start(rest, format);
  fprintf(stderr, "soak_portals%d, process %d: ", soak_api, (int)getpid());
  vfprintf(stderr, format, rest);
  fprintf(stderr, "\n");
  va_end(rest);
  _exit(exit_code);
}

static uint64_t draw_from(uint64_t* state) {
  *state ^= *state << 13;
  *state ^= *state >> 7;
  return *state ^= *state << 17;
}
static uint64_t seed_state;
static size_t draw(size_t below) { return (size_t)((draw_from(&seed_state) >> 11) % below); }

static void fill(unsigned char* memory, size_t length, uint64_t* state) {
  for (size_t i = 0; i < length; ++i) memory[i] = (unsigned char)(draw_from(state) >> 24);
}

static uint64_t now_ms(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000 + (uint64_t)time.tv_nsec / 1000000;
}

/* ---- The survivor ---- */

static uint64_t answers_begun, answers_ended, answers_failed;

static int descriptors(void) {
  DIR* folder = opendir("/proc/self/fd");
  int count = 0;
  while (folder != NULL && readdir(folder) != NULL) ++count;
  if (folder != NULL) closedir(folder);
  return count;
}

static long resident_kib(void) {
  long total = 0, resident = 0;
  FILE* file = fopen("/proc/self/statm", "r");
  if (file == NULL || fscanf(file, "%ld %ld", &total, &resident) != 2)
    soak_fail(WRONG, "/proc/self/statm cannot be read");
  fclose(file);
  return resident * (sysconf(_SC_PAGESIZE) / 1024);
}

static void report(void) {
  const struct mallinfo2 heap = mallinfo2();
  printf(
      "operations=%llu bytes=%llu answers=%llu failed=%llu open=%llu resident=%ld heap=%zu "
      "descriptors=%d\n",
      (unsigned long long)operations, (unsigned long long)bytes, (unsigned long long)answers_begun,
      (unsigned long long)answers_failed, (unsigned long long)(answers_begun - answers_ended),
      resident_kib(), heap.uordblks + heap.hblkhd, descriptors());
  fflush(stdout);
}

static void take(const soak_event* event) {
  if (event->kind == SOAK_ENDED) {
    if (++answers_ended > answers_begun)
      soak_fail(WRONG, "%llu answers have ended, expected at most %llu",
                (unsigned long long)answers_ended, (unsigned long long)answers_begun);
    if (event->failed) ++answers_failed;
  } else if (event->kind == SOAK_ARRIVED) {
    if (event->match < MATCH_SLOT || event->match >= MATCH_SLOT + SLOTS)
      soak_fail(WRONG, "an operation has arrived with match bits %llu",
                (unsigned long long)event->match);
    if (event->failed) return; /* its peer has died meanwhile */
    ++operations;
    bytes += event->bytes;
    __atomic_add_fetch(&counts[event->match - MATCH_SLOT], 1, __ATOMIC_RELEASE);
    if ((event->header & answer_wanted) == 0) return;
    ++answers_begun;
    soak_put(2, (size_t)(event->header & 0xffff), (size_t)(event->header >> 16 & 0x1ffff),
             event->from, MATCH_ANSWER, 0, event->header);
  }
}

/* Returns whether to continue. */
static int obey(void) {
  static char line[64];
  struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
  if (poll(&input, 1, 0) <= 0) return 1;
  const ssize_t got = read(STDIN_FILENO, line, sizeof line - 1);
  if (got <= 0) return got < 0 && errno == EINTR;
  line[got] = '\0';
  if (strcmp(line, "report\n") == 0) report();
  return strcmp(line, "end\n") != 0;
}

static void survive(void) {
  uint64_t state = 1;
  fill(answers, sizeof answers, &state);
  memset(slots, 1, sizeof slots);
  soak_open();
  soak_bind(answers, sizeof answers);
  soak_expose(MATCH_COUNTS, counts, sizeof counts, SOAK_GOTTEN);
  soak_expose(SOAK_FOR_STRANGERS, for_strangers, sizeof for_strangers, SOAK_SILENT);
  for (uint64_t slot = 0; slot < SLOTS; ++slot)
    soak_expose(MATCH_SLOT + slot, slots[slot], SLOT_BYTES, SOAK_REPORTED);
  const soak_name own = soak_own_name();
  printf("%u %u\n", own.nid, own.pid);
  fflush(stdout);
  while (obey()) {
    for (soak_event event = soak_next(20); event.kind != SOAK_NOTHING; event = soak_next(0)) {
      take(&event);
      if (event.kind == SOAK_ARRIVED && !obey()) break;
    }
  }
  soak_close();
}

/* ---- A peer ---- */

static soak_name survivor;
static uint64_t slot, counted_before, sent;
static unsigned char* const shadow = slots[0]; /* the content of the slot */
static unsigned char* const landing = slots[1];
static unsigned char landed_answer[MOST_ANSWER];
enum { FROM_SHADOW = 2, TO_LANDING = 3 };

/* For the count of the slot, which comes to the landing. */
static void ask(void) {
  soak_get(TO_LANDING, 0, sizeof counts[0], survivor, MATCH_COUNTS,
           (size_t)slot * sizeof counts[0]);
}

/* Waits until that many operations have ended, and until an answer has come if one is expected. A
 * process learns that another one is lost by an operation with it. So if only the answer is
 * awaited, it asks for something that nobody else reads then. */
static void finish(unsigned open, uint64_t answer) {
  const uint64_t begin = now_ms();
  while (open > 0 || answer != 0) {
    const soak_event event = soak_next(1000);
    if (event.kind == SOAK_NOTHING && now_ms() - begin > 1000 * TIMEOUT_SECONDS)
      soak_fail(WRONG, "%u operations%s have not ended in %d s", open,
                answer != 0 ? " and an answer" : "", TIMEOUT_SECONDS);
    if (event.kind == SOAK_NOTHING && open == 0) {
      ask();
      open = 1;
    }
    if (event.kind == SOAK_ENDED) {
      if (event.failed) soak_fail(LOST, "an operation has failed: the survivor is lost");
      if (open == 0) soak_fail(WRONG, "an operation has ended twice");
      --open;
    } else if (event.kind == SOAK_ARRIVED) {
      if (event.failed) soak_fail(LOST, "an answer was cut off: the survivor is lost");
      const size_t place = (size_t)(answer & 0xffff), length = (size_t)(answer >> 16 & 0x1ffff);
      if (answer == 0 || event.header != answer || event.bytes != length) {
        soak_fail(WRONG, "an answer of %zu bytes for %llx has come, expected %zu bytes for %llx",
                  event.bytes, (unsigned long long)event.header, length,
                  (unsigned long long)answer);
      }
      if (memcmp(landed_answer, answers + place, length) != 0)
        soak_fail(WRONG, "an answer of %zu bytes has other contents than the survivor's", length);
      answer = 0;
    }
  }
}

/* The range of `length` bytes at the shadow's `place` has arrived at the destination. */
static void compare(size_t place, size_t length) {
  for (size_t i = place; i < place + length; ++i) {
    if (landing[i] == shadow[i]) continue;
    soak_fail(WRONG,
              "byte %zu of slot %llu is %d, expected %d, in a get of %zu bytes from %zu on, after "
              "%llu operations",
              i, (unsigned long long)slot, landing[i], shadow[i], length, place,
              (unsigned long long)operations);
  }
}

static uint64_t counted(void) {
  ask();
  finish(1, 0);
  uint64_t count;
  memcpy(&count, landing, sizeof count);
  return count;
}

/* Waits until the survivor has seen all but `lead` of the operations sent. */
static void await_counted(uint64_t lead) {
  const uint64_t begin = now_ms();
  while (1) {
    const uint64_t count = counted() - counted_before;
    if (count > sent)
      soak_fail(WRONG, "the survivor has counted %llu operations at slot %llu, expected %llu",
                (unsigned long long)count, (unsigned long long)slot, (unsigned long long)sent);
    if (count + lead >= sent) return;
    if (now_ms() - begin > 1000 * TIMEOUT_SECONDS) {
      soak_fail(WRONG,
                "the survivor has counted %llu operations at slot %llu in %d s, expected %llu",
                (unsigned long long)count, (unsigned long long)slot, TIMEOUT_SECONDS,
                (unsigned long long)sent);
    }
    usleep(1000);
  }
}

static size_t draw_length(size_t most) {
  static const size_t limits[] = {64, 64, 4096, 65536 + 64, SLOT_BYTES};
  const size_t limit = limits[draw(sizeof limits / sizeof limits[0])];
  return draw(limit < most ? limit : most) + 1;
}

static void put_some(void) {
  const unsigned count = 1 + (unsigned)draw(BATCH);
  /* ranges of one batch do not overlap: large data may arrive after the small data of a later put
   */
  const size_t part = SLOT_BYTES / count;
  uint64_t answer = 0;
  for (unsigned i = 0; i < count; ++i) {
    const size_t length = draw_length(part), place = i * part + draw(part - length + 1);
    uint64_t header = draw(1 << 30);
    if (i + 1 == count && draw(4) == 0) {
      header = answer = answer_wanted | (uint64_t)(1 + draw(MOST_ANSWER - 1)) << 16 | draw(1 << 16);
    }
    fill(shadow + place, length, &seed_state);
    soak_put(FROM_SHADOW, place, length, survivor, MATCH_SLOT + slot, place, header);
    bytes += length;
  }
  sent += count;
  operations += count;
  finish(count, answer);
}

static void get_some(void) {
  size_t places[BATCH], lengths[BATCH];
  const unsigned count = 1 + (unsigned)draw(BATCH);
  const size_t part = SLOT_BYTES / count;
  for (unsigned i = 0; i < count; ++i) {
    lengths[i] = draw_length(part);
    places[i] = i * part + draw(part - lengths[i] + 1);
    memset(landing + places[i], 0xee, lengths[i]);
    soak_get(TO_LANDING, places[i], lengths[i], survivor, MATCH_SLOT + slot, places[i]);
    bytes += lengths[i];
  }
  operations += count;
  finish(count, 0);
  for (unsigned i = 0; i < count; ++i) compare(places[i], lengths[i]);
}

static void swap_one(void) {
  const size_t place = draw(SLOT_BYTES / 8) * 8;
  soak_given = draw_from(&seed_state);
  soak_swap(survivor, MATCH_SLOT + slot, place, 0);
  ++sent;
  ++operations;
  bytes += sizeof soak_given;
  finish(1, 0);
  if (memcmp(&soak_taken, shadow + place, sizeof soak_taken) != 0)
    soak_fail(WRONG, "a swap at byte %zu of slot %llu gave other bytes than were there", place,
              (unsigned long long)slot);
  memcpy(shadow + place, &soak_given, sizeof soak_given);
}

static void visit(uint64_t most) {
  uint64_t state = 1;
  fill(answers, sizeof answers, &state);
  soak_open();
  soak_bind(shadow, SLOT_BYTES);
  soak_bind(landing, SLOT_BYTES);
  soak_expose(MATCH_ANSWER, landed_answer, sizeof landed_answer, SOAK_REPORTED);
  soak_expose(SOAK_FOR_STRANGERS, for_strangers, sizeof for_strangers, SOAK_SILENT);
  counted_before = counted();
  fill(shadow, SLOT_BYTES, &seed_state);
  soak_put(FROM_SHADOW, 0, SLOT_BYTES, survivor, MATCH_SLOT + slot, 0, 0);
  ++sent;
  finish(1, 0);
  printf("begun\n");
  fflush(stdout);
  const uint64_t begun = now_ms();
  for (uint64_t turn = 0; most == 0 || operations < most; ++turn) {
    const size_t what = draw(10);
    if (what < 5) {
      put_some();
    } else if (what < 9) {
      get_some();
    } else {
      swap_one();
    }
    if (turn % 32 == 31) await_counted(LEAD);
  }
  await_counted(0);
  soak_get(TO_LANDING, 0, SLOT_BYTES, survivor, MATCH_SLOT + slot, 0);
  finish(1, 0);
  compare(0, SLOT_BYTES);
  const uint64_t lasted = now_ms() - begun;
  soak_close();
  printf("operations=%llu bytes=%llu milliseconds=%llu\n", (unsigned long long)operations,
         (unsigned long long)bytes, (unsigned long long)lasted);
}

static uint64_t number(const char* text) {
  char* end;
  const uint64_t value = strtoull(text, &end, 10);
  if (*text < '0' || *text > '9' || *end != '\0') soak_fail(2, "'%s'; expected a number", text);
  return value;
}

int main(int count, char** arguments) {
  if (count == 2 && strcmp(arguments[1], "survivor") == 0) {
    survive();
  } else if (count == 7 && strcmp(arguments[1], "peer") == 0) {
    survivor = (soak_name){(uint32_t)number(arguments[2]), (uint32_t)number(arguments[3])};
    slot = number(arguments[4]);
    seed_state = number(arguments[5]) * 2 + 1;
    if (slot >= SLOTS) soak_fail(2, "slot %s; expected one from 0 to %d", arguments[4], SLOTS - 1);
    visit(number(arguments[6]));
  } else if (count == 5 && strcmp(arguments[1], "stranger") == 0) {
    soak_attack(arguments[2],
                (soak_name){(uint32_t)number(arguments[3]), (uint32_t)number(arguments[4])});
  } else {
    soak_fail(2, "expected survivor, peer NID PID SLOT SEED OPERATIONS, or stranger HOW NID PID");
  }
  return 0;
}
