/* An old program of Portals 3: it learns from the run-time functions who it is, and each rank puts
 * its number to every rank.
 *   before   PtlSetRank asks before the interface is opened; the usual way
 *   after    PtlSetRank asks for the interface that is open
 *   unasked  nobody calls PtlSetRank: PtlGetRank asks
 *   again    as before, twice in one process: everybody is still where the others know him
 *   reopen   the same, without another call of PtlSetRank
 *   fork     as before; then each rank has a child that sets the maps itself, and the children are
 *            a group of their own
 *   outsider as before; then each rank starts a program that does not belong to the job: what that
 *            puts fails, also after another start of Portals
 * Each of these says "rank R of N: ok". Headers as such programs name them. */
#include <portals/portals3.h>
#include <portals/p3nal_utcp.h>
#include <portals/p3api/debug.h>
#include <p3rt/p3rt.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { kPortal = 4, kBits = 0x5eed, kMostRanks = 64, kTimeoutMs = 30000 };

#define MUST(call)                                                  \
  do {                                                              \
    int code_ = (call);                                             \
    if (code_ != PTL_OK) fail(#call, PtlErrorStr((unsigned)code_)); \
  } while (0)

static unsigned rank, size;

static void fail(const char *what, const char *how) {
  fprintf(stderr, "rank %u: %s: %s\n", rank, what, how);
  exit(EXIT_FAILURE);
}

static ptl_event_t next_event(ptl_handle_eq_t eq) {
  ptl_event_t event;
  int which;
  MUST(PtlEQPoll(&eq, 1, kTimeoutMs, &event, &which));
  if (event.ni_fail_type != PTL_NI_OK) fail(ptl_event_str[event.type], "failed");
  return event;
}

/* Whether an acknowledgement of `peer` comes soon. One of another put of another peer may come too.
 */
static int acknowledged(ptl_handle_eq_t eq, ptl_process_id_t peer) {
  ptl_event_t event;
  int which, code;
  while ((code = PtlEQPoll(&eq, 1, 100, &event, &which)) == PTL_OK || code == PTL_EQ_DROPPED) {
    if (event.type == PTL_EVENT_ACK && event.ni_fail_type == PTL_NI_OK &&
        event.initiator.nid == peer.nid && event.initiator.pid == peer.pid) {
      return 1;
    }
  }
  if (code != PTL_EQ_EMPTY) fail("PtlEQPoll", PtlErrorStr((unsigned)code));
  return 0;
}

/* Every rank puts its number into its place at every rank. No rank knows when the others are ready,
 * so each put is repeated until it is acknowledged. */
static void exchange_names(ptl_handle_ni_t ni, ptl_match_bits_t bits) {
  static unsigned long numbers[kMostRanks];
  unsigned long mine = rank + 1;
  const ptl_process_id_t anyone = {PTL_NID_ANY, PTL_PID_ANY};
  ptl_handle_eq_t eq, sends;
  ptl_handle_me_t me;
  ptl_handle_md_t target, source;
  ptl_md_t md = {0};
  unsigned peer, arrived = 0;

  memset(numbers, 0, sizeof numbers);
  MUST(PtlEQAlloc(ni, 8 * kMostRanks, PTL_EQ_HANDLER_NONE, &eq));
  MUST(PtlEQAlloc(ni, 8, PTL_EQ_HANDLER_NONE, &sends));
  MUST(PtlMEAttach(ni, kPortal, anyone, bits, 0, PTL_RETAIN, PTL_INS_AFTER, &me));
  md.start = numbers;
  md.length = sizeof numbers;
  md.threshold = PTL_MD_THRESH_INF;
  md.options = PTL_MD_OP_PUT | PTL_MD_MANAGE_REMOTE | PTL_MD_EVENT_START_DISABLE;
  md.eq_handle = eq;
  MUST(PtlMDAttach(me, md, PTL_RETAIN, &target));
  md.start = &mine;
  md.length = sizeof mine;
  md.options = PTL_MD_EVENT_START_DISABLE | PTL_MD_EVENT_END_DISABLE;
  md.eq_handle = sends;
  MUST(PtlMDBind(ni, md, PTL_RETAIN, &source));
  for (peer = 0; peer < size; ++peer) {
    ptl_process_id_t id;
    int tries = 0;
    MUST(PtlGetRankId(ni, peer, &id));
    do {
      MUST(PtlPut(source, PTL_ACK_REQ, id, kPortal, 0, bits, rank * sizeof mine, 0));
      if (++tries > kTimeoutMs / 100) fail("a put", "no acknowledgement came");
    } while (!acknowledged(sends, id));
  }
  while (arrived < size) {
    next_event(eq);
    for (arrived = 0; arrived < size && numbers[arrived] == arrived + 1; ++arrived) {
    }
  }
}

static ptl_handle_ni_t start(int ask_before) {
  const ptl_process_id_t anyone = {PTL_NID_ANY, PTL_PID_ANY};
  ptl_handle_ni_t ni;
  int interfaces;
  MUST(PtlInit(&interfaces));
  if (ask_before) MUST(PtlSetRank(PTL_INVALID_HANDLE, -1, -1));
  MUST(PtlNIInit(PTL_IFACE_DEFAULT, PTL_PID_ANY, NULL, NULL, &ni));
  MUST(PtlACEntry(ni, 0, anyone, PTL_UID_ANY, PTL_JID_ANY, PTL_PT_INDEX_ANY));
  return ni;
}

/* Checks that the maps are right about this rank. */
static void look_at_maps(ptl_handle_ni_t ni, ptl_nid_t *nids, ptl_pid_t *pids) {
  ptl_process_id_t self, named;
  MUST(PtlGetRank(ni, &rank, &size));
  if (size > kMostRanks || rank >= size) fail("PtlGetRank", "such a rank is not possible");
  MUST(PtlGetNIDMap(ni, nids, size));
  MUST(PtlGetPIDMap(ni, pids, size));
  MUST(PtlGetId(ni, &self));
  MUST(PtlGetRankId(ni, rank, &named));
  if (named.nid != self.nid || named.pid != self.pid || nids[rank] != self.nid ||
      pids[rank] != self.pid)
    fail("PtlGetRankId", "not this process");
}

/* The child opens an interface of its own. `given` has the children's pids, separated by colons. */
static void be_a_child(ptl_nid_t *nids, const char *given) {
  ptl_pid_t pids[kMostRanks];
  ptl_handle_ni_t ni;
  int interfaces;
  unsigned i;
  for (i = 0; i < size; ++i) {
    char *end;
    pids[i] = (ptl_pid_t)strtoul(given, &end, 10);
    given = end + (*end == ':');
  }
  PtlFini(); /* the parent's; no effect here */
  MUST(PtlInit(&interfaces));
  MUST(PtlSetRank(PTL_INVALID_HANDLE, rank, size));
  MUST(PtlSetNIDMap(PTL_INVALID_HANDLE, nids, size));
  MUST(PtlSetPIDMap(PTL_INVALID_HANDLE, pids, size));
  MUST(PtlNIInit(PTL_IFACE_DEFAULT, PTL_PID_ANY, NULL, NULL, &ni));
  look_at_maps(ni, nids, pids);
  exchange_names(ni, kBits + 2);
  printf("rank %u of %u: ok\n", rank, size);
  fflush(stdout);
  PtlFini();
}

/* Not a process of the job: its put to that process must fail, whatever its list has. */
static int be_an_outsider(ptl_process_id_t target) {
  static char byte;
  ptl_handle_ni_t ni;
  ptl_handle_eq_t eq;
  ptl_handle_md_t source;
  ptl_md_t md = {0};
  ptl_event_t event;
  int interfaces, which;
  MUST(PtlInit(&interfaces));
  MUST(PtlNIInit(PTL_IFACE_DEFAULT, PTL_PID_ANY, NULL, NULL, &ni));
  MUST(PtlEQAlloc(ni, 8, PTL_EQ_HANDLER_NONE, &eq));
  md.start = &byte;
  md.length = sizeof byte;
  md.threshold = PTL_MD_THRESH_INF;
  md.options = PTL_MD_EVENT_START_DISABLE;
  md.eq_handle = eq;
  MUST(PtlMDBind(ni, md, PTL_RETAIN, &source));
  MUST(PtlPut(source, PTL_ACK_REQ, target, kPortal, 0, kBits, 0, 0));
  MUST(PtlEQPoll(&eq, 1, kTimeoutMs, &event, &which));
  if (event.ni_fail_type == PTL_NI_OK) fail("an outsider's put", "it was accepted");
  PtlFini();
  return 0;
}

static void start_an_outsider(ptl_process_id_t self) {
  char nid[16], pid[16];
  int status;
  const pid_t child = fork();
  if (child == 0) {
    snprintf(nid, sizeof nid, "%u", (unsigned)self.nid);
    snprintf(pid, sizeof pid, "%u", (unsigned)self.pid);
    unsetenv("LINTEL_SECRET_FILE");
    execl("/proc/self/exe", "outsider", "put-to", nid, pid, (char *)NULL);
    _exit(EXIT_FAILURE);
  }
  if (child < 0 || waitpid(child, &status, 0) != child || status != 0)
    fail("the outsider", "failed");
}

int main(int count, char **arguments) {
  const char *mode = count > 1 ? arguments[1] : "before";
  ptl_nid_t nids[kMostRanks];
  ptl_pid_t pids[kMostRanks];
  const int before = strcmp(mode, "after") != 0 && strcmp(mode, "unasked") != 0;
  ptl_handle_ni_t ni;
  if (strcmp(mode, "put-to") == 0 && count == 4) {
    const ptl_process_id_t target = {(ptl_nid_t)strtoul(arguments[2], NULL, 10),
                                     (ptl_pid_t)strtoul(arguments[3], NULL, 10)};
    return be_an_outsider(target);
  }
  ni = start(before);
  if (strcmp(mode, "after") == 0) MUST(PtlSetRank(ni, -1, -1));
  look_at_maps(ni, nids, pids);
  exchange_names(ni, kBits);
  if (strcmp(mode, "again") == 0 || strcmp(mode, "reopen") == 0) {
    MUST(PtlNIFini(ni));
    ni = start(strcmp(mode, "again") == 0);
    look_at_maps(ni, nids, pids);
    exchange_names(ni, kBits + 1);
  }
  if (strcmp(mode, "outsider") == 0) {
    ptl_process_id_t self;
    MUST(PtlGetId(ni, &self));
    start_an_outsider(self);
    PtlFini(); /* what was learnt is not forgotten with it */
    ni = start(0);
    MUST(PtlGetId(ni, &self));
    start_an_outsider(self);
  }
  if (strcmp(mode, "fork") == 0) {
    const char *pids_of_children = getenv("PIDS_OF_CHILDREN");
    pid_t child;
    int status;
    if (pids_of_children == NULL) fail("PIDS_OF_CHILDREN", "not set");
    fflush(stdout);
    child = fork();
    if (child == 0) {
      be_a_child(nids, pids_of_children);
      return 0;
    }
    if (child < 0 || waitpid(child, &status, 0) != child || status != 0)
      fail("the child", "failed");
    PtlFini();
    return 0;
  }
  printf("rank %u of %u: ok\n", rank, size);
  fflush(stdout);
  PtlFini();
  return 0;
}
