/* Portals 4: puts that are counted, without an event.
 *
 * The parent puts 1000 numbers into a table of its child, each at its own place. Neither has an
 * event queue. The child's entry counts what arrives, the parent's memory descriptor counts
 * acknowledgements, and both wait for a count. The interface has no matching, so entries are list
 * entries: every message to the portal may use them.
 *
 * Build:   cc -o portals4_counters portals4_counters.c $(pkg-config --cflags --libs portals4)
 * Run:     ./portals4_counters
 * Prints:
 *   child: 1000 numbers, their sum is 499500
 *   parent: 1000 acknowledgements, no failure
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

enum { PORTAL = 4, NUMBERS = 1000 };

static ptl_handle_ni_t open_interface(void) {
  ptl_handle_ni_t ni;
  MUST(PtlInit());
  MUST(PtlNIInit(PTL_IFACE_DEFAULT, PTL_NI_NO_MATCHING | PTL_NI_PHYSICAL, PTL_PID_ANY, NULL, NULL,
                 &ni));
  return ni;
}

static int child(int to_parent) {
  static int table[NUMBERS];
  ptl_handle_ni_t ni = open_interface();
  ptl_pt_index_t portal;
  ptl_handle_le_t handle;
  ptl_le_t le = {0};
  ptl_process_t self;
  ptl_ct_event_t count;
  long sum = 0;
  int i;

  MUST(PtlPTAlloc(ni, 0, PTL_EQ_NONE, PORTAL, &portal));
  le.start = table;
  le.length = sizeof table;
  le.uid = PTL_UID_ANY;
  le.options = PTL_LE_OP_PUT | PTL_LE_EVENT_CT_COMM; /* one for each put, when its data are in
                                                        memory */
  MUST(PtlCTAlloc(ni, &le.ct_handle));
  MUST(PtlLEAppend(ni, portal, &le, PTL_PRIORITY_LIST, NULL, &handle));
  MUST(PtlGetPhysId(ni, &self));
  if (write(to_parent, &self, sizeof self) != sizeof self) return 1;

  MUST(PtlCTWait(le.ct_handle, NUMBERS, &count)); /* returns for a failure too */
  if (count.failure != 0) return 1;
  for (i = 0; i < NUMBERS; ++i) sum += table[i];
  printf("child: %d numbers, their sum is %ld\n", (int)count.success, sum);
  MUST(PtlNIFini(ni)); /* waits until the acknowledgements have left */
  PtlFini();
  return 0;
}

static int parent(ptl_process_t target) {
  static int numbers[NUMBERS];
  ptl_handle_ni_t ni = open_interface();
  ptl_handle_md_t source;
  ptl_md_t md = {0};
  ptl_ct_event_t count;
  int i;

  for (i = 0; i < NUMBERS; ++i) numbers[i] = i;
  md.start = numbers;
  md.length = sizeof numbers;
  md.options = PTL_MD_EVENT_CT_ACK;
  md.eq_handle = PTL_EQ_NONE;
  MUST(PtlCTAlloc(ni, &md.ct_handle));
  MUST(PtlMDBind(ni, &md, &source));
  for (i = 0; i < NUMBERS; ++i) {
    const ptl_size_t place = (ptl_size_t)i * sizeof(int);
    MUST(PtlPut(source, place, sizeof(int), PTL_CT_ACK_REQ, target, PORTAL, 0, place, NULL, 0));
  }
  MUST(PtlCTWait(md.ct_handle, NUMBERS, &count));
  printf("parent: %d acknowledgements, %s failure\n", (int)count.success,
         count.failure == 0 ? "no" : "a");
  MUST(PtlMDRelease(source));
  MUST(PtlNIFini(ni));
  PtlFini();
  return count.failure != 0;
}

int main(void) {
  int channel[2], status;
  ptl_process_t target;
  if (pipe(channel) != 0) return 1;
  if (fork() == 0) return child(channel[1]);
  close(channel[1]);
  if (read(channel[0], &target, sizeof target) != sizeof target) return 1;
  return parent(target) != 0 || wait(&status) < 0 || status != 0;
}
