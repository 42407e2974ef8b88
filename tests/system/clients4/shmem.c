/* What Sandia OpenSHMEM uses of Portals 4: no matching, ranks, two list entries at chosen portals,
 * memory descriptors over the whole address space, and counters instead of events. Static memory
 * has the same address in all processes, because they are forked. */
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "exchange.h"

enum { PROCESSES = 8, DATA = 8, HEAP = 9, MOST = 1 << 20, ROUNDS = 500, HAMMER = 400, WORDS = 4 };

static unsigned char data_segment[MOST + 64]; /* written by the left neighbour */
static unsigned char heap[MOST + 64];
static unsigned char bounce[MOST], back[MOST];
static struct {
  volatile uint64_t flag;
  unsigned char data[2048];
} mailbox;
static int64_t words[WORDS], swap_word;
static uint64_t bits[4];
static double real_word;

static ptl_handle_ni_t ni;
static ptl_ni_limits_t limits;
static ptl_handle_eq_t eq;
static ptl_handle_ct_t put_ct, get_ct, target_ct;
static ptl_handle_md_t put_inline, put_ordered, put_bounce, get_md;
static ptl_size_t sent, gets, arrivals;

static ptl_process_t rank(int r) {
  ptl_process_t id;
  memset(&id, 0, sizeof id);
  id.rank = (ptl_rank_t)((r + job_size) % job_size);
  return id;
}

static void start(void) {
  ptl_ni_limits_t want = {.max_entries = INT_MAX,
                          .max_unexpected_headers = INT_MAX,
                          .max_mds = INT_MAX,
                          .max_cts = INT_MAX,
                          .max_eqs = INT_MAX,
                          .max_pt_index = INT_MAX,
                          .max_iovecs = INT_MAX,
                          .max_list_size = INT_MAX,
                          .max_triggered_ops = INT_MAX,
                          .max_msg_size = LONG_MAX,
                          .max_atomic_size = LONG_MAX,
                          .max_fetch_atomic_size = LONG_MAX,
                          .max_waw_ordered_size = LONG_MAX,
                          .max_war_ordered_size = LONG_MAX,
                          .max_volatile_size = LONG_MAX,
                          .features = PTL_TARGET_BIND_INACCESSIBLE};
  ptl_process_t id;
  ptl_uid_t uid;
  ptl_pt_index_t pt;
  ptl_handle_le_t le;
  CHECK(PtlInit());
  CHECK(PtlNIInit(PTL_IFACE_DEFAULT, PTL_NI_NO_MATCHING | PTL_NI_LOGICAL, PTL_PID_ANY, &want,
                  &limits, &ni));
  /* a complex long double */
  REQUIRE(limits.max_volatile_size >= 32 && limits.max_atomic_size >= 32 &&
          limits.max_fetch_atomic_size >= 32);
  REQUIRE(limits.max_waw_ordered_size >= 8 && limits.max_war_ordered_size >= 8 &&
          limits.max_pt_index >= 63);
  REQUIRE(limits.features & PTL_TARGET_BIND_INACCESSIBLE);
  job_publish(ni);
  CHECK(PtlSetMap(ni, (ptl_size_t)job_size, job_names));
  EXPECT(PTL_IGNORED, PtlSetMap(ni, (ptl_size_t)job_size, job_names));
  CHECK(PtlGetId(ni, &id));
  REQUIRE_EQUAL(id.rank, job_rank);
  CHECK(PtlGetUid(ni, &uid));
  CHECK(PtlEQAlloc(ni, 2048, &eq));
  CHECK(PtlPTAlloc(ni, 0, eq, DATA, &pt));
  REQUIRE_EQUAL(pt, DATA);
  CHECK(PtlPTAlloc(ni, 0, eq, HEAP, &pt));
  REQUIRE_EQUAL(pt, HEAP);
  CHECK(PtlCTAlloc(ni, &put_ct));
  CHECK(PtlCTAlloc(ni, &get_ct));
  CHECK(PtlCTAlloc(ni, &target_ct));
  ptl_le_t entry = {.start = data_segment,
                    .length = sizeof data_segment,
                    .ct_handle = PTL_INVALID_HANDLE,
                    .uid = uid,
                    .options = PTL_LE_OP_PUT | PTL_LE_OP_GET | PTL_LE_EVENT_LINK_DISABLE |
                               PTL_LE_EVENT_SUCCESS_DISABLE};
  CHECK(PtlLEAppend(ni, DATA, &entry, PTL_PRIORITY_LIST, NULL, &le));
  entry.start = NULL;
  entry.length = PTL_SIZE_MAX;
  entry.ct_handle = target_ct;
  entry.options |= PTL_LE_EVENT_CT_COMM;
  CHECK(PtlLEAppend(ni, HEAP, &entry, PTL_PRIORITY_LIST, NULL, &le));
  put_inline = whole_memory(
      ni, PTL_MD_EVENT_CT_ACK | PTL_MD_EVENT_SUCCESS_DISABLE | PTL_MD_VOLATILE | PTL_MD_UNORDERED,
      eq, put_ct);
  put_ordered = whole_memory(
      ni, PTL_MD_EVENT_CT_ACK | PTL_MD_EVENT_SUCCESS_DISABLE | PTL_MD_VOLATILE, eq, put_ct);
  put_bounce = whole_memory(ni, PTL_MD_EVENT_CT_ACK | PTL_MD_UNORDERED, eq, put_ct);
  get_md = whole_memory(ni, PTL_MD_EVENT_CT_REPLY | PTL_MD_EVENT_SUCCESS_DISABLE | PTL_MD_UNORDERED,
                        PTL_EQ_NONE, get_ct);
  job_barrier();
}

