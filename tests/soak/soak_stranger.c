/* A process of the library that belongs to no job and attacks another process through a session.
 *
 * It begins with a get from the memory that is open to strangers. If that fails, it tries again,
 * with puts too, says "failed" and ends. Otherwise it has a session, says "open", and misbehaves:
 *
 *   asks    begins long gets and stops itself: nobody reads the answers
 *   puts    puts for ever, to that memory and to match bits that the process does not have
 *   halts   begins long puts and stops itself; when it is continued it waits for them and ends
 *   leaves  ends without a goodbye
 *   dies    begins long gets and puts and kills itself
 *
 * It is killed with the process that has started it. Exit code 0: it has done as above, whether its
 * operations failed or not.
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "soak_portals.h"

enum {
  AT_ONCE = 32,    /* long operations */
  BATCH = 8,       /* puts between two pauses */
  PAUSE_US = 2000, /* a target serves strangers with a session: this limits their puts */
  SHORT_BYTES = 64,
  RETRIES = 3,
  WAIT_MS = 60000,
  MEMORY = 2 /* its number, because soak_open() binds two */
};

static unsigned char memory[SOAK_STRANGERS_BYTES];
static soak_name target;

static void put(size_t bytes, uint64_t match) { soak_put(MEMORY, 0, bytes, target, match, 0, 0); }
static void get(size_t bytes) { soak_get(MEMORY, 0, bytes, target, SOAK_FOR_STRANGERS, 0); }

/* Waits until that many operations have ended. Returns how many of them have failed. */
static unsigned await(unsigned operations) {
  unsigned failed = 0;
  while (operations > 0) {
    const soak_event event = soak_next(WAIT_MS);
    if (event.kind == SOAK_NOTHING)
      soak_fail(1, "%u operations have not ended in %d ms", operations, WAIT_MS);
    if (event.kind != SOAK_ENDED) continue;
    --operations;
    if (event.failed) ++failed;
  }
  return failed;
}

static void say(const char* word) {
  printf("%s\n", word);
  fflush(stdout);
}

/* Each attempt is a contact of its own. */
static void try_again(void) {
  for (int i = 0; i < RETRIES; ++i) {
    put(SHORT_BYTES, SOAK_FOR_STRANGERS);
    get(SHORT_BYTES);
    await(2);
  }
  say("failed");
}

static void put_for_ever(void) {
  for (unsigned turn = 0;; ++turn) {
    for (unsigned i = 0; i < BATCH; ++i)
      put(SHORT_BYTES, i % 4 == 0 ? SOAK_FOR_NOBODY : SOAK_FOR_STRANGERS);
    if (turn % 16 == 0) put(sizeof memory, SOAK_FOR_STRANGERS);
    while (soak_next(0).kind != SOAK_NOTHING) continue;
    usleep(PAUSE_US);
  }
}

void soak_attack(const char* how, soak_name attacked) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  target = attacked;
  soak_open();
  soak_bind(memory, sizeof memory);
  get(SHORT_BYTES);
  if (await(1) != 0) {
    try_again();
    soak_close();
    return;
  }
  say("open");
  if (strcmp(how, "puts") == 0) put_for_ever();
  if (strcmp(how, "leaves") == 0) _exit(0);
  const int gets = strcmp(how, "asks") == 0 || strcmp(how, "dies") == 0;
  const int puts = strcmp(how, "halts") == 0 || strcmp(how, "dies") == 0;
  if (!gets && !puts) soak_fail(2, "'%s'; expected asks, puts, halts, leaves or dies", how);
  for (unsigned i = 0; i < AT_ONCE; ++i) {
    if (gets) get(sizeof memory);
    if (puts) put(sizeof memory, SOAK_FOR_STRANGERS);
  }
  raise(strcmp(how, "dies") == 0 ? SIGKILL : SIGSTOP);
  await(AT_ONCE);
  soak_close();
}
