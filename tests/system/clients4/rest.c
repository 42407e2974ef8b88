/* What no other client here uses of Portals 4: comparing handles and asking for their interface,
 * reading the map back, searches of list entries, a portal disabled by its owner, triggered
 * operations that fetch or are cancelled, bundles, and PtlAbort.
 *
 * All on a logical interface without matching. Portal 6 has an entry at which each process's left
 * neighbour works, portal 7 takes unexpected messages. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "exchange.h"

enum {
  PROCESSES = 4,
  PORTAL = 6,
  UNEXPECTED = 7,
  WORDS = 8,
  MESSAGES = 5,
  MANY = 200,
  LARGE = 4000000,
  LARGES = 16
};

static ptl_handle_ni_t ni;
static ptl_handle_eq_t here, there; /* as initiator, as target */
static ptl_handle_ct_t ct, arrived; /* acks and replies here; what came to the entry of portal 6 */
static ptl_handle_md_t md;
static ptl_handle_le_t entry;
static ptl_size_t ends; /* of operations: the present or coming value of `ct` */
static uint64_t words[WORDS], out[WORDS], in[WORDS];

static const ptl_ct_event_t one = {1, 0}, zero = {0, 0};

static int left(void) { return (job_rank + job_size - 1) % job_size; }
static ptl_process_t right(void) {
  ptl_process_t id;
  memset(&id, 0, sizeof id);
  id.rank = (ptl_rank_t)((job_rank + 1) % job_size);
  return id;
}

static ptl_handle_ct_t counter(void) {
  ptl_handle_ct_t handle = PTL_INVALID_HANDLE;
  CHECK(PtlCTAlloc(ni, &handle));
  return handle;
}

static void require_count(ptl_handle_ct_t handle, ptl_size_t success) {
  ptl_ct_event_t value;
  CHECK(PtlCTGet(handle, &value));
  REQUIRE_EQUAL(value.success, success);
  REQUIRE_EQUAL(value.failure, 0);
}

/* Takes the events of one operation that are still there. An extra event fails the next check. */
static void take(ptl_handle_eq_t eq, int count) {
  ptl_event_t event;
  for (int i = 0; i < count; ++i) {
    CHECK(PtlEQWait(eq, &event));
    REQUIRE_EQUAL(event.ni_fail_type, PTL_NI_OK);
  }
  EXPECT(PTL_EQ_EMPTY, PtlEQGet(eq, &event));
}

static void map(void) {
  ptl_process_t got[JOB_MOST + 1];
  ptl_size_t size = 0;
  EXPECT(PTL_NO_SPACE, PtlGetMap(ni, JOB_MOST, got, &size)); /* none yet */
  CHECK(PtlSetMap(ni, (ptl_size_t)job_size, job_names));
  CHECK(PtlGetMap(ni, 0, NULL, &size));
  REQUIRE_EQUAL(size, job_size);
  memset(got, 0xff, sizeof got);
  CHECK(PtlGetMap(ni, (ptl_size_t)job_size - 1, got, &size));
  REQUIRE_EQUAL(size, job_size);
  bytes_check(&got[job_size - 1], sizeof got[0], 0xff);
  CHECK(PtlGetMap(ni, JOB_MOST + 1, got, NULL));
  for (int r = 0; r < job_size; ++r)
    REQUIRE(got[r].phys.nid == job_names[r].phys.nid && got[r].phys.pid == job_names[r].phys.pid);
  bytes_check(&got[job_size], sizeof got[0], 0xff);
}

static void start(void) {
  ptl_pt_index_t pt;
  ptl_le_t le = {.start = words,
                 .length = sizeof words,
                 .uid = PTL_UID_ANY,
                 .options = PTL_LE_OP_PUT | PTL_LE_OP_GET | PTL_LE_EVENT_LINK_DISABLE |
                            PTL_LE_EVENT_CT_COMM | PTL_LE_EVENT_COMM_DISABLE};
  CHECK(PtlInit());
  CHECK(PtlNIInit(PTL_IFACE_DEFAULT, PTL_NI_NO_MATCHING | PTL_NI_LOGICAL, PTL_PID_ANY, NULL, NULL,
                  &ni));
  job_publish(ni);
  map();
  CHECK(PtlEQAlloc(ni, 64, &here));
  CHECK(PtlEQAlloc(ni, 64, &there));
  CHECK(PtlPTAlloc(ni, 0, there, PORTAL, &pt));
  CHECK(PtlPTAlloc(ni, 0, there, UNEXPECTED, &pt));
  ct = counter();
  le.ct_handle = arrived = counter();
  CHECK(PtlLEAppend(ni, PORTAL, &le, PTL_PRIORITY_LIST, NULL, &entry));
  md = whole_memory(ni, PTL_MD_EVENT_SUCCESS_DISABLE | PTL_MD_EVENT_CT_ACK | PTL_MD_EVENT_CT_REPLY,
                    here, ct);
  job_barrier();
}

