/* Any call from any thread. Each process has four threads that put to and get from the same thread
 * of the right neighbour and wait in every way; two that share the queue of arrivals; two that wait
 * for one count of it; and one that makes, uses and frees objects of every kind meanwhile. */
#include <pthread.h>
#include <string.h>
#include <time.h>

#include "exchange.h"

enum {
  PROCESSES = 4,
  THREADS = 4,
  SHARING = 2,
  ROUNDS = 150,
  LONGEST = 90000,
  PORTAL = 3,
  ALL = THREADS * ROUNDS
};

/* plus the number of the thread */
static const ptl_match_bits_t put_bits = 0x100, get_bits = 0x200, unused_bits = 0x300;

static ptl_handle_ni_t ni;
static ptl_handle_eq_t arrivals;
static ptl_handle_ct_t arrived;
static unsigned char landings[THREADS][LONGEST];
static int seen[THREADS][ROUNDS], taken, over;

static ptl_process_t right(void) { return job_names[(job_rank + 1) % job_size]; }
static ptl_process_t left(void) { return job_names[(job_rank + job_size - 1) % job_size]; }

static pthread_t thread(void *(*body)(void *), intptr_t number) {
  pthread_t made;
  REQUIRE_EQUAL(pthread_create(&made, NULL, body, (void *)number), 0);
  return made;
}
static void join(pthread_t ended) { REQUIRE_EQUAL(pthread_join(ended, NULL), 0); }

static ptl_handle_me_t entry(void *start, ptl_size_t length, ptl_match_bits_t bits,
                             unsigned int options, ptl_handle_ct_t ct) {
  ptl_handle_me_t handle = PTL_INVALID_HANDLE;
  ptl_me_t me = {.start = start,
                 .length = length,
                 .ct_handle = ct,
                 .uid = PTL_UID_ANY,
                 .options = options | PTL_ME_EVENT_LINK_DISABLE,
                 .match_bits = bits};
  me.match_id.phys.nid = PTL_NID_ANY;
  me.match_id.phys.pid = PTL_PID_ANY;
  CHECK(PtlMEAppend(ni, PORTAL, &me, PTL_PRIORITY_LIST, NULL, &handle));
  return handle;
}

static void take(ptl_handle_eq_t eq, int how, ptl_event_kind_t type, ptl_size_t length) {
  ptl_event_t event;
  unsigned int which;
  int code = PTL_EQ_EMPTY;
  if (how % 3 == 0) code = PtlEQWait(eq, &event);
  if (how % 3 == 1) code = PtlEQPoll(&eq, 1, PTL_TIME_FOREVER, &event, &which);
  while (code == PTL_EQ_EMPTY) code = PtlEQGet(eq, &event);
  job_check(code, PTL_OK, "taking an event", __FILE__, __LINE__);
  REQUIRE(event.type == type && event.ni_fail_type == PTL_NI_OK);
  if (type != PTL_EVENT_SEND) REQUIRE_EQUAL(event.mlength, length);
}

static void reach(ptl_handle_ct_t ct, int how, ptl_size_t count) {
  ptl_ct_event_t value = {0, 0};
  unsigned int which;
  if (how % 3 == 0) CHECK(PtlCTWait(ct, count, &value));
  if (how % 3 == 1) CHECK(PtlCTPoll(&ct, &count, 1, PTL_TIME_FOREVER, &value, &which));
  while (value.success < count && value.failure == 0) CHECK(PtlCTGet(ct, &value));
  REQUIRE(value.success == count && value.failure == 0);
}

