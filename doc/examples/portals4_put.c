/* Portals 4: a put, with every event that it makes.
 *
 * The parent puts a string into memory of its child. The child has a portal with an event queue,
 * and appends a match list entry to it. The entry describes the memory, which messages may use it,
 * and what happens to it then. It is used once, so it unlinks itself after the put. The parent has
 * a memory descriptor with an event queue of its own, and asks for an acknowledgement.
 *
 * Build:   cc -o portals4_put portals4_put.c $(pkg-config --cflags --libs portals4)
 * Run:     ./portals4_put
 * Prints:
 *   child: LINK
 *   child: PUT of 20 bytes: "carried by a lintel"
 *   child: AUTO_UNLINK
 *   parent: SEND
 *   parent: ACK for 20 bytes
 */
#include <portals4.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define MUST(call)                                            \
  do {                                                        \
    int code_ = (call);                                       \
    if (code_ != PTL_OK) {                                    \
      fprintf(stderr, "%s: return code %d\n", #call, code_); \
      exit(1);                                                \
    }                                                         \
  } while (0)

enum { PORTAL = 4, MATCH_BITS = 42 };

/* With matching, and with physical addresses: (nid, pid). */
static ptl_handle_ni_t open_interface(void) {
  ptl_handle_ni_t ni;
  MUST(PtlInit());
  MUST(PtlNIInit(PTL_IFACE_DEFAULT, PTL_NI_MATCHING | PTL_NI_PHYSICAL, PTL_PID_ANY, NULL, NULL,
                 &ni));
  return ni;
}

static ptl_event_t next_event(ptl_handle_eq_t eq) {
  ptl_event_t event;
  MUST(PtlEQWait(eq, &event));
  if (event.ni_fail_type != PTL_NI_OK) {
    fprintf(stderr, "an event of kind %d tells of failure %d\n", event.type, event.ni_fail_type);
    exit(1);
  }
  return event;
}

static int child(int to_parent) {
  char memory[64] = "";
  ptl_handle_ni_t ni = open_interface();
  ptl_handle_eq_t eq;
  ptl_pt_index_t portal;
  ptl_handle_me_t handle;
  ptl_me_t me = {0};
  ptl_process_t self;
  ptl_event_t event;

  MUST(PtlEQAlloc(ni, 8, &eq));
  MUST(PtlPTAlloc(ni, 0, eq, PORTAL, &portal));
  me.start = memory;
  me.length = sizeof memory;
  me.ct_handle = PTL_CT_NONE;
  me.uid = PTL_UID_ANY;
  me.options = PTL_ME_OP_PUT | PTL_ME_USE_ONCE;
  me.match_id.phys.nid = PTL_NID_ANY;
  me.match_id.phys.pid = PTL_PID_ANY;
  me.match_bits = MATCH_BITS;
  MUST(PtlMEAppend(ni, portal, &me, PTL_PRIORITY_LIST, NULL, &handle));
  MUST(PtlGetPhysId(ni, &self));
  if (write(to_parent, &self, sizeof self) != sizeof self) return 1; /* the parent may begin */

  do {
    event = next_event(eq);
    switch (event.type) {
      case PTL_EVENT_LINK: printf("child: LINK\n"); break; /* the entry is on its list */
      case PTL_EVENT_PUT:
        printf("child: PUT of %d bytes: \"%s\"\n", (int)event.mlength, (char*)event.start);
        break;
      /* the entry is gone, and no more events of it will come */
      case PTL_EVENT_AUTO_UNLINK: printf("child: AUTO_UNLINK\n"); break;
      default: return 1;
    }
  } while (event.type != PTL_EVENT_AUTO_UNLINK);
  MUST(PtlNIFini(ni));
  PtlFini();
  return 0;
}

static int parent(ptl_process_t target) {
  char sentence[] = "carried by a lintel";
  ptl_handle_ni_t ni = open_interface();
  ptl_handle_md_t source;
  ptl_md_t md = {0};
  ptl_event_t event;

  md.start = sentence;
  md.length = sizeof sentence;
  md.ct_handle = PTL_CT_NONE;
  MUST(PtlEQAlloc(ni, 8, &md.eq_handle));
  MUST(PtlMDBind(ni, &md, &source));
  MUST(PtlPut(source, 0, sizeof sentence, PTL_ACK_REQ, target, PORTAL, MATCH_BITS, 0, NULL, 0));

  event = next_event(md.eq_handle); /* SEND: the string may be overwritten */
  if (event.type != PTL_EVENT_SEND) return 1;
  printf("parent: SEND\n");
  event = next_event(md.eq_handle); /* ACK: the data are in the child's memory */
  if (event.type != PTL_EVENT_ACK) return 1;
  printf("parent: ACK for %d bytes\n", (int)event.mlength);
  MUST(PtlMDRelease(source));
  MUST(PtlNIFini(ni));
  PtlFini();
  return 0;
}

int main(void) {
  int channel[2], status;
  ptl_process_t target;
  /* Portals is opened after fork(): an interface belongs to the process that has opened it. */
  if (pipe(channel) != 0) return 1;
  if (fork() == 0) return child(channel[1]);
  close(channel[1]);
  if (read(channel[0], &target, sizeof target) != sizeof target) return 1;
  return parent(target) != 0 || wait(&status) < 0 || status != 0;
}