static void handles(void) {
  const ptl_handle_any_t all[] = {ni, here, there, ct, arrived, md, entry};
  const ptl_handle_any_t none[] = {PTL_EQ_NONE, PTL_CT_NONE, PTL_INVALID_HANDLE};
  enum { ALL = sizeof all / sizeof all[0], NONE = sizeof none / sizeof none[0] };
  for (int i = 0; i < ALL; ++i) {
    ptl_handle_ni_t of = PTL_INVALID_HANDLE;
    CHECK(PtlNIHandle(all[i], &of));
    REQUIRE_EQUAL(PtlHandleIsEqual(of, ni), 1);
    for (int k = 0; k < ALL; ++k) REQUIRE_EQUAL(PtlHandleIsEqual(all[i], all[k]), i == k);
    for (int k = 0; k < NONE; ++k) REQUIRE_EQUAL(PtlHandleIsEqual(all[i], none[k]), 0);
  }
  for (int i = 0; i < NONE; ++i) {
    ptl_handle_ni_t of = 4711;
    EXPECT(PTL_ARG_INVALID, PtlNIHandle(none[i], &of));
    REQUIRE_EQUAL(of, 4711);
    for (int k = 0; k < NONE; ++k) REQUIRE_EQUAL(PtlHandleIsEqual(none[i], none[k]), i == k);
  }
}

static unsigned char waiting_messages[MESSAGES * 8];

/* A search, with its counter `found` at zero, that must find `count` messages from `first` on. With
 * count 0 it must report that there is none. */
static void search(ptl_search_op_t operation, unsigned int options, unsigned int first,
                   unsigned int count, ptl_handle_ct_t found) {
  static int user;
  ptl_event_t event;
  ptl_ct_event_t value;
  ptl_le_t le = {.ct_handle = found,
                 .uid = PTL_UID_ANY,
                 .options = PTL_LE_OP_PUT | PTL_LE_EVENT_CT_OVERFLOW | options};
  CHECK(PtlLESearch(ni, UNEXPECTED, &le, operation, &user));
  for (unsigned int i = first; i < first + count; ++i) {
    event =
        event_wait(there, operation == PTL_SEARCH_ONLY ? PTL_EVENT_SEARCH : PTL_EVENT_PUT_OVERFLOW);
    REQUIRE(event.user_ptr == &user && event.start == waiting_messages + i * 8 &&
            event.initiator.rank == (ptl_rank_t)left());
    REQUIRE(event.hdr_data == 70 + i && event.mlength == 8 && event.rlength == 8 &&
            event.remote_offset == i * 8);
    REQUIRE(event.pt_index == UNEXPECTED && event.ptl_list == PTL_OVERFLOW_LIST);
  }
  if (count == 0) {
    CHECK(PtlEQWait(there, &event));
    REQUIRE(event.type == PTL_EVENT_SEARCH && event.ni_fail_type == PTL_NI_NO_MATCH &&
            event.user_ptr == &user);
  }
  EXPECT(PTL_EQ_EMPTY, PtlEQGet(there, &event)); /* the end has no event of its own */
  CHECK(PtlCTGet(found, &value));
  REQUIRE_EQUAL(value.success, count);
  /* but it is counted, unless it ended with the first */
  REQUIRE_EQUAL(value.failure, count == 0 || !(options & PTL_LE_USE_ONCE));
  CHECK(PtlCTSet(found, zero));
}

/* Messages of the left neighbour that wait on the overflow list: first looked at, then taken, one
 * and then all others. */
