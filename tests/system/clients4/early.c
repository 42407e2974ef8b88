/* Operations that begin before their target is ready: it has opened only its interface, or another
 * kind of interface, or does not exist yet, or never will. Each operation ends, and later ones
 * succeed. Process 0 begins them, the others are targets. */
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "exchange.h"

enum { INITIATOR, OPEN, OTHER_KIND, LATE, PROCESSES, PORTAL = 5, MANY = 40 };
enum { LATE_ABSENT = 0, LATE_READY = 1, LATE_TAKEN = 2 };
struct shared {
  int late, late_pid; /* what the late process has reached */
};

static ptl_handle_ni_t ni, logical;
static ptl_handle_eq_t eq;
static ptl_handle_md_t md, logical_md;
static unsigned char memory[MANY][64], out[64], in[64];

/* How an operation ended: a failed SEND is the end, otherwise ACK or REPLY is. */
static ptl_ni_fail_t ended(void) {
  for (;;) {
    ptl_event_t event;
    job_step("the end of an operation", __FILE__, __LINE__);
    job_check(PtlEQWait(eq, &event), PTL_OK, "PtlEQWait", __FILE__, __LINE__);
    if (event.type == PTL_EVENT_SEND && event.ni_fail_type == PTL_NI_OK) continue;
    REQUIRE(event.type == PTL_EVENT_SEND || event.type == PTL_EVENT_ACK ||
            event.type == PTL_EVENT_REPLY);
    return event.ni_fail_type;
  }
}

static void begin_put(ptl_handle_md_t from, ptl_process_t target, int slot) {
  CHECK(PtlPut(from, address(out), sizeof out, PTL_ACK_REQ, target, PORTAL, 0,
               (ptl_size_t)slot * sizeof out, NULL, 0));
}
static void begin_get(ptl_handle_md_t into, ptl_process_t target) {
  CHECK(PtlGet(into, address(in), sizeof in, target, PORTAL, 0, 0, NULL));
}

/* Every kind of operation; all of them end with `reason`. */
static void all_end(ptl_handle_md_t with, ptl_process_t target, ptl_ni_fail_t reason) {
  int64_t one = 1, old;
  begin_put(with, target, 0);
  REQUIRE_EQUAL(ended(), reason);
  begin_get(with, target);
  REQUIRE_EQUAL(ended(), reason);
  CHECK(PtlAtomic(with, address(&one), sizeof one, PTL_ACK_REQ, target, PORTAL, 0, 0, NULL, 0,
                  PTL_SUM, PTL_INT64_T));
  REQUIRE_EQUAL(ended(), reason);
  CHECK(PtlFetchAtomic(with, address(&old), with, address(&one), sizeof one, target, PORTAL, 0, 0,
                       NULL, 0, PTL_SUM, PTL_INT64_T));
  REQUIRE_EQUAL(ended(), reason);
  for (int i = 0; i < MANY; ++i) begin_put(with, target, i);
  for (int i = 0; i < MANY; ++i) REQUIRE_EQUAL(ended(), reason);
}

static void listen(ptl_handle_ni_t on) {
  ptl_pt_index_t pt;
  ptl_handle_le_t le;
  ptl_le_t entry = {.start = memory,
                    .length = sizeof memory,
                    .ct_handle = PTL_CT_NONE,
                    .uid = PTL_UID_ANY,
                    .options = PTL_LE_OP_PUT | PTL_LE_OP_GET | PTL_LE_EVENT_LINK_DISABLE};
  CHECK(PtlPTAlloc(on, 0, PTL_EQ_NONE, PORTAL, &pt));
  CHECK(PtlLEAppend(on, PORTAL, &entry, PTL_PRIORITY_LIST, NULL, &le));
}

static ptl_process_t rank(ptl_rank_t r) {
  ptl_process_t id;
  memset(&id, 0, sizeof id);
  id.rank = r;
  return id;
}

static void open_logical(void) {
  CHECK(PtlNIInit(PTL_IFACE_DEFAULT, PTL_NI_NO_MATCHING | PTL_NI_LOGICAL, PTL_PID_ANY, NULL, NULL,
                  &logical));
}

static void pause_for(long milliseconds) {
  struct timespec time = {milliseconds / 1000, milliseconds % 1000 * 1000000};
  nanosleep(&time, NULL);
}

