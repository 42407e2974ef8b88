/* Portals 3.3: swaps (PtlGetPut) as a lock.
 *
 * The parent has a lock and a counter in its memory, and makes no calls. Each child increments the
 * counter: it reads it, adds one, and writes it back. So that only one child does so at a time, it
 * first takes the lock: it swaps in its own number, and has the lock if 0 comes back. Swaps of one
 * place are atomic. A put of 0 releases the lock.
 *
 * Build:   cc -o portals3_swap portals3_swap.c $(pkg-config --cflags --libs lintel-portals3)
 * Run:     ./portals3_swap
 * Prints:
 *   parent: 2 children have counted to 100
 */
#include <portals3.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define MUST(call)                                                     \
  do {                                                                 \
    int code_ = (call);                                                \
    if (code_ != PTL_OK) {                                             \
      fprintf(stderr, "%s: %s\n", #call, PtlErrorStr((unsigned)code_)); \
      exit(1);                                                         \
    }                                                                  \
  } while (0)

enum { PORTAL = 4, MATCH_BITS = 42, CHILDREN = 2, ROUNDS = 50 };

/* What the parent offers. The children address its members by their offsets. */
struct shared {
  int lock;
  int counter;
};

static ptl_handle_ni_t open_interface(void) {
  int interfaces;
  ptl_handle_ni_t ni;
  MUST(PtlInit(&interfaces));
  MUST(PtlNIInit(PTL_IFACE_DEFAULT, PTL_PID_ANY, NULL, NULL, &ni));
  return ni;
}

static void wait_for(ptl_handle_eq_t eq, ptl_event_kind_t kind) {
  ptl_event_t event;
  do {
    MUST(PtlEQWait(eq, &event));
    if (event.ni_fail_type != PTL_NI_OK) {
      fprintf(stderr, "%s: %s\n", PtlEventKindStr(event.type),
              PtlNIFailStr(PTL_INVALID_HANDLE, event.ni_fail_type));
      exit(1);
    }
  } while (event.type != kind);
}

static int child(int from_parent, int number) {
  int out, in, round;
  ptl_handle_ni_t ni = open_interface();
  ptl_handle_eq_t eq;
  ptl_handle_md_t sent, fetched;
  ptl_md_t md = {0};
  ptl_process_id_t parent;

  if (read(from_parent, &parent, sizeof parent) != sizeof parent) return 1;
  MUST(PtlEQAlloc(ni, 16, PTL_EQ_HANDLER_NONE, &eq));
  md.threshold = PTL_MD_THRESH_INF;
  md.options = PTL_MD_EVENT_START_DISABLE;
  md.eq_handle = eq;
  md.start = &out;
  md.length = sizeof out;
  MUST(PtlMDBind(ni, md, PTL_RETAIN, &sent));
  md.start = &in;
  MUST(PtlMDBind(ni, md, PTL_RETAIN, &fetched));

  for (round = 0; round < ROUNDS; ++round) {
    do {
      out = number;
      MUST(PtlGetPut(fetched, sent, parent, PORTAL, 0, MATCH_BITS, offsetof(struct shared, lock),
                     0));
      wait_for(eq, PTL_EVENT_REPLY_END); /* `in` has the previous value */
    } while (in != 0);

    MUST(PtlGet(fetched, parent, PORTAL, 0, MATCH_BITS, offsetof(struct shared, counter)));
    wait_for(eq, PTL_EVENT_REPLY_END);
    out = in + 1;
    MUST(PtlPut(sent, PTL_ACK_REQ, parent, PORTAL, 0, MATCH_BITS, offsetof(struct shared, counter),
                0));
    wait_for(eq, PTL_EVENT_ACK); /* it has arrived: the next child may read it */

    out = 0;
    MUST(
        PtlPut(sent, PTL_ACK_REQ, parent, PORTAL, 0, MATCH_BITS, offsetof(struct shared, lock), 0));
    wait_for(eq, PTL_EVENT_ACK);
  }
  PtlFini();
  return 0;
}

int main(void) {
  const ptl_process_id_t anyone = {PTL_NID_ANY, PTL_PID_ANY};
  struct shared shared = {0, 0};
  int channel[2], status, i;
  ptl_handle_ni_t ni;
  ptl_handle_me_t me;
  ptl_md_t md = {0};
  ptl_process_id_t self;

  if (pipe(channel) != 0) return 1;
  for (i = 1; i <= CHILDREN; ++i) {
    if (fork() == 0) return child(channel[0], i);
  }
  ni = open_interface();
  MUST(PtlMEAttach(ni, PORTAL, anyone, MATCH_BITS, 0, PTL_RETAIN, PTL_INS_AFTER, &me));
  md.start = &shared;
  md.length = sizeof shared;
  md.threshold = PTL_MD_THRESH_INF;
  md.options = PTL_MD_OP_PUT | PTL_MD_OP_GET | PTL_MD_MANAGE_REMOTE; /* a swap needs both */
  /* the parent wants no events */
  md.eq_handle = PTL_EQ_NONE;
  MUST(PtlMDAttach(me, md, PTL_RETAIN, NULL));
  MUST(PtlGetId(ni, &self));
  for (i = 0; i < CHILDREN; ++i) {
    if (write(channel[1], &self, sizeof self) != sizeof self) return 1;
  }
  for (i = 0; i < CHILDREN; ++i) {
    if (wait(&status) < 0 || status != 0) return 1;
  }
  printf("parent: %d children have counted to %d\n", CHILDREN, shared.counter);
  PtlFini();
  return shared.counter != CHILDREN * ROUNDS;
}
