/* Processes with nothing to do use no processor time: three wait for a counter or an event, each in
 * another way, and one calls nothing and wakes the others at the end. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "exchange.h"

enum {
  IN_CT_WAIT,
  IN_CT_POLL,
  IN_EQ_POLL,
  CALLS_NOTHING,
  PROCESSES,
  PORTAL = 5,
  SECONDS = 5,
  MOST_PERCENT = 1
};

static ptl_handle_ni_t ni;
static ptl_handle_eq_t eq, sent_eq;
static ptl_handle_ct_t ct;
static ptl_handle_md_t md;
static uint64_t word = 1, landing;

static void put_to(int who) {
  CHECK(
      PtlPut(md, address(&word), sizeof word, PTL_ACK_REQ, job_names[who], PORTAL, 0, 0, NULL, 0));
  (void)event_wait(sent_eq, PTL_EVENT_ACK);
}

static void sleep_for(time_t seconds) {
  const struct timespec time = {seconds, 0};
  nanosleep(&time, NULL);
}

static double processor_seconds(void) {
  struct timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* Returns when process CALLS_NOTHING has put once more. */
static void be_idle(ptl_size_t wanted) {
  ptl_ct_event_t count;
  ptl_event_t event;
  unsigned int which;
  job_step("be_idle", __FILE__, __LINE__);
  switch (job_rank) {
    case IN_CT_WAIT: CHECK(PtlCTWait(ct, wanted, &count)); break;
    case IN_CT_POLL: CHECK(PtlCTPoll(&ct, &wanted, 1, PTL_TIME_FOREVER, &count, &which)); break;
    case IN_EQ_POLL: CHECK(PtlEQPoll(&eq, 1, PTL_TIME_FOREVER, &event, &which)); break;
    default: sleep_for(SECONDS); break;
  }
}

static void body(void) {
  ptl_pt_index_t pt;
  ptl_handle_le_t entry;
  ptl_event_t event;
  ptl_le_t le = {.start = &landing,
                 .length = sizeof landing,
                 .uid = PTL_UID_ANY,
                 .options = PTL_LE_OP_PUT | PTL_LE_EVENT_LINK_DISABLE | PTL_LE_EVENT_CT_COMM |
                            (job_rank == IN_EQ_POLL ? 0 : PTL_LE_EVENT_COMM_DISABLE)};
  CHECK(PtlInit());
  CHECK(PtlNIInit(PTL_IFACE_DEFAULT, PTL_NI_NO_MATCHING | PTL_NI_PHYSICAL, PTL_PID_ANY, NULL, NULL,
                  &ni));
  CHECK(PtlEQAlloc(ni, 64, &eq));
  CHECK(PtlEQAlloc(ni, 64, &sent_eq));
  CHECK(PtlCTAlloc(ni, &ct));
  CHECK(PtlPTAlloc(ni, 0, eq, PORTAL, &pt));
  le.ct_handle = ct;
  CHECK(PtlLEAppend(ni, PORTAL, &le, PTL_PRIORITY_LIST, NULL, &entry));
  md = whole_memory(ni, PTL_MD_EVENT_SEND_DISABLE, sent_eq, PTL_CT_NONE);
  job_publish(ni);
  for (int r = 0; r < job_size; ++r) put_to(r); /* connected with all, itself included */
  count_wait(ct, (ptl_size_t)job_size);
  while (PtlEQGet(eq, &event) == PTL_OK) continue;
  job_barrier();
  sleep_for(1);
  double before = processor_seconds();
  be_idle((ptl_size_t)job_size + 1);
  double percent = 100 * (processor_seconds() - before) / SECONDS;
  if (job_rank == CALLS_NOTHING) {
    for (int r = 0; r < CALLS_NOTHING; ++r) put_to(r);
  }
  printf("process %d: %.3f %% of a core\n", job_rank, percent);
  REQUIRE(percent < MOST_PERCENT);
  job_barrier();
  CHECK(PtlNIFini(ni));
  PtlFini();
}

int main(void) { return job_run("idle", PROCESSES, 60, body); }