static void searches(void) {
  static unsigned char sent[MESSAGES * 8];
  ptl_handle_ct_t found = counter();
  ptl_handle_le_t block;
  ptl_le_t le = {.start = waiting_messages,
                 .length = sizeof waiting_messages,
                 .ct_handle = PTL_CT_NONE,
                 .uid = PTL_UID_ANY,
                 .options = PTL_LE_OP_PUT | PTL_LE_EVENT_LINK_DISABLE | PTL_LE_EVENT_COMM_DISABLE};
  CHECK(PtlLEAppend(ni, UNEXPECTED, &le, PTL_OVERFLOW_LIST, NULL, &block));
  search(PTL_SEARCH_ONLY, PTL_LE_USE_ONCE, 0, 0, found);
  job_barrier();
  pattern_fill(sent, sizeof sent, 40U + (unsigned int)job_rank);
  for (unsigned int i = 0; i < MESSAGES; ++i) {
    CHECK(PtlPut(md, address(sent) + i * 8ULL, 8, PTL_ACK_REQ, right(), UNEXPECTED, 0, i * 8ULL,
                 NULL, 70 + i));
  }
  count_wait(ct, ends += MESSAGES);
  job_barrier();
  EXPECT(PTL_IN_USE, PtlLEUnlink(block)); /* its messages are not claimed */
  search(PTL_SEARCH_ONLY, PTL_LE_USE_ONCE, 0, 1, found);
  search(PTL_SEARCH_ONLY, 0, 0, MESSAGES, found);
  search(PTL_SEARCH_DELETE, PTL_LE_USE_ONCE, 0, 1, found);
  search(PTL_SEARCH_DELETE, 0, 1, MESSAGES - 1, found);
  search(PTL_SEARCH_DELETE, 0, 0, 0, found);
  pattern_check(waiting_messages, sizeof waiting_messages, 40U + (unsigned int)left());
  CHECK(PtlLEUnlink(block));
  EXPECT(PTL_ARG_INVALID, PtlLEUnlink(block));
  CHECK(PtlCTFree(found));
  job_barrier();
}

/* A triggered get, fetching atomic and swap start one after the other, each at its own count. A
 * cancelled one never starts. */
static void triggered(void) {
  ptl_handle_ct_t trigger = counter();
  uint32_t operand = 0x0000ffff;
  for (int i = 0; i < WORDS; ++i) words[i] = 1000 + (uint64_t)i;
  CHECK(PtlCTSet(arrived, zero));
  memset(in, 0, sizeof in);
  job_barrier();
  out[0] = 5;
  out[1] = 0x12345678;
  CHECK(PtlTriggeredSwap(md, address(&in[2]), md, address(&out[1]), 4, right(), PORTAL, 0, 16, NULL,
                         0, &operand, PTL_MSWAP, PTL_UINT32_T, trigger, 3));
  CHECK(PtlTriggeredFetchAtomic(md, address(&in[1]), md, address(&out[0]), 8, right(), PORTAL, 0, 8,
                                NULL, 0, PTL_SUM, PTL_UINT64_T, trigger, 2));
  CHECK(PtlTriggeredGet(md, address(&in[0]), 8, right(), PORTAL, 0, 0, NULL, trigger, 1));
  operand = 0; /* was read in the call */
  EXPECT(PTL_IN_USE, PtlMDRelease(md));
  for (int i = 0; i < 3; ++i) {
    require_count(ct, ends);
    for (int k = 0; k < 3; ++k) REQUIRE_EQUAL(in[k], k < i ? 1000 + (uint64_t)k : 0);
    CHECK(PtlCTInc(trigger, one));
    count_wait(ct, ++ends);
  }
  for (int k = 0; k < 3; ++k) REQUIRE_EQUAL(in[k], 1000 + (uint64_t)k);
  count_wait(arrived, 3);
  job_barrier();
  REQUIRE_EQUAL(words[0], 1000);
  REQUIRE_EQUAL(words[1], 1001 + 5);
  REQUIRE_EQUAL(words[2], (1002 & 0xffff0000) | 0x5678);
  job_barrier();
  CHECK(PtlTriggeredPut(md, address(&out[0]), 8, PTL_ACK_REQ, right(), PORTAL, 0, 0, NULL, 0,
                        trigger, 4));
  CHECK(PtlTriggeredCTInc(ct, one, trigger, 5));
  CHECK(PtlCTCancelTriggered(trigger));
  require_count(trigger, 3);
  for (int i = 0; i < 2; ++i) CHECK(PtlCTInc(trigger, one));
  /* would start after it */
  CHECK(PtlPut(md, address(&out[1]), 8, PTL_ACK_REQ, right(), PORTAL, 0, 56, NULL, 0));
  count_wait(ct, ++ends);
  job_barrier();
  require_count(ct, ends);
  require_count(arrived, 4);
  REQUIRE_EQUAL(words[0], 1000);
  CHECK(PtlCTFree(trigger));
  job_barrier();
}

