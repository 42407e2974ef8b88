/* A child of fork(): what its parent has opened is not the child's. Each call returns PTL_NO_INIT
 * until the child calls PtlInit; then it is a process of its own, and can put to its parent. */
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "exchange.h"

enum { PORTAL = 5, ROUNDS = 3 };

static ptl_handle_ni_t ni;
static ptl_handle_eq_t eq;
static ptl_handle_ct_t ct;
static ptl_handle_md_t md;
static unsigned char memory[64], source[64];

static void open_all(void) {
  CHECK(PtlInit());
  CHECK(PtlNIInit(PTL_IFACE_DEFAULT, PTL_NI_NO_MATCHING | PTL_NI_PHYSICAL, PTL_PID_ANY, NULL, NULL,
                  &ni));
  CHECK(PtlEQAlloc(ni, 64, &eq));
  CHECK(PtlCTAlloc(ni, &ct));
  md = whole_memory(ni, 0, eq, PTL_CT_NONE);
}

static void put_to(ptl_process_t target) {
  CHECK(PtlPut(md, address(source), sizeof source, PTL_ACK_REQ, target, PORTAL, 0, 0, NULL, 0));
  event_wait(eq, PTL_EVENT_SEND);
  event_wait(eq, PTL_EVENT_ACK);
}

/* With the handles of its parent. None of these calls may wait. */
static void use_what_the_parent_has(ptl_process_t target) {
  ptl_event_t event;
  ptl_ct_event_t count;
  ptl_handle_ni_t other;
  ptl_process_t self;
  unsigned int which;
  EXPECT(PTL_NO_INIT, PtlEQGet(eq, &event));
  EXPECT(PTL_NO_INIT, PtlEQWait(eq, &event));
  EXPECT(PTL_NO_INIT, PtlEQPoll(&eq, 1, PTL_TIME_FOREVER, &event, &which));
  EXPECT(PTL_NO_INIT, PtlCTWait(ct, 1, &count));
  EXPECT(PTL_NO_INIT,
         PtlPut(md, address(source), sizeof source, PTL_ACK_REQ, target, PORTAL, 0, 0, NULL, 0));
  EXPECT(PTL_NO_INIT, PtlGetPhysId(ni, &self));
  EXPECT(PTL_NO_INIT, PtlAtomicSync());
  EXPECT(PTL_NO_INIT, PtlEQFree(eq));
  EXPECT(PTL_NO_INIT, PtlNIFini(ni));
  EXPECT(PTL_NO_INIT, PtlNIInit(PTL_IFACE_DEFAULT, PTL_NI_NO_MATCHING | PTL_NI_PHYSICAL,
                                PTL_PID_ANY, NULL, NULL, &other));
  PtlAbort();
  PtlFini();
}

static void fork_and_wait(void) {
  const ptl_process_t parent = job_names[job_rank];
  const pid_t child = fork();
  int status = 0;
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    use_what_the_parent_has(parent);
    open_all();
    put_to(parent);
    PtlFini();
    EXPECT(PTL_NO_INIT, PtlAtomicSync());
    _exit(0);
  }
  event_wait(eq, PTL_EVENT_PUT);
  REQUIRE_EQUAL(waitpid(child, &status, 0), child);
  REQUIRE_EQUAL(status, 0);
}

static void body(void) {
  ptl_pt_index_t pt;
  ptl_handle_le_t le;
  ptl_le_t entry = {.start = memory,
                    .length = sizeof memory,
                    .ct_handle = PTL_CT_NONE,
                    .uid = PTL_UID_ANY,
                    .options = PTL_LE_OP_PUT | PTL_LE_EVENT_LINK_DISABLE};
  open_all();
  CHECK(PtlPTAlloc(ni, 0, eq, PORTAL, &pt));
  CHECK(PtlLEAppend(ni, PORTAL, &entry, PTL_PRIORITY_LIST, NULL, &le));
  job_publish(ni);
  for (int round = 0; round < ROUNDS; ++round) {
    if (job_rank == 0) put_to(job_names[1]); /* the child inherits a connection */
    if (job_rank == 1) {
      event_wait(eq, PTL_EVENT_PUT);
      fork_and_wait();
    }
    job_barrier();
  }
  PtlFini();
}

int main(void) { return job_run("fork", 2, 60, body); }
