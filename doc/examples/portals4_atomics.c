/* Portals 4: atomics.
 *
 * The parent has three numbers in its memory, and makes no calls. Each of its children
 *   - draws tickets: PtlFetchAtomic adds one and returns the previous value, so no two children
 *     have the same ticket;
 *   - reports its highest ticket: PtlAtomic with PTL_MAX, which returns nothing;
 *   - tries to be first: PtlSwap with PTL_CSWAP writes its number if 0 is there. The first child
 *     finds 0, the others find the first child's number.
 *
 * Build:   cc -o portals4_atomics portals4_atomics.c $(pkg-config --cflags --libs portals4)
 * Run:     ./portals4_atomics
 * Prints:
 *   parent: 150 tickets were drawn, the highest is 149, and one of 3 children was first
 */
#include <portals4.h>
#include <stddef.h>
#include <stdint.h>
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

enum { PORTAL = 4, CHILDREN = 3, TICKETS = 50, FIRST = 100 };

/* What the parent offers. The children address its members by their offsets. */
struct shared {
  int64_t next_ticket;
  int64_t highest;
  int64_t first;
};

static ptl_handle_ni_t open_interface(void) {
  ptl_handle_ni_t ni;
  MUST(PtlInit());
  MUST(PtlNIInit(PTL_IFACE_DEFAULT, PTL_NI_NO_MATCHING | PTL_NI_PHYSICAL, PTL_PID_ANY, NULL, NULL,
                 &ni));
  return ni;
}

/* Waits until `ct` has counted `test` replies or acknowledgements. */
static void wait_for(ptl_handle_ct_t ct, ptl_size_t test) {
  ptl_ct_event_t count;
  MUST(PtlCTWait(ct, test, &count));
  if (count.failure != 0) {
    fprintf(stderr, "an operation has failed\n");
    exit(1);
  }
}

/* Ends with exit code FIRST if it was the first. */
static int child(int from_parent, int64_t number) {
  int64_t out = 1, in = 0;
  const int64_t nobody = 0;
  ptl_handle_ni_t ni = open_interface();
  ptl_handle_md_t sent, fetched;
  ptl_md_t md = {0};
  ptl_process_t parent;
  ptl_size_t done = 0;
  int i;

  if (read(from_parent, &parent, sizeof parent) != sizeof parent) return 1;
  /* One counter for both. Operations run one after the other, and it counts the reply or the
   * acknowledgement of each. */
  md.eq_handle = PTL_EQ_NONE;
  md.options = PTL_MD_EVENT_CT_ACK | PTL_MD_EVENT_CT_REPLY;
  MUST(PtlCTAlloc(ni, &md.ct_handle));
  md.start = &out;
  md.length = sizeof out;
  MUST(PtlMDBind(ni, &md, &sent));
  md.start = &in;
  MUST(PtlMDBind(ni, &md, &fetched));

  for (i = 0; i < TICKETS; ++i) {
    MUST(PtlFetchAtomic(fetched, 0, sent, 0, sizeof out, parent, PORTAL, 0,
                        offsetof(struct shared, next_ticket), NULL, 0, PTL_SUM, PTL_INT64_T));
    wait_for(md.ct_handle, ++done);
  }
  out = in; /* its last ticket, which is its highest */
  MUST(PtlAtomic(sent, 0, sizeof out, PTL_CT_ACK_REQ, parent, PORTAL, 0,
                 offsetof(struct shared, highest), NULL, 0, PTL_MAX, PTL_INT64_T));
  wait_for(md.ct_handle, ++done);
  out = number;
  MUST(PtlSwap(fetched, 0, sent, 0, sizeof out, parent, PORTAL, 0, offsetof(struct shared, first),
               NULL, 0, &nobody, PTL_CSWAP, PTL_INT64_T));
  wait_for(md.ct_handle, ++done);
  MUST(PtlNIFini(ni));
  PtlFini();
  return in == nobody ? FIRST : 0;
}

int main(void) {
  struct shared shared = {0, 0, 0};
  int channel[2], status, i, firsts = 0;
  ptl_handle_ni_t ni;
  ptl_pt_index_t portal;
  ptl_handle_le_t handle;
  ptl_le_t le = {0};
  ptl_process_t self;

  if (pipe(channel) != 0) return 1;
  for (i = 1; i <= CHILDREN; ++i) {
    if (fork() == 0) return child(channel[0], i);
  }
  ni = open_interface();
  MUST(PtlPTAlloc(ni, 0, PTL_EQ_NONE, PORTAL, &portal));
  le.start = &shared;
  le.length = sizeof shared;
  le.ct_handle = PTL_CT_NONE;
  le.uid = PTL_UID_ANY;
  le.options = PTL_LE_OP_PUT | PTL_LE_OP_GET; /* a fetching atomic needs both */
  MUST(PtlLEAppend(ni, portal, &le, PTL_PRIORITY_LIST, NULL, &handle));
  MUST(PtlGetPhysId(ni, &self));
  for (i = 0; i < CHILDREN; ++i) {
    if (write(channel[1], &self, sizeof self) != sizeof self) return 1;
  }
  for (i = 0; i < CHILDREN; ++i) {
    if (wait(&status) < 0 || !WIFEXITED(status) || WEXITSTATUS(status) % FIRST != 0) return 1;
    firsts += WEXITSTATUS(status) / FIRST;
  }
  MUST(PtlAtomicSync()); /* from here on the processor may read what atomics have written */
  printf("parent: %d tickets were drawn, the highest is %d, and %s of %d children was first\n",
         (int)shared.next_ticket, (int)shared.highest,
         firsts == 1 && shared.first != 0 ? "one" : "none", CHILDREN);
  MUST(PtlNIFini(ni));
  PtlFini();
  return 0;
}
