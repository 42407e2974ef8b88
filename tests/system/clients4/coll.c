/* What Open MPI's coll uses of Portals 4: collective operations set up as triggered operations,
 * which run while every process waits in PtlCTWait. Portal 15 receives the parts of an operation.
 * Its overflow list has an entry without memory, so that early messages are only counted. Portal 16
 * receives the message to oneself that ends a nonblocking operation. */
#include <complex.h>
#include <string.h>
#include <time.h>

#include "exchange.h"

enum { PROCESSES = 4, LEVELS = 2, COLLECTIVE = 15, FINISH = 16, ROUNDS = 150, MOST = 200000 };
enum part { BARRIER = 1, READY, DATA, CONTRIBUTION, GATHER, FETCH };

static ptl_handle_ni_t ni;
static ptl_ni_limits_t limits;
static ptl_handle_eq_t eq;
static ptl_handle_ct_t ack_ct, reply_ct;
static ptl_handle_md_t zero_md, data_md, ack_md, fetch_md;
static ptl_size_t acks, replies;
static uint64_t instance; /* number of the collective operation, the same in all processes */

static ptl_match_bits_t bits(enum part part, int index) {
  return instance << 16 | (ptl_match_bits_t)part << 8 | (ptl_match_bits_t)(unsigned int)index;
}
static int parent(void) { return (job_rank - 1) / 2; }
static int child(int i) { return 2 * job_rank + 1 + i; }
static int children(void) { return (child(0) < job_size) + (child(1) < job_size); }

static ptl_handle_ct_t counter(void) {
  ptl_handle_ct_t ct;
  CHECK(PtlCTAlloc(ni, &ct));
  return ct;
}

/* A message for `part` counts in `ct`, whether it comes before this call or after. */
static ptl_handle_me_t expect(int from, ptl_match_bits_t match, void *start, ptl_size_t length,
                              ptl_handle_ct_t ct, unsigned int options) {
  ptl_handle_me_t handle;
  ptl_me_t me = {.start = start,
                 .length = length,
                 .ct_handle = ct,
                 .uid = PTL_UID_ANY,
                 .options = PTL_ME_OP_PUT | PTL_ME_EVENT_CT_COMM | PTL_ME_EVENT_CT_OVERFLOW |
                            PTL_ME_EVENT_OVER_DISABLE | PTL_ME_EVENT_SUCCESS_DISABLE |
                            PTL_ME_EVENT_LINK_DISABLE | PTL_ME_EVENT_UNLINK_DISABLE | options,
                 .match_bits = match};
  if (from < 0) {
    me.match_id.phys.nid = PTL_NID_ANY;
    me.match_id.phys.pid = PTL_PID_ANY;
  } else {
    me.match_id = job_names[from];
  }
  CHECK(PtlMEAppend(ni, COLLECTIVE, &me, PTL_PRIORITY_LIST, NULL, &handle));
  return handle;
}

static void unlink_idle(ptl_handle_me_t handle) {
  int code;
  job_step("unlink_idle", __FILE__, __LINE__);
  while ((code = PtlMEUnlink(handle)) == PTL_IN_USE) continue;
  job_check(code, PTL_OK, "PtlMEUnlink", __FILE__, __LINE__);
}

static void signal_now(int to, ptl_match_bits_t match) {
  CHECK(PtlPut(zero_md, 0, 0, PTL_NO_ACK_REQ, job_names[to], COLLECTIVE, match, 0, NULL, 0));
}

