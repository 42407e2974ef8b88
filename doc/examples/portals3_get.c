/* Portals 3.3: a get.
 *
 * The child offers a table of numbers for reading and waits until it was read. The parent fetches a
 * part of it. The arguments of PtlGetRegion are the range of its own memory that the data go to,
 * and the remote offset that they come from. PTL_MD_MANAGE_REMOTE at the child makes the request's
 * offset count. Without it each request would begin where the last one ended.
 *
 * Build:   cc -o portals3_get portals3_get.c $(pkg-config --cflags --libs lintel-portals3)
 * Run:     ./portals3_get
 * Prints:
 *   child: 16 bytes were read at offset 400
 *   parent: 10000 10201 10404 10609
 */
#include <portals3.h>
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

enum { PORTAL = 4, MATCH_BITS = 42, NUMBERS = 1000, FIRST = 100, WANTED = 4 };

static ptl_handle_ni_t open_interface(void) {
  int interfaces;
  ptl_handle_ni_t ni;
  MUST(PtlInit(&interfaces));
  MUST(PtlNIInit(PTL_IFACE_DEFAULT, PTL_PID_ANY, NULL, NULL, &ni));
  return ni;
}

static ptl_event_t next_event(ptl_handle_eq_t eq) {
  ptl_event_t event;
  MUST(PtlEQWait(eq, &event));
  if (event.ni_fail_type != PTL_NI_OK) {
    fprintf(stderr, "%s: %s\n", PtlEventKindStr(event.type),
            PtlNIFailStr(PTL_INVALID_HANDLE, event.ni_fail_type));
    exit(1);
  }
  return event;
}

static int child(int to_parent) {
  const ptl_process_id_t anyone = {PTL_NID_ANY, PTL_PID_ANY};
  static int squares[NUMBERS];
  ptl_handle_ni_t ni = open_interface();
  ptl_handle_eq_t eq;
  ptl_handle_me_t me;
  ptl_md_t md = {0};
  ptl_process_id_t self;
  ptl_event_t event;
  int i;

  for (i = 0; i < NUMBERS; ++i) squares[i] = i * i;
  MUST(PtlEQAlloc(ni, 8, PTL_EQ_HANDLER_NONE, &eq));
  MUST(PtlMEAttach(ni, PORTAL, anyone, MATCH_BITS, 0, PTL_RETAIN, PTL_INS_AFTER, &me));
  md.start = squares;
  md.length = sizeof squares;
  md.threshold = PTL_MD_THRESH_INF;
  md.options = PTL_MD_OP_GET | PTL_MD_MANAGE_REMOTE | PTL_MD_EVENT_START_DISABLE;
  md.eq_handle = eq;
  MUST(PtlMDAttach(me, md, PTL_RETAIN, NULL));

  MUST(PtlGetId(ni, &self));
  if (write(to_parent, &self, sizeof self) != sizeof self) return 1;

  event = next_event(eq); /* GET_END: from now on the numbers may change */
  printf("child: %d bytes were read at offset %d\n", (int)event.mlength, (int)event.offset);
  PtlFini();
  return 0;
}

static int parent(ptl_process_id_t target) {
  int landing[WANTED] = {0};
  ptl_handle_ni_t ni = open_interface();
  ptl_handle_eq_t eq;
  ptl_handle_md_t mine;
  ptl_md_t md = {0};
  int i;

  MUST(PtlEQAlloc(ni, 8, PTL_EQ_HANDLER_NONE, &eq));
  md.start = landing;
  md.length = sizeof landing;
  md.threshold = 1; /* the reply */
  md.options = PTL_MD_EVENT_START_DISABLE;
  md.eq_handle = eq;
  MUST(PtlMDBind(ni, md, PTL_UNLINK, &mine));

  MUST(PtlGetRegion(mine, 0, sizeof landing, target, PORTAL, 0, MATCH_BITS, FIRST * sizeof(int)));
  /* REPLY_END, and nothing before: the request itself makes no event. A get that its target refuses
   * is never answered. */
  next_event(eq);
  printf("parent:");
  for (i = 0; i < WANTED; ++i) printf(" %d", landing[i]);
  printf("\n");
  PtlFini();
  return 0;
}

int main(void) {
  int channel[2], status;
  ptl_process_id_t target;
  if (pipe(channel) != 0) return 1;
  if (fork() == 0) return child(channel[1]);
  close(channel[1]);
  if (read(channel[0], &target, sizeof target) != sizeof target) return 1;
  return parent(target) != 0 || wait(&status) < 0 || status != 0;
}
