/* Portals 4: a chain of triggered operations.
 *
 * Four processes pass a string from each to the next, without a call at the time. Each has set up a
 * triggered operation: when something has arrived (its counter reaches 1), it is put to the next
 * process. Then all sleep. When the first counter is incremented, the string passes through all
 * processes, and each wakes up after it has passed.
 *
 * The parent collects the addresses of all processes and gives each the address of the next. It
 * also waits until all are ready before the first one begins, because a process that has prepared
 * nothing would refuse the message.
 *
 * Build:   cc -o portals4_chain portals4_chain.c $(pkg-config --cflags --libs portals4)
 * Run:     ./portals4_chain
 * Prints:
 *   process 0: "carried by a lintel"
 *   process 1: "carried by a lintel"
 *   process 2: "carried by a lintel"
 *   process 3: "carried by a lintel"
 */
#include <portals4.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

enum { PORTAL = 4, PROCESSES = 4 };

static void tell(int fd, const void *what, size_t length) {
  if (write(fd, what, length) != (ssize_t)length) exit(1);
}

static void learn(int fd, void *what, size_t length) {
  if (read(fd, what, length) != (ssize_t)length) exit(1);
}

static int link_of_the_chain(int number, int from_parent, int to_parent) {
  char sentence[64] = "";
  ptl_handle_ni_t ni;
  ptl_pt_index_t portal;
  ptl_handle_ct_t arrived;
  ptl_handle_le_t handle;
  ptl_handle_md_t source;
  ptl_le_t le = {0};
  ptl_md_t md = {0};
  ptl_process_t self, next;
  ptl_ct_event_t count;
  const int last = number == PROCESSES - 1;

  MUST(PtlInit());
  MUST(PtlNIInit(PTL_IFACE_DEFAULT, PTL_NI_NO_MATCHING | PTL_NI_PHYSICAL, PTL_PID_ANY, NULL, NULL,
                 &ni));
  MUST(PtlGetPhysId(ni, &self));
  tell(to_parent, &self, sizeof self);
  learn(from_parent, &next, sizeof next);

  MUST(PtlCTAlloc(ni, &arrived));
  MUST(PtlPTAlloc(ni, 0, PTL_EQ_NONE, PORTAL, &portal));
  le.start = sentence;
  le.length = sizeof sentence;
  le.ct_handle = arrived;
  le.uid = PTL_UID_ANY;
  le.options = PTL_LE_OP_PUT | PTL_LE_EVENT_CT_COMM;
  MUST(PtlLEAppend(ni, portal, &le, PTL_PRIORITY_LIST, NULL, &handle));

  md.start = sentence; /* sends from where the data arrived */
  md.length = sizeof sentence;
  md.options = PTL_MD_EVENT_CT_ACK;
  md.eq_handle = PTL_EQ_NONE;
  MUST(PtlCTAlloc(ni, &md.ct_handle));
  MUST(PtlMDBind(ni, &md, &source));
  if (!last)
    MUST(PtlTriggeredPut(source, 0, sizeof sentence, PTL_CT_ACK_REQ, next, PORTAL, 0, 0, NULL, 0,
                         arrived, 1));
  tell(to_parent, &number, sizeof number); /* ready */

  if (number == 0) {
    const ptl_ct_event_t one = {1, 0};
    learn(from_parent, &next, sizeof next); /* all are ready */
    strcpy(sentence, "carried by a lintel");
    MUST(PtlCTInc(arrived, one)); /* as if it had come from a process before the first */
  }
  MUST(PtlCTWait(arrived, 1, &count));
  printf("process %d: \"%s\"\n", number, sentence);
  if (!last) MUST(PtlCTWait(md.ct_handle, 1, &count)); /* the next process has the data */
  if (count.failure != 0) return 1;
  MUST(PtlNIFini(ni));
  PtlFini();
  return 0;
}

int main(void) {
  int to_child[PROCESSES][2], from_child[PROCESSES][2], i, number, status;
  ptl_process_t ids[PROCESSES + 1];

  memset(ids, 0, sizeof ids);
  for (i = 0; i < PROCESSES; ++i) {
    if (pipe(to_child[i]) != 0 || pipe(from_child[i]) != 0) return 1;
    if (fork() == 0) return link_of_the_chain(i, to_child[i][0], from_child[i][1]);
    close(from_child[i][1]);
  }
  for (i = 0; i < PROCESSES; ++i) learn(from_child[i][0], &ids[i], sizeof ids[i]);
  for (i = 0; i < PROCESSES; ++i) tell(to_child[i][1], &ids[i + 1], sizeof ids[i + 1]);
  for (i = 0; i < PROCESSES; ++i) learn(from_child[i][0], &number, sizeof number);
  tell(to_child[0][1], &ids[0], sizeof ids[0]);
  for (i = 0; i < PROCESSES; ++i) {
    if (wait(&status) < 0 || status != 0) return 1;
  }
  return 0;
}
