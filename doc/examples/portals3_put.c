/* Portals 3.3: a put with an acknowledgement.
 *
 * The parent puts a string into memory of its child. The child offers the memory: a match entry
 * says which messages may use it (portal, sender, match bits). The memory descriptor attached to
 * the entry says which operations are allowed, and which event queue gets their events. Then the
 * child only waits. The library receives and acknowledges the message without a call of the child.
 *
 * A process needs only the address (nid, pid) of another one. Here the address comes through a
 * pipe. It can also be agreed on (portals4_server.c), or come from a launcher (doc/portals3.md).
 *
 * Build:   cc -o portals3_put portals3_put.c $(pkg-config --cflags --libs lintel-portals3)
 * Run:     ./portals3_put
 * Prints:
 *   child: "carried by a lintel", 20 bytes
 *   parent: acknowledged, 20 of 20 bytes were taken
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

enum { PORTAL = 4, MATCH_BITS = 42 };

static ptl_handle_ni_t open_interface(void) {
  int interfaces;
  ptl_handle_ni_t ni;
  MUST(PtlInit(&interfaces));
  MUST(PtlNIInit(PTL_IFACE_DEFAULT, PTL_PID_ANY, NULL, NULL, &ni));
  return ni;
}

static ptl_event_t wait_for(ptl_handle_eq_t eq, ptl_event_kind_t kind) {
  ptl_event_t event;
  do {
    MUST(PtlEQWait(eq, &event));
    if (event.ni_fail_type != PTL_NI_OK) {
      fprintf(stderr, "%s: %s\n", PtlEventKindStr(event.type),
              PtlNIFailStr(PTL_INVALID_HANDLE, event.ni_fail_type));
      exit(1);
    }
  } while (event.type != kind);
  return event;
}

static int child(int to_parent) {
  const ptl_process_id_t anyone = {PTL_NID_ANY, PTL_PID_ANY};
  char memory[64] = "";
  ptl_handle_ni_t ni = open_interface();
  ptl_handle_eq_t eq;
  ptl_handle_me_t me;
  ptl_md_t md = {0};
  ptl_process_id_t self;
  ptl_event_t event;

  MUST(PtlEQAlloc(ni, 8, PTL_EQ_HANDLER_NONE, &eq));
  MUST(PtlMEAttach(ni, PORTAL, anyone, MATCH_BITS, 0, PTL_RETAIN, PTL_INS_AFTER, &me));
  md.start = memory;
  md.length = sizeof memory;
  md.threshold = PTL_MD_THRESH_INF;                        /* for any number of operations */
  md.options = PTL_MD_OP_PUT | PTL_MD_EVENT_START_DISABLE; /* puts only; only END events */
  md.eq_handle = eq;
  MUST(PtlMDAttach(me, md, PTL_RETAIN, NULL));

  MUST(PtlGetId(ni, &self));
  /* the memory is ready: the parent may begin */
  if (write(to_parent, &self, sizeof self) != sizeof self) return 1;

  event = wait_for(eq, PTL_EVENT_PUT_END);
  printf("child: \"%s\", %d bytes\n", memory, (int)event.mlength);
  PtlFini(); /* waits until the acknowledgement has left */
  return 0;
}

static int parent(ptl_process_id_t target) {
  char sentence[] = "carried by a lintel";
  ptl_handle_ni_t ni = open_interface();
  ptl_handle_eq_t eq;
  ptl_handle_md_t source;
  ptl_md_t md = {0};
  ptl_event_t event;

  MUST(PtlEQAlloc(ni, 8, PTL_EQ_HANDLER_NONE, &eq));
  md.start = sentence;
  md.length = sizeof sentence;
  md.threshold = 2; /* the put is one operation, its acknowledgement another */
  md.options = PTL_MD_EVENT_START_DISABLE;
  md.eq_handle = eq;
  MUST(PtlMDBind(ni, md, PTL_UNLINK, &source)); /* it unlinks itself after the second */

  MUST(PtlPut(source, PTL_ACK_REQ, target, PORTAL, 0, MATCH_BITS, 0, 0));
  /* SEND_END comes first: the string may be overwritten. Only the ACK says that it has arrived, and
   * how much of it. */
  event = wait_for(eq, PTL_EVENT_ACK);
  printf("parent: acknowledged, %d of %d bytes were taken\n", (int)event.mlength,
         (int)event.rlength);
  PtlFini();
  return 0;
}

int main(void) {
  int channel[2], status;
  ptl_process_id_t target;
  /* Portals is opened after fork(): an interface belongs to the process that has opened it. */
  if (pipe(channel) != 0) return 1;
  if (fork() == 0) return child(channel[1]);
  close(channel[1]);
  if (read(channel[0], &target, sizeof target) != sizeof target) return 1;
  return parent(target) != 0 || wait(&status) < 0 || status != 0;
}