static void get(void *into, const void *from, size_t length, int who) {
  CHECK(PtlGet(get_md, address(into), length, rank(who), HEAP, 0, address(from), NULL));
  count_wait(get_ct, ++gets);
}

/* All sizes: small ones from memory that is overwritten at once, larger ones through a bounce
 * buffer that is free after SEND. */
static void puts_and_gets(void) {
  static const size_t sizes[] = {0, 1, 7, 8, 33, 1000, 4096, 16384, 16385, 70000, MOST};
  int right = job_rank + 1;
  int left = (job_rank + job_size - 1) % job_size;
  for (unsigned int i = 0; i < sizeof sizes / sizeof sizes[0]; ++i) {
    size_t length = sizes[i];
    unsigned int seed = 100 * i + (unsigned int)job_rank;
    memset(data_segment, 0xee, sizeof data_segment);
    memset(heap, 0xee, sizeof heap);
    job_barrier();
    for (int half = 0; half < 2; ++half) {
      ptl_pt_index_t pt = half ? HEAP : DATA;
      ptl_size_t offset = half ? address(heap) + 5 : 5;
      pattern_fill(bounce, length, seed + (unsigned int)half * 50);
      if (length <= limits.max_volatile_size) {
        CHECK(PtlPut(put_inline, address(bounce), length, PTL_OC_ACK_REQ, rank(right), pt, 0,
                     offset, NULL, 0));
      } else {
        CHECK(PtlPut(put_bounce, address(bounce), length, PTL_OC_ACK_REQ, rank(right), pt, 0,
                     offset, bounce, 0));
        REQUIRE(event_wait(eq, PTL_EVENT_SEND).user_ptr == bounce);
      }
      memset(bounce, 0x11, length);
      ++sent;
    }
    count_wait(put_ct, sent);
    get(back, heap + 5, length, right);
    pattern_check(back, length, seed + 50);
    job_barrier();
    seed = 100 * i + (unsigned int)left;
    pattern_check(data_segment + 5, length, seed);
    pattern_check(heap + 5, length, seed + 50);
    bytes_check(data_segment, 5, 0xee);
    bytes_check(heap, 5, 0xee);
    bytes_check(data_segment + 5 + length, sizeof data_segment - 5 - length, 0xee);
    bytes_check(heap + 5 + length, sizeof heap - 5 - length, 0xee);
    arrivals += 2; /* the put and the get at the heap's portal, through PTL_LE_EVENT_CT_COMM */
    count_wait(target_ct, arrivals);
    ptl_ct_event_t now;
    CHECK(PtlCTGet(target_ct, &now));
    REQUIRE_EQUAL(now.success, arrivals);
    job_barrier();
  }
}

/* From read-only memory, as a program's constants are: a page made read-only after it was filled,
 * and this program's own file. */