static void initiator(void) {
  volatile struct shared *shared = job_board;
  ptl_process_t nobody = job_names[INITIATOR];
  ptl_handle_eq_t logical_eq;
  all_end(md, job_names[OPEN], PTL_NI_DROPPED); /* its interface is open, without a portal */
  all_end(md, job_names[OTHER_KIND], PTL_NI_UNDELIVERABLE); /* it has only a matching one */
  CHECK(PtlSetMap(logical, PROCESSES - 1, job_names));
  CHECK(PtlEQAlloc(logical, 256, &logical_eq));
  logical_md = whole_memory(logical, 0, logical_eq, PTL_CT_NONE);
  ptl_handle_eq_t physical_eq = eq;
  eq = logical_eq;
  all_end(logical_md, rank(OPEN), PTL_NI_DROPPED); /* it has no map yet */
  job_barrier();
  job_barrier(); /* now it has everything */
  all_end(logical_md, rank(OPEN), PTL_NI_OK);
  eq = physical_eq;
  all_end(md, job_names[OPEN], PTL_NI_OK);
  /* No process there: at the pid of the late process, which comes soon, and at another pid that
   * stays empty. */
  ptl_process_t late = job_names[INITIATOR];
  late.phys.pid = (ptl_pid_t)shared->late_pid;
  begin_put(md, late, 0);
  begin_put(md, late, 1);
  begin_get(md, late);
  pause_for(300);
  job_barrier(); /* the late process begins */
  for (int i = 0; i < 3; ++i) {
    ptl_ni_fail_t end = ended();
    /* DROPPED: between its interface and its entry */
    REQUIRE(end == PTL_NI_OK || end == PTL_NI_UNDELIVERABLE || end == PTL_NI_DROPPED);
  }
  job_barrier();
  if (shared->late == LATE_READY) {
    ptl_ni_fail_t end = PTL_NI_UNDELIVERABLE;
    /* it may be recorded as unreachable for a short time */
    for (int i = 0; i < 50 && end == PTL_NI_UNDELIVERABLE; ++i) {
      begin_put(md, late, 0);
      end = ended();
      if (end == PTL_NI_UNDELIVERABLE) pause_for(100);
    }
    REQUIRE_EQUAL(end, PTL_NI_OK);
    all_end(md, late, PTL_NI_OK);
  }
  nobody.phys.pid = shared->late_pid == 3 ? 4 : 3;
  for (int i = 0; i < MANY; ++i) begin_put(md, nobody, i);
  begin_get(md, nobody);
  for (int i = 0; i < MANY + 1; ++i) REQUIRE_EQUAL(ended(), PTL_NI_UNDELIVERABLE);
  job_barrier();
}

static void body(void) {
  volatile struct shared *shared = job_board;
  setenv("LINTEL_CONNECT_TIMEOUT", "3s", 0); /* the last part waits for it */
  if (job_rank == LATE) {
    shared->late_pid = 16 + (int)(getpid() % 900);
    job_barrier(); /* of job_publish */
    job_barrier();
    job_barrier();
    job_barrier(); /* the operations are under way, so no waiting here */
    CHECK(PtlInit());
    int code = PtlNIInit(PTL_IFACE_DEFAULT, PTL_NI_NO_MATCHING | PTL_NI_PHYSICAL,
                         (ptl_pid_t)shared->late_pid, NULL, NULL, &ni);
    if (code == PTL_OK) {
      listen(ni);
      shared->late = LATE_READY;
    } else {
      job_check(code, PTL_PID_IN_USE, "PtlNIInit", __FILE__, __LINE__);
      shared->late = LATE_TAKEN;
    }
    job_barrier();
    job_barrier();
    PtlFini();
    return;
  }
  CHECK(PtlInit());
  CHECK(PtlNIInit(PTL_IFACE_DEFAULT,
                  (job_rank == OTHER_KIND ? PTL_NI_MATCHING : PTL_NI_NO_MATCHING) | PTL_NI_PHYSICAL,
                  PTL_PID_ANY, NULL, NULL, &ni));
  if (job_rank != OTHER_KIND) open_logical();
  if (job_rank == INITIATOR) {
    CHECK(PtlEQAlloc(ni, 256, &eq));
    md = whole_memory(ni, 0, eq, PTL_CT_NONE);
    pattern_fill(out, sizeof out, 1);
  }
  job_publish(ni);
  if (job_rank == INITIATOR) {
    initiator();
  } else {
    job_barrier(); /* until here no call but PtlNIInit and PtlGetPhysId */
    if (job_rank == OPEN) {
      CHECK(PtlSetMap(logical, PROCESSES - 1, job_names));
      listen(ni);
      listen(logical);
    }
    for (int i = 0; i < 4; ++i) job_barrier();
  }
  PtlFini();
}

int main(void) { return job_run("early", PROCESSES, 60, body); }