static void start(void) {
  ptl_ni_limits_t want = {.max_entries = 1024 * 1024,
                          .max_unexpected_headers = 1024,
                          .max_mds = 1024,
                          .max_cts = 1024,
                          .max_eqs = 1024,
                          .max_pt_index = 64,
                          .max_iovecs = 1024,
                          .max_list_size = 1024 * 1024,
                          .max_triggered_ops = 1024,
                          .max_msg_size = 1ULL << 47,
                          .max_atomic_size = 1ULL << 47,
                          .max_fetch_atomic_size = 1ULL << 47,
                          .max_waw_ordered_size = 1ULL << 47,
                          .max_war_ordered_size = 1ULL << 47,
                          .max_volatile_size = 1ULL << 47};
  ptl_pt_index_t pt;
  ptl_process_t id;
  ptl_handle_me_t handle;
  CHECK(PtlInit());
  CHECK(PtlNIInit(PTL_IFACE_DEFAULT, PTL_NI_MATCHING | PTL_NI_PHYSICAL, PTL_PID_ANY, &want, &limits,
                  &ni));
  CHECK(PtlEQAlloc(ni, 512, &eq));
  CHECK(PtlPTAlloc(ni, 0, eq, COLLECTIVE, &pt));
  REQUIRE_EQUAL(pt, COLLECTIVE);
  CHECK(PtlPTAlloc(ni, 0, eq, FINISH, &pt));
  REQUIRE_EQUAL(pt, FINISH);
  ack_ct = counter();
  reply_ct = counter();
  zero_md = whole_memory(ni, 0, PTL_EQ_NONE, PTL_CT_NONE);
  data_md = whole_memory(ni, PTL_MD_EVENT_SEND_DISABLE, eq, PTL_CT_NONE);
  ack_md = whole_memory(ni, PTL_MD_EVENT_SUCCESS_DISABLE | PTL_MD_EVENT_CT_ACK, eq, ack_ct);
  fetch_md = whole_memory(ni, PTL_MD_EVENT_SUCCESS_DISABLE | PTL_MD_EVENT_CT_REPLY, eq, reply_ct);
  ptl_me_t me = {.start = NULL,
                 .length = 0,
                 .ct_handle = PTL_CT_NONE,
                 .uid = PTL_UID_ANY,
                 .options = PTL_ME_OP_PUT | PTL_ME_EVENT_SUCCESS_DISABLE |
                            PTL_ME_EVENT_LINK_DISABLE | PTL_ME_EVENT_UNLINK_DISABLE,
                 .ignore_bits = ~0ULL};
  me.match_id.phys.nid = PTL_NID_ANY;
  me.match_id.phys.pid = PTL_PID_ANY;
  CHECK(PtlMEAppend(ni, COLLECTIVE, &me, PTL_OVERFLOW_LIST, NULL, &handle));
  me.options = PTL_ME_OP_PUT | PTL_ME_EVENT_LINK_DISABLE | PTL_ME_EVENT_UNLINK_DISABLE;
  CHECK(PtlMEAppend(ni, FINISH, &me, PTL_PRIORITY_LIST, NULL, &handle));
  job_publish(ni);
  REQUIRE((job_size & (job_size - 1)) == 0); /* for the barriers */
  CHECK(PtlGetId(ni, &id));
  REQUIRE(id.phys.nid == job_names[job_rank].phys.nid &&
          id.phys.pid == job_names[job_rank].phys.pid);
}

/* Recursive doubling: the number of processes is a power of two. */
static int levels(void) {
  int count = 0;
  while (1 << count < job_size) ++count;
  return count;
}

/* The message of a level leaves when those of all levels below have arrived: level i counts its own
 * and one for the levels below. */
static ptl_size_t complete(int level) { return level == 0 ? 1 : 2; }

static void barrier_begin(ptl_handle_ct_t *ct, int nonblocking, void *user) {
  const ptl_ct_event_t one = {1, 0};
  ++instance;
  for (int i = 0; i < levels(); ++i) ct[i] = counter();
  for (int i = 0; i < levels(); ++i)
    (void)expect(job_rank ^ (1 << i), bits(BARRIER, i), NULL, 0, ct[i], PTL_ME_USE_ONCE);
  if (nonblocking) { /* the end: a message to oneself */
    CHECK(PtlTriggeredPut(zero_md, 0, 0, PTL_NO_ACK_REQ, job_names[job_rank], FINISH, 0, 0, NULL,
                          (ptl_hdr_data_t)(uintptr_t)user, ct[levels() - 1],
                          complete(levels() - 1)));
  }
  for (int i = levels() - 1; i > 0; --i) {
    ptl_size_t below = complete(i - 1);
    CHECK(PtlTriggeredPut(zero_md, 0, 0, PTL_NO_ACK_REQ, job_names[job_rank ^ (1 << i)], COLLECTIVE,
                          bits(BARRIER, i), 0, NULL, 0, ct[i - 1], below));
    CHECK(PtlTriggeredCTInc(ct[i], one, ct[i - 1], below));
  }
  signal_now(job_rank ^ 1, bits(BARRIER, 0));
}