/* A bundle is a hint: what is held back meanwhile is done after the last PtlEndBundle. */
static void bundles(void) {
  CHECK(PtlCTSet(arrived, zero));
  job_barrier();
  CHECK(PtlStartBundle(ni));
  CHECK(PtlStartBundle(ni));
  for (int i = 0; i < MANY; ++i) {
    CHECK(PtlPut(md, address(out), sizeof out, PTL_ACK_REQ, right(), PORTAL, 0, 0, NULL, 0));
    if (i == MANY / 2) CHECK(PtlEndBundle(ni));
  }
  CHECK(PtlEndBundle(ni));
  count_wait(ct, ends += MANY);
  count_wait(arrived, MANY);
  job_barrier();
  require_count(arrived, MANY);
}

static void poll_counters(void) {
  ptl_handle_ct_t three[3];
  ptl_size_t tests[3] = {1, 2, 1};
  ptl_ct_event_t value = {4711, 4711};
  unsigned int which = 4711;
  for (int i = 0; i < 3; ++i) three[i] = counter();
  EXPECT(PTL_CT_NONE_REACHED, PtlCTPoll(three, tests, 3, 0, &value, &which));
  EXPECT(PTL_CT_NONE_REACHED, PtlCTPoll(three, tests, 3, 20, &value, &which));
  REQUIRE(which == 4711 && value.success == 4711);
  CHECK(PtlCTInc(three[1], one));
  EXPECT(PTL_CT_NONE_REACHED, PtlCTPoll(three, tests, 3, 20, &value, &which));
  /* Triggered by a message that is under way. */
  CHECK(PtlTriggeredCTInc(three[1], one, ct, ends + 1));
  CHECK(PtlPut(md, address(out), 8, PTL_ACK_REQ, right(), PORTAL, 0, 0, NULL, 0));
  ++ends;
  CHECK(PtlCTPoll(three, tests, 3, PTL_TIME_FOREVER, &value, &which));
  REQUIRE(which == 1 && value.success == 2 && value.failure == 0);
  for (int i = 0; i < 3; ++i) CHECK(PtlCTFree(three[i]));
  job_barrier();
}

/* The left neighbour's large puts are arriving when their portal is disabled. Each is then either
 * refused or completed with its event. */
static void disable(void) {
  static unsigned char landing[LARGE], source[LARGE];
  int *accepted = (int *)job_board + job_rank;
  ptl_handle_le_t open;
  ptl_event_t event;
  int ok = 0, seen, code;
  ptl_le_t le = {.start = landing,
                 .length = sizeof landing,
                 .ct_handle = PTL_CT_NONE,
                 .uid = PTL_UID_ANY,
                 .options = PTL_LE_OP_PUT | PTL_LE_EVENT_LINK_DISABLE};
  ptl_handle_md_t events = whole_memory(ni, PTL_MD_EVENT_SEND_DISABLE, here, PTL_CT_NONE);
  CHECK(PtlLEAppend(ni, UNEXPECTED, &le, PTL_PRIORITY_LIST, NULL, &open));
  pattern_fill(source, sizeof source, 90U + (unsigned int)job_rank);
  job_barrier();
  for (int i = 0; i < LARGES; ++i)
    CHECK(PtlPut(events, address(source), sizeof source, PTL_ACK_REQ, right(), UNEXPECTED, 0, 0,
                 NULL, 0));
  (void)event_wait(there, PTL_EVENT_PUT);
  CHECK(PtlPTDisable(ni, UNEXPECTED));
  pattern_check(landing, sizeof landing, 90U + (unsigned int)left());
  for (seen = 1; (code = PtlEQGet(there, &event)) == PTL_OK; ++seen) {
    /* no PT_DISABLED */
    REQUIRE(event.type == PTL_EVENT_PUT && event.ni_fail_type == PTL_NI_OK &&
            event.mlength == LARGE);
  }
  REQUIRE_EQUAL(code, PTL_EQ_EMPTY);
  for (int i = 0; i < LARGES; ++i) {
    CHECK(PtlEQWait(here, &event));
    REQUIRE(event.type == PTL_EVENT_ACK &&
            (event.ni_fail_type == PTL_NI_OK || event.ni_fail_type == PTL_NI_PT_DISABLED));
    if (event.ni_fail_type == PTL_NI_OK) ++ok;
  }
  *accepted = ok;
  job_barrier();
  REQUIRE_EQUAL(((int *)job_board)[left()], seen);
  CHECK(PtlPut(events, address(source), 8, PTL_ACK_REQ, right(), UNEXPECTED, 0, 0, NULL, 0));
  CHECK(PtlEQWait(here, &event));
  REQUIRE(event.type == PTL_EVENT_ACK && event.ni_fail_type == PTL_NI_PT_DISABLED);
  job_barrier();
  EXPECT(PTL_EQ_EMPTY, PtlEQGet(there, &event));
  CHECK(PtlPTEnable(ni, UNEXPECTED));
  job_barrier();
  CHECK(PtlPut(events, address(source), 8, PTL_ACK_REQ, right(), UNEXPECTED, 0, 0, NULL, 0));
  (void)event_wait(here, PTL_EVENT_ACK);
  take(there, 1);
  CHECK(PtlLEUnlink(open));
  CHECK(PtlMDRelease(events));
  job_barrier();
}