static void read_only(void) {
  static const size_t sizes[] = {8, 1000, 16384, 16385, 300000};
  enum { LENGTH = 300000 };
  int file = open("/proc/self/exe", O_RDONLY);
  off_t file_length = lseek(file, 0, SEEK_END);
  void *sources[2] = {
      mmap(NULL, LENGTH, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
      mmap(NULL, (size_t)file_length, PROT_READ, MAP_SHARED, file, 0)};
  REQUIRE(sources[0] != MAP_FAILED && sources[1] != MAP_FAILED);
  pattern_fill(sources[0], LENGTH, 7000);
  REQUIRE_EQUAL(mprotect(sources[0], LENGTH, PROT_READ), 0);
  for (int s = 0; s < 2; ++s) {
    for (unsigned int i = 0; i < sizeof sizes / sizeof sizes[0]; ++i) {
      size_t most = s == 0 ? LENGTH : (size_t)file_length,
             length = sizes[i] < most ? sizes[i] : most;
      memset(heap, 0xee, length + 64);
      job_barrier();
      CHECK(PtlPut(put_bounce, address(sources[s]), length, PTL_OC_ACK_REQ, rank(job_rank + 1),
                   HEAP, 0, address(heap), sources[s], 0));
      REQUIRE(event_wait(eq, PTL_EVENT_SEND).user_ptr == sources[s]);
      count_wait(put_ct, ++sent);
      job_barrier();
      CHECK(PtlAtomicSync());
      REQUIRE(memcmp(heap, sources[s], length) == 0); /* the left neighbour runs the same program */
      bytes_check(heap + length, 64, 0xee);
      job_barrier();
    }
  }
  REQUIRE_EQUAL(munmap(sources[0], LENGTH), 0);
  REQUIRE_EQUAL(munmap(sources[1], (size_t)file_length), 0);
  close(file);
}

static int64_t swap(int64_t data, int64_t operand, ptl_op_t operation, int who) {
  int64_t old = -1;
  CHECK(PtlSwap(get_md, address(&old), put_inline, address(&data), sizeof data, rank(who), HEAP, 0,
                address(&swap_word), NULL, 0, &operand, operation, PTL_INT64_T));
  count_wait(get_ct, ++gets);
  return old;
}

static int64_t fetch_add(int64_t *word, int64_t add, int who) {
  int64_t old = -1;
  CHECK(PtlFetchAtomic(get_md, address(&old), put_inline, address(&add), sizeof add, rank(who),
                       HEAP, 0, address(word), NULL, 0, PTL_SUM, PTL_INT64_T));
  count_wait(get_ct, ++gets);
  return old;
}

static void atomic(void *word, uint64_t value, ptl_op_t operation, int who) {
  CHECK(PtlAtomic(put_inline, address(&value), sizeof value, PTL_OC_ACK_REQ, rank(who), HEAP, 0,
                  address(word), NULL, 0, operation, PTL_UINT64_T));
  count_wait(put_ct, ++sent);
}

static void atomics(void) {
  int right = job_rank + 1;
  int64_t seen;
  double half = 0.5;
  real_word = 2.25;
  swap_word = 10;
  bits[0] = 0xff;
  job_barrier();
  REQUIRE_EQUAL(swap(20, 0, PTL_SWAP, right), 10);
  REQUIRE_EQUAL(swap(30, 21, PTL_CSWAP, right), 20);
  REQUIRE_EQUAL(swap(31, 20, PTL_CSWAP, right), 20);
  REQUIRE_EQUAL(swap(0xff, 0xf0, PTL_MSWAP, right), 31);
  get(&seen, &swap_word, sizeof seen, right);
  REQUIRE_EQUAL(seen, 0xff);
  atomic(bits, 0x3c, PTL_BAND, right);
  atomic(bits, 0x03, PTL_BOR, right);
  atomic(bits, 0x30, PTL_BXOR, right);
  get(&seen, bits, sizeof seen, right);
  REQUIRE_EQUAL(seen, 0x0f);
  atomic(bits, 4, PTL_MIN, right);
  atomic(bits, 6, PTL_MAX, right);
  atomic(bits, 7, PTL_PROD, right);
  get(&seen, bits, sizeof seen, right);
  REQUIRE_EQUAL(seen, 42);
  CHECK(PtlAtomic(put_inline, address(&half), sizeof half, PTL_OC_ACK_REQ, rank(right), HEAP, 0,
                  address(&real_word), NULL, 0, PTL_PROD, PTL_DOUBLE));
  half = 0;
  count_wait(put_ct, ++sent);
  job_barrier();
  CHECK(PtlAtomicSync());
  REQUIRE(real_word == 1.125);
}

/* A put of data and then a put of a flag, without a fence: a process that sees the flag sees the
 * data. Pairs alternate. */
static void ordering(void) {
  static unsigned char block[sizeof mailbox.data];
  int peer = job_rank ^ 1;
  size_t length = sizeof block < limits.max_waw_ordered_size ? sizeof block
                                                             : (size_t)limits.max_waw_ordered_size;
  for (uint64_t i = 1; i <= ROUNDS; ++i) {
    uint64_t flag = i;
    if ((job_rank & 1) == (int)(i & 1)) {
      pattern_fill(block, length, (unsigned int)i);
      CHECK(PtlPut(put_ordered, address(block), length, PTL_OC_ACK_REQ, rank(peer), HEAP, 0,
                   address(mailbox.data), NULL, 0));
      CHECK(PtlPut(put_ordered, address(&flag), sizeof flag, PTL_OC_ACK_REQ, rank(peer), HEAP, 0,
                   address(&mailbox.flag), NULL, 0));
      sent += 2;
    } else {
      ptl_ct_event_t value;
      job_step("wait for the flag", __FILE__, __LINE__);
      while (mailbox.flag != i) {
        ptl_size_t next;
        CHECK(PtlCTGet(target_ct, &value));
        next = value.success + 1;
        if (mailbox.flag == i) break;
        /* as shmem_wait does: until something more has arrived */
        CHECK(PtlCTWait(target_ct, next, &value));
        REQUIRE_EQUAL(value.failure, 0);
      }
      CHECK(PtlAtomicSync());
      pattern_check(mailbox.data, length, (unsigned int)i);
    }
  }
  count_wait(put_ct, sent);
  job_barrier();
}

/* All processes change the same words of process 0 and of each other, in four ways. No change is
 * lost. */
static void hammer(void) {
  int64_t total = 0;
  memset(words, 0, sizeof words);
  swap_word = 0;
  job_barrier();
  for (int i = 0; i < HAMMER; ++i) {
    int64_t one = 1, value = i + job_rank, old;
    CHECK(PtlAtomic(put_inline, address(&value), sizeof value, PTL_OC_ACK_REQ, rank(0), HEAP, 0,
                    address(&words[0]), NULL, 0, PTL_SUM, PTL_INT64_T));
    ++sent;
    total += value;
    REQUIRE(fetch_add(&words[1], one, 0) >= 0);
    CHECK(PtlAtomic(put_inline, address(&one), sizeof one, PTL_OC_ACK_REQ, rank(i), HEAP, 0,
                    address(&words[2]), NULL, 0, PTL_SUM, PTL_INT64_T));
    ++sent;
    if (i % 8 != 0) continue;
    for (old = 0;;) { /* an increment with compare and swap */
      int64_t found = swap(old + 1, old, PTL_CSWAP, 0);
      if (found == old) break;
      old = found;
    }
  }
  count_wait(put_ct, sent);
  (void)fetch_add(&words[3], total, 0);
  job_barrier();
  CHECK(PtlAtomicSync());
  if (job_rank == 0) {
    REQUIRE_EQUAL(words[0], words[3]);
    REQUIRE_EQUAL(words[1], HAMMER * job_size);
    REQUIRE_EQUAL(swap_word, HAMMER / 8 * job_size);
  }
  REQUIRE_EQUAL(words[2], HAMMER);
  job_barrier();
}

static void body(void) {
  ptl_event_t event;
  start();
  puts_and_gets();
  read_only();
  atomics();
  ordering();
  hammer();
  EXPECT(PTL_EQ_EMPTY, PtlEQGet(eq, &event)); /* only the SEND events were asked for */
  CHECK(PtlMDRelease(put_inline));
  CHECK(PtlMDRelease(put_ordered));
  CHECK(PtlMDRelease(put_bounce));
  CHECK(PtlMDRelease(get_md));
  job_barrier();
  CHECK(PtlCTFree(put_ct));
  CHECK(PtlCTFree(get_ct));
  CHECK(PtlNIFini(ni));
  PtlFini();
}

int main(int argc, char **argv) { return job_main(argc, argv, "shmem", PROCESSES, 90, body); }