static void counters_free(ptl_handle_ct_t *ct, int count) {
  for (int i = 0; i < count; ++i) CHECK(PtlCTFree(ct[i]));
}

static void pause_for(long microseconds) {
  struct timespec time = {0, microseconds * 1000};
  nanosleep(&time, NULL);
}

static void barriers(void) {
  volatile unsigned int *entered = job_board;
  unsigned int mine = 0;
  for (int round = 0; round < ROUNDS; ++round) {
    ptl_handle_ct_t ct[LEVELS];
    int nonblocking = round % 3 == 0;
    if (round % 10 == job_rank) pause_for(2000);
    __atomic_store_n(&entered[job_rank], ++mine, __ATOMIC_SEQ_CST);
    barrier_begin(ct, nonblocking, &mine);
    if (nonblocking) {
      ptl_event_t event = event_wait(eq, PTL_EVENT_PUT);
      REQUIRE(event.pt_index == FINISH && event.hdr_data == (ptl_hdr_data_t)(uintptr_t)&mine);
    } else {
      count_wait(ct[levels() - 1], complete(levels() - 1));
    }
    for (int i = 0; i < job_size; ++i)
      REQUIRE(__atomic_load_n(&entered[i], __ATOMIC_SEQ_CST) >= mine);
    counters_free(ct, levels());
  }
}

/* A child says that it is ready. The parent's put leaves when the parent has the data and all its
 * children are ready. */
static void broadcast(void *data, size_t length) {
  const ptl_ct_event_t one = {1, 0};
  ptl_handle_ct_t ct = counter();
  ptl_size_t all = (ptl_size_t)children() + 1;
  ++instance;
  if (job_rank != 0) (void)expect(parent(), bits(DATA, 0), data, length, ct, PTL_ME_USE_ONCE);
  for (int i = 0; i < children(); ++i)
    (void)expect(child(i), bits(READY, 0), NULL, 0, ct, PTL_ME_USE_ONCE);
  for (int i = 0; i < children(); ++i) {
    CHECK(PtlTriggeredPut(ack_md, address(data), length, PTL_CT_ACK_REQ, job_names[child(i)],
                          COLLECTIVE, bits(DATA, 0), 0, NULL, 0, ct, all));
    ++acks;
  }
  if (job_rank == 0) {
    CHECK(PtlCTInc(ct, one));
  } else {
    signal_now(parent(), bits(READY, 0));
  }
  count_wait(ct, all);
  count_wait(ack_ct, acks);
  CHECK(PtlCTFree(ct));
}

static void broadcasts(void) {
  static char data[MOST];
  static const size_t sizes[] = {0, 8, 1000, 16384, 16385, MOST};
  for (unsigned int i = 0; i < 30; ++i) {
    size_t length = sizes[i % 6];
    memset(data, 0, length);
    if (job_rank == 0) pattern_fill(data, length, i);
    broadcast(data, length);
    CHECK(PtlAtomicSync());
    pattern_check(data, length, i);
  }
}

/* The sum reaches every process. Children add to their parent's memory, chunk by chunk, when the
 * parent is ready and they have the data from below. The result comes down by puts. */