/* Puts, and gets back what it has put: in even rounds with events, in odd rounds with counters. */
static void *exchange(void *argument) {
  static unsigned char out[THREADS][LONGEST], in[THREADS][LONGEST];
  int number = (int)(intptr_t)argument;
  ptl_size_t count = 0;
  ptl_handle_eq_t eq;
  ptl_handle_ct_t ct;
  CHECK(PtlEQAlloc(ni, 8, &eq));
  CHECK(PtlCTAlloc(ni, &ct));
  ptl_handle_md_t mds[2] = {
      whole_memory(ni, 0, eq, PTL_CT_NONE),
      whole_memory(ni, PTL_MD_EVENT_CT_ACK | PTL_MD_EVENT_CT_REPLY | PTL_MD_EVENT_SUCCESS_DISABLE,
                   eq, ct)};
  for (int round = 0; round < ROUNDS; ++round) {
    int counting = round % 2, way = round / 2;
    size_t length = (size_t)round * 641 % LONGEST;
    unsigned int seed = (unsigned int)(round * 100 + number * 10 + job_rank);
    pattern_fill(out[number], length, seed);
    CHECK(PtlPut(mds[counting], address(out[number]), length,
                 counting ? PTL_CT_ACK_REQ : PTL_ACK_REQ, right(), PORTAL,
                 put_bits + (unsigned int)number, 0, NULL,
                 (ptl_hdr_data_t)number << 32 | (unsigned int)round));
    if (counting) {
      reach(ct, way, ++count);
    } else {
      take(eq, way, PTL_EVENT_SEND, 0);
      take(eq, way + 1, PTL_EVENT_ACK, length);
    }
    CHECK(PtlGet(mds[counting], address(in[number]), length, right(), PORTAL,
                 get_bits + (unsigned int)number, 0, NULL));
    if (counting) {
      reach(ct, way + 1, ++count);
    } else {
      take(eq, way + 2, PTL_EVENT_REPLY, length);
    }
    pattern_check(in[number], length, seed);
  }
  for (int i = 0; i < 2; ++i) CHECK(PtlMDRelease(mds[i]));
  CHECK(PtlCTFree(ct));
  CHECK(PtlEQFree(eq));
  return NULL;
}

/* Takes from a queue that another thread takes from as well, until it is freed. */
static void *share_queue(void *unused) {
  (void)unused;
  for (;;) {
    ptl_event_t event;
    int code = PtlEQWait(arrivals, &event);
    if (code == PTL_ABORTED) return NULL;
    job_check(code, PTL_OK, "PtlEQWait", __FILE__, __LINE__);
    unsigned int number = (unsigned int)(event.hdr_data >> 32),
                 round = (unsigned int)event.hdr_data;
    REQUIRE(number < THREADS && round < ROUNDS);
    REQUIRE(event.type == PTL_EVENT_PUT && event.ni_fail_type == PTL_NI_OK &&
            event.match_bits == put_bits + number);
    REQUIRE(event.start == landings[number] && event.mlength == round * 641U % LONGEST);
    REQUIRE(event.initiator.phys.nid == left().phys.nid &&
            event.initiator.phys.pid == left().phys.pid);
    /* each event goes to one thread */
    REQUIRE_EQUAL(__atomic_add_fetch(&seen[number][round], 1, __ATOMIC_SEQ_CST), 1);
    __atomic_add_fetch(&taken, 1, __ATOMIC_SEQ_CST);
  }
}

static void *await_all(void *unused) {
  (void)unused;
  count_wait(arrived, ALL);
  return NULL;
}