enum { WAITS = 4 };
static int entered;

/* Waits, in one of the four ways, for something that never comes. */
static void *wait_for_ever(void *way) {
  const ptl_size_t never = PTL_SIZE_MAX;
  ptl_ct_event_t value;
  ptl_event_t event;
  unsigned int which;
  __atomic_add_fetch(&entered, 1, __ATOMIC_SEQ_CST);
  switch ((int)(intptr_t)way) {
    case 0: EXPECT(PTL_ABORTED, PtlCTWait(ct, never, &value)); break;
    case 1: EXPECT(PTL_ABORTED, PtlCTPoll(&ct, &never, 1, PTL_TIME_FOREVER, &value, &which)); break;
    case 2: EXPECT(PTL_ABORTED, PtlEQWait(there, &event)); break;
    default: EXPECT(PTL_ABORTED, PtlEQPoll(&there, 1, PTL_TIME_FOREVER, &event, &which)); break;
  }
  return NULL;
}

/* PtlAbort ends the waits of all threads, also of those that wait later. Data still move. */
static void aborting(void) {
  const struct timespec delay = {0, 50000000};
  pthread_t waiting[WAITS];
  ptl_ct_event_t value;
  CHECK(PtlCTSet(arrived, zero));
  job_barrier();
  for (intptr_t i = 0; i < WAITS; ++i)
    REQUIRE_EQUAL(pthread_create(&waiting[i], NULL, wait_for_ever, (void *)i), 0);
  while (__atomic_load_n(&entered, __ATOMIC_SEQ_CST) < WAITS) continue;
  nanosleep(&delay, NULL); /* most of them sleep by now; the others are told when they wait */
  PtlAbort();
  for (int i = 0; i < WAITS; ++i) REQUIRE_EQUAL(pthread_join(waiting[i], NULL), 0);
  for (intptr_t i = 0; i < WAITS; ++i) wait_for_ever((void *)i);
  EXPECT(PTL_ABORTED, PtlCTWait(ct, 0, &value));
  CHECK(PtlPut(md, address(out), 8, PTL_ACK_REQ, right(), PORTAL, 0, 0, NULL, 0));
  ++ends;
  job_step("acknowledged although aborted", __FILE__, __LINE__);
  do {
    CHECK(PtlCTGet(ct, &value));
  } while (value.success < ends);
  job_barrier();
  require_count(arrived, 1);
}

static void body(void) {
  start();
  handles();
  searches();
  triggered();
  bundles();
  poll_counters();
  disable();
  aborting();
  CHECK(PtlLEUnlink(entry));
  CHECK(PtlMDRelease(md));
  CHECK(PtlEQFree(here));
  CHECK(PtlEQFree(there));
  EXPECT(PTL_ARG_INVALID, PtlEQFree(there));
  job_barrier();
  CHECK(PtlNIFini(ni));
  PtlFini();
}

int main(int argc, char **argv) { return job_main(argc, argv, "rest", PROCESSES, 60, body); }