static void all_reduce(void *data, size_t length, ptl_op_t operation, ptl_datatype_t type) {
  size_t chunk = limits.max_atomic_size < length ? (size_t)limits.max_atomic_size : length;
  ptl_size_t chunks = (length + chunk - 1) / chunk;
  ptl_size_t below = (ptl_size_t)children() * chunks;
  ptl_handle_ct_t up = counter(), down = counter();
  ptl_handle_me_t accumulator = PTL_INVALID_HANDLE;
  ++instance;
  if (children() > 0) accumulator = expect(-1, bits(CONTRIBUTION, 0), data, length, up, 0);
  if (job_rank != 0) {
    (void)expect(parent(), bits(READY, 0), NULL, 0, up, PTL_ME_USE_ONCE);
    (void)expect(parent(), bits(DATA, 0), data, length, down, PTL_ME_USE_ONCE);
    for (ptl_size_t at = 0; at < length; at += chunk) {
      ptl_size_t part = length - at < chunk ? length - at : chunk;
      CHECK(PtlTriggeredAtomic(data_md, address(data) + at, part, PTL_NO_ACK_REQ,
                               job_names[parent()], COLLECTIVE, bits(CONTRIBUTION, 0), at, NULL, 0,
                               operation, type, up, below + 1));
    }
  }
  for (int i = 0; i < children(); ++i) {
    ptl_handle_ct_t from = job_rank == 0 ? up : down;
    CHECK(PtlTriggeredPut(ack_md, address(data), length, PTL_CT_ACK_REQ, job_names[child(i)],
                          COLLECTIVE, bits(DATA, 0), 0, NULL, 0, from, job_rank == 0 ? below : 1));
    ++acks;
    signal_now(child(i), bits(READY, 0));
  }
  if (job_rank == 0) {
    count_wait(up, below);
  } else {
    count_wait(down, 1);
  }
  count_wait(ack_ct, acks);
  if (children() > 0) unlink_idle(accumulator);
  CHECK(PtlAtomicSync());
  CHECK(PtlCTFree(up));
  CHECK(PtlCTFree(down));
}

static void reductions(int round) {
  static int64_t sums[600];
  static double most[100];
  static uint32_t parity[33];
  static int8_t land[1000];
  static double complex product[3];
  static float complex total[257];
  long double largest = 1.5L + (job_rank == job_size / 2 ? 100 : job_rank);
  for (int i = 0; i < 600; ++i) sums[i] = (int64_t)i * (job_rank + 1) - round;
  for (int i = 0; i < 100; ++i) most[i] = i % job_size == job_rank ? i : -i;
  for (unsigned int i = 0; i < 33; ++i)
    parity[i] = 0x9e3779b9U * (i + 1) * (unsigned int)(job_rank + 1);
  for (int i = 0; i < 1000; ++i) land[i] = (int8_t)(i % 7 == job_rank ? 0 : i % 100 + 1);
  for (int i = 0; i < 3; ++i) product[i] = (double)(1 + i) + (double)(job_rank + 1) * I;
  for (int i = 0; i < 257; ++i) total[i] = (float)i - (float)job_rank * I;
  all_reduce(sums, sizeof sums, PTL_SUM, PTL_INT64_T);
  all_reduce(most, sizeof most, PTL_MAX, PTL_DOUBLE);
  all_reduce(parity, sizeof parity, PTL_BXOR, PTL_UINT32_T);
  all_reduce(land, sizeof land, PTL_LAND, PTL_INT8_T);
  all_reduce(product, sizeof product, PTL_PROD, PTL_DOUBLE_COMPLEX);
  all_reduce(total, sizeof total, PTL_SUM, PTL_FLOAT_COMPLEX);
  all_reduce(&largest, sizeof largest, PTL_MAX, PTL_LONG_DOUBLE);
  int pairs = job_size * (job_size - 1) / 2; /* 0 + 1 + ... */
  for (int i = 0; i < 600; ++i)
    REQUIRE(sums[i] == (int64_t)i * (pairs + job_size) - job_size * round);
  for (int i = 0; i < 100; ++i) REQUIRE(most[i] == i);
  for (unsigned int i = 0; i < 33; ++i) {
    uint32_t want = 0;
    for (unsigned int r = 1; r <= (unsigned int)job_size; ++r) want ^= 0x9e3779b9U * (i + 1) * r;
    REQUIRE_EQUAL(parity[i], want);
  }
  for (int i = 0; i < 1000; ++i) REQUIRE_EQUAL(land[i], i % 7 >= job_size);
  for (int i = 0; i < 3; ++i) {
    double complex want = 1; /* small whole numbers: exact in any order */
    for (int r = 1; r <= job_size; ++r) want *= (double)(1 + i) + (double)r * I;
    REQUIRE(creal(product[i]) == creal(want) && cimag(product[i]) == cimag(want));
  }
  for (int i = 0; i < 257; ++i)
    REQUIRE(crealf(total[i]) == (float)(job_size * i) && cimagf(total[i]) == (float)-pairs);
  REQUIRE(largest == 101.5L);
}

/* With events: a message that came before its entry has left only its header, and process 0 gets
 * the data itself. */