/* Makes and frees objects of every kind while other threads use theirs. */
static void *rearrange(void *unused) {
  static unsigned char memory[64];
  const ptl_ct_event_t one = {1, 0}, zero = {0, 0};
  (void)unused;
  do {
    ptl_handle_eq_t eq;
    ptl_handle_ct_t ct, other;
    ptl_pt_index_t pt;
    ptl_event_t event;
    ptl_ct_event_t value;
    ptl_sr_value_t dropped;
    ptl_process_t self;
    ptl_me_t nothing = {.ct_handle = PTL_CT_NONE,
                        .uid = PTL_UID_ANY,
                        .options = PTL_ME_OP_PUT | PTL_ME_USE_ONCE | PTL_ME_EVENT_COMM_DISABLE,
                        .match_id = left(),
                        .match_bits = unused_bits};
    CHECK(PtlEQAlloc(ni, 4, &eq));
    CHECK(PtlCTAlloc(ni, &ct));
    CHECK(PtlCTAlloc(ni, &other));
    CHECK(PtlPTAlloc(ni, 0, eq, PTL_PT_ANY, &pt));
    ptl_handle_md_t md =
        whole_memory(ni, PTL_MD_EVENT_CT_ACK | PTL_MD_EVENT_SUCCESS_DISABLE, eq, ct);
    ptl_handle_me_t me = entry(memory, sizeof memory, unused_bits,
                               PTL_ME_OP_PUT | PTL_ME_EVENT_COMM_DISABLE, PTL_CT_NONE);
    CHECK(PtlGetId(ni, &self));
    CHECK(PtlStartBundle(ni));
    CHECK(PtlTriggeredPut(md, address(memory), 8, PTL_CT_ACK_REQ, self, PORTAL, unused_bits, 32,
                          NULL, 0, other, 1));
    CHECK(PtlTriggeredCTInc(other, one, ct, 100)); /* never */
    CHECK(PtlCTInc(other, one));
    CHECK(PtlEndBundle(ni));
    CHECK(PtlCTWait(ct, 1, &value));
    REQUIRE(value.success == 1 && value.failure == 0);
    CHECK(PtlCTCancelTriggered(ct));
    CHECK(PtlCTSet(ct, zero));
    CHECK(PtlMESearch(ni, PORTAL, &nothing, PTL_SEARCH_DELETE, NULL));
    CHECK(PtlNIStatus(ni, PTL_SR_DROP_COUNT, &dropped));
    REQUIRE_EQUAL(dropped, 0);
    CHECK(PtlPTDisable(ni, pt));
    CHECK(PtlPTEnable(ni, pt));
    CHECK(PtlMEUnlink(me));
    CHECK(PtlMDRelease(md));
    CHECK(PtlPTFree(ni, pt));
    EXPECT(PTL_EQ_EMPTY, PtlEQGet(eq, &event));
    CHECK(PtlEQFree(eq));
    CHECK(PtlCTFree(ct));
    CHECK(PtlCTFree(other));
  } while (!__atomic_load_n(&over, __ATOMIC_SEQ_CST));
  return NULL;
}

static void body(void) {
  const struct timespec delay = {0, 1000000};
  pthread_t exchanging[THREADS], sharing[SHARING], awaiting[SHARING], rearranging;
  ptl_pt_index_t pt;
  CHECK(PtlInit());
  CHECK(PtlNIInit(PTL_IFACE_DEFAULT, PTL_NI_MATCHING | PTL_NI_PHYSICAL, PTL_PID_ANY, NULL, NULL,
                  &ni));
  CHECK(PtlEQAlloc(ni, ALL, &arrivals));
  CHECK(PtlCTAlloc(ni, &arrived));
  CHECK(PtlPTAlloc(ni, 0, arrivals, PORTAL, &pt));
  for (unsigned int i = 0; i < THREADS; ++i) {
    entry(landings[i], LONGEST, put_bits + i, PTL_ME_OP_PUT | PTL_ME_EVENT_CT_COMM, arrived);
    entry(landings[i], LONGEST, get_bits + i, PTL_ME_OP_GET | PTL_ME_EVENT_COMM_DISABLE,
          PTL_CT_NONE);
  }
  job_publish(ni);
  rearranging = thread(rearrange, 0);
  for (int i = 0; i < SHARING; ++i) {
    sharing[i] = thread(share_queue, i);
    awaiting[i] = thread(await_all, i);
  }
  for (int i = 0; i < THREADS; ++i) exchanging[i] = thread(exchange, i);
  job_step("the threads", __FILE__, __LINE__);
  for (int i = 0; i < THREADS; ++i) join(exchanging[i]);
  for (int i = 0; i < SHARING; ++i) join(awaiting[i]);
  while (__atomic_load_n(&taken, __ATOMIC_SEQ_CST) < ALL) nanosleep(&delay, NULL);
  __atomic_store_n(&over, 1, __ATOMIC_SEQ_CST);
  join(rearranging);
  job_barrier(); /* nobody gets any more */
  CHECK(PtlEQFree(arrivals));
  for (int i = 0; i < SHARING; ++i) join(sharing[i]);
  REQUIRE_EQUAL(taken, ALL);
  CHECK(PtlNIFini(ni));
  PtlFini();
}

int main(int argc, char **argv) { return job_main(argc, argv, "threads", PROCESSES, 90, body); }