static void gather(size_t length, int early) {
  static char mine[MOST], all[PROCESSES][MOST];
  ++instance;
  pattern_fill(mine, length, (unsigned int)(instance + (uint64_t)job_rank));
  if (job_rank != 0) {
    ptl_handle_me_t handle;
    ptl_me_t me = {.start = mine,
                   .length = length,
                   .ct_handle = PTL_CT_NONE,
                   .uid = PTL_UID_ANY,
                   .options = PTL_ME_OP_GET | PTL_ME_USE_ONCE | PTL_ME_EVENT_LINK_DISABLE |
                              PTL_ME_EVENT_UNLINK_DISABLE,
                   .match_id = job_names[0],
                   .match_bits = bits(FETCH, 0)};
    if (!early) job_barrier();
    CHECK(PtlMEAppend(ni, COLLECTIVE, &me, PTL_PRIORITY_LIST, NULL, &handle));
    CHECK(PtlPut(data_md, address(mine), length, PTL_ACK_REQ, job_names[0], COLLECTIVE,
                 bits(GATHER, job_rank), 0, NULL, length));
    ptl_event_t event = event_wait(eq, PTL_EVENT_ACK);
    REQUIRE_EQUAL(event.mlength, early ? 0 : length);
    REQUIRE_EQUAL(event.ptl_list, early ? PTL_OVERFLOW_LIST : PTL_PRIORITY_LIST);
    if (early) {
      job_barrier();
      event = event_wait(eq, PTL_EVENT_GET);
      REQUIRE_EQUAL(event.mlength, length);
    } else {
      unlink_idle(handle);
    }
    return;
  }
  memset(all, 0, sizeof all);
  if (early) job_barrier();
  for (int r = 1; r < job_size; ++r) {
    ptl_handle_me_t handle;
    ptl_me_t me = {.start = all[r],
                   .length = length,
                   .ct_handle = PTL_CT_NONE,
                   .uid = PTL_UID_ANY,
                   .options = PTL_ME_OP_PUT | PTL_ME_USE_ONCE | PTL_ME_EVENT_LINK_DISABLE |
                              PTL_ME_EVENT_UNLINK_DISABLE,
                   .match_id = job_names[r],
                   .match_bits = bits(GATHER, r)};
    CHECK(PtlMEAppend(ni, COLLECTIVE, &me, PTL_PRIORITY_LIST, all[r], &handle));
  }
  if (!early) job_barrier();
  for (int r = 1; r < job_size; ++r) {
    ptl_event_t event = event_wait(eq, early ? PTL_EVENT_PUT_OVERFLOW : PTL_EVENT_PUT);
    REQUIRE(event.rlength == length && event.hdr_data == length &&
            event.user_ptr == all[(int)(event.match_bits & 0xff)]);
    if (!early) continue;
    REQUIRE_EQUAL(event.mlength, 0);
    CHECK(PtlGet(fetch_md, address(event.user_ptr), length, event.initiator, COLLECTIVE,
                 bits(FETCH, 0), 0, NULL));
    ++replies;
  }
  count_wait(reply_ct, replies);
  for (int r = 1; r < job_size; ++r)
    pattern_check(all[r], length, (unsigned int)(instance + (uint64_t)r));
}

static void body(void) {
  ptl_event_t event;
  start();
  barriers();
  broadcasts();
  for (int i = 0; i < 25; ++i) reductions(i);
  for (int i = 0; i < 12; ++i) gather(i % 3 == 0 ? 64 : i % 3 == 1 ? 16384 : MOST, i / 3 % 2);
  barriers();
  EXPECT(PTL_EQ_EMPTY, PtlEQGet(eq, &event));
  CHECK(PtlMDRelease(zero_md));
  CHECK(PtlMDRelease(data_md));
  CHECK(PtlMDRelease(ack_md));
  CHECK(PtlMDRelease(fetch_md));
  CHECK(PtlCTFree(ack_ct));
  CHECK(PtlCTFree(reply_ct));
  job_barrier();
  CHECK(PtlNIFini(ni));
  PtlFini();
}

int main(int argc, char **argv) { return job_main(argc, argv, "coll", PROCESSES, 60, body); }
