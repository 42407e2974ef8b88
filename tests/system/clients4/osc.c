/* What Open MPI's osc uses of Portals 4: windows of memory that others put to, get from, and
 * combine with.
 *
 * A window is two entries at portal 4, its data and its control block. It exists when two LINK
 * events have come. An MD over all of memory counts acks and replies in one counter, on which a
 * flush waits. Scattered memory at the origin gets an MD of ptl_iovec_t of its own. */
#include <complex.h>
#include <stdlib.h>
#include <string.h>

#include "exchange.h"

enum { PROCESSES = 4, WINDOW = 4, BYTES = 1 << 20, TURNS = 60 };

static const ptl_match_bits_t data_bits = 0x1000, control_bits = 0x1001, dynamic_bits = 0x2000,
                              other_user_bits = 0x3000, get_only_bits = 0x3001;
static struct control {
  int64_t lock;
  int64_t post_count;
  int64_t unused[6];
} control, dynamic_control;
/* at the same address in all processes, because they are forked */
static struct control *const control_of_all = &control;

static ptl_handle_ni_t ni;
static ptl_ni_limits_t limits;
static ptl_handle_eq_t eq;
static ptl_handle_ct_t ct;
static ptl_handle_md_t md, request_md;
static ptl_size_t operations;
static unsigned char *window, *scratch;

static int right(void) { return (job_rank + 1) % job_size; }
static int left(void) { return (job_rank + job_size - 1) % job_size; }

static void flush(void) { count_wait(ct, operations); }

static ptl_handle_me_t entry(void *start, ptl_size_t length, ptl_match_bits_t bits,
                             unsigned int options, ptl_uid_t uid) {
  ptl_handle_me_t handle;
  ptl_me_t me = {.start = start,
                 .length = length,
                 .ct_handle = PTL_CT_NONE,
                 .uid = uid,
                 .options = options | PTL_ME_EVENT_SUCCESS_DISABLE,
                 .match_bits = bits};
  me.match_id.phys.nid = PTL_NID_ANY;
  me.match_id.phys.pid = PTL_PID_ANY;
  CHECK(PtlMEAppend(ni, WINDOW, &me, PTL_PRIORITY_LIST, NULL, &handle));
  return handle;
}

/* Data and control block. Both exist on return. */
static void window_open(void *start, ptl_size_t length, ptl_match_bits_t bits, unsigned int options,
                        struct control *block, ptl_handle_me_t *handles) {
  ptl_event_t event;
  int links = 0;
  handles[0] = entry(start, length, bits, PTL_ME_OP_PUT | PTL_ME_OP_GET | options, PTL_UID_ANY);
  handles[1] =
      entry(block, sizeof *block, bits + 1, PTL_ME_OP_PUT | PTL_ME_OP_GET | options, PTL_UID_ANY);
  while (links < 2) {
    int code = PtlEQGet(eq, &event);
    if (code == PTL_EQ_EMPTY) continue;
    REQUIRE(code == PTL_OK && event.type == PTL_EVENT_LINK && event.ni_fail_type == PTL_NI_OK &&
            event.pt_index == WINDOW);
    ++links;
  }
}

static void start(void) {
  ptl_pt_index_t pt;
  CHECK(PtlInit());
  CHECK(PtlNIInit(PTL_IFACE_DEFAULT, PTL_NI_MATCHING | PTL_NI_PHYSICAL, PTL_PID_ANY, NULL, &limits,
                  &ni));
  REQUIRE(limits.max_atomic_size >= 512 && limits.max_fetch_atomic_size >= 512);
  CHECK(PtlEQAlloc(ni, 4096, &eq));
  CHECK(PtlPTAlloc(ni, 0, eq, WINDOW, &pt));
  REQUIRE_EQUAL(pt, WINDOW);
  CHECK(PtlCTAlloc(ni, &ct));
  md = whole_memory(ni, PTL_MD_EVENT_SUCCESS_DISABLE | PTL_MD_EVENT_CT_REPLY | PTL_MD_EVENT_CT_ACK,
                    eq, ct);
  request_md = whole_memory(
      ni, PTL_MD_EVENT_SEND_DISABLE | PTL_MD_EVENT_CT_REPLY | PTL_MD_EVENT_CT_ACK, eq, ct);
  window = malloc(BYTES);
  scratch = malloc(BYTES);
  memset(window, 0xee, BYTES);
  job_publish(ni);
}

static void put(ptl_handle_md_t from, const void *data, size_t length, int who,
                ptl_match_bits_t bits, ptl_size_t offset, void *user) {
  CHECK(PtlPut(from, address(data), length, PTL_ACK_REQ, job_names[who], WINDOW, bits, offset, user,
               0));
  ++operations;
}
static void get(ptl_handle_md_t into, void *data, size_t length, int who, ptl_match_bits_t bits,
                ptl_size_t offset, void *user) {
  CHECK(PtlGet(into, address(data), length, job_names[who], WINDOW, bits, offset, user));
  ++operations;
}

static void contiguous(void) {
  static const size_t sizes[] = {1, 15, 1024, 16384, 16385, 500000};
  for (unsigned int i = 0; i < 6; ++i) {
    int request = 0;
    size_t length = sizes[i];
    memset(window, 0xee, BYTES);
    job_barrier();
    pattern_fill(scratch, length, i * 10 + (unsigned int)job_rank);
    put(i % 2 ? md : request_md, scratch, length, right(), data_bits, 3, &request);
    flush();
    if (i % 2 == 0) { /* MPI_Rput */
      ptl_event_t event = event_wait(eq, PTL_EVENT_ACK);
      REQUIRE(event.user_ptr == &request && event.mlength == length && event.remote_offset == 3 &&
              event.ptl_list == PTL_PRIORITY_LIST);
    }
    memset(scratch, 0, length);
    get(i % 2 ? request_md : md, scratch, length, right(), data_bits, 3, &request);
    flush();
    if (i % 2 == 1) {
      ptl_event_t event = event_wait(eq, PTL_EVENT_REPLY);
      REQUIRE(event.user_ptr == &request && event.mlength == length);
    }
    pattern_check(scratch, length, i * 10 + (unsigned int)job_rank);
    job_barrier();
    pattern_check(window + 3, length, i * 10 + (unsigned int)left());
    bytes_check(window, 3, 0xee);
    bytes_check(window + 3 + length, BYTES - 3 - length, 0xee);
    job_barrier();
  }
}

static ptl_handle_md_t scattered(ptl_iovec_t *parts, int count) {
  ptl_handle_md_t handle;
  ptl_md_t d = {.start = parts,
                .length = (ptl_size_t)count,
                .options = PTL_IOVEC | PTL_MD_EVENT_SUCCESS_DISABLE | PTL_MD_EVENT_CT_REPLY |
                           PTL_MD_EVENT_CT_ACK,
                .eq_handle = eq,
                .ct_handle = ct};
  CHECK(PtlMDBind(ni, &d, &handle));
  return handle;
}

/* A derived datatype: pieces of odd lengths, some empty, put from and got into, from any offset on.
 */
static void derived(size_t scale) {
  enum { PARTS = 17 };
  ptl_iovec_t parts[PARTS];
  size_t total = 0, place = 0;
  unsigned char *flat;
  for (int i = 0; i < PARTS; ++i) {
    size_t length = i % 5 == 4 ? 0 : (size_t)(i * 7 + 1) * scale;
    parts[i].iov_base = scratch + place;
    parts[i].iov_len = length;
    place += length + 3;
    total += length;
  }
  REQUIRE(place < BYTES && total < BYTES - 64);
  flat = malloc(total);
  memset(window, 0xee, BYTES);
  memset(scratch, 0xcc, BYTES);
  pattern_fill(flat, total, (unsigned int)(scale + (size_t)job_rank));
  for (size_t i = 0, at = 0; i < PARTS; at += parts[i++].iov_len) {
    if (parts[i].iov_len > 0) memcpy(parts[i].iov_base, flat + at, (size_t)parts[i].iov_len);
  }
  ptl_handle_md_t handle = scattered(parts, PARTS);
  job_barrier();
  CHECK(PtlPut(handle, 0, total, PTL_ACK_REQ, job_names[right()], WINDOW, data_bits, 0, NULL, 0));
  ++operations;
  flush();
  job_barrier();
  pattern_check(window, total, (unsigned int)(scale + (size_t)left()));
  bytes_check(window + total, BYTES - total, 0xee);
  EXPECT(PTL_ARG_INVALID,
         PtlPut(handle, 1, total, PTL_ACK_REQ, job_names[right()], WINDOW, data_bits, 0, NULL, 0));
  /* Back again, all but 11 bytes at both ends. */
  memset(scratch, 0xcc, BYTES);
  CHECK(PtlGet(handle, 11, total - 22, job_names[right()], WINDOW, data_bits, 11, NULL));
  ++operations;
  flush();
  for (size_t i = 0, at = 0; i < PARTS; ++i) {
    unsigned char *piece = parts[i].iov_base;
    for (size_t k = 0; k < parts[i].iov_len; ++k, ++at)
      REQUIRE_EQUAL(piece[k], at < 11 || at >= total - 11 ? 0xcc : flat[at]);
    bytes_check(piece + parts[i].iov_len, 3, 0xcc);
  }
  CHECK(PtlMDRelease(handle)); /* all counts have been seen */
  free(flat);
  job_barrier();
}

static void fetch(void *old, const void *data, size_t length, int who, ptl_size_t offset,
                  ptl_op_t operation, ptl_datatype_t type) {
  CHECK(PtlFetchAtomic(md, address(old), md, address(data), length, job_names[who], WINDOW,
                       data_bits, offset, NULL, 0, operation, type));
  ++operations;
  flush();
}
static void swap(void *old, const void *data, const void *operand, size_t length, int who,
                 ptl_match_bits_t bits, ptl_size_t offset, ptl_op_t operation,
                 ptl_datatype_t type) {
  CHECK(PtlSwap(md, address(old), md, address(data), length, job_names[who], WINDOW, bits, offset,
                NULL, 0, operand, operation, type));
  ++operations;
  flush();
}
static void accumulate(const void *data, size_t length, int who, ptl_size_t offset,
                       ptl_op_t operation, ptl_datatype_t type) {
  CHECK(PtlAtomic(md, address(data), length, PTL_ACK_REQ, job_names[who], WINDOW, data_bits, offset,
                  NULL, 0, operation, type));
  ++operations;
  flush();
}

static void accumulates(void) {
  enum { MANY = 4000 };
  static int64_t many[MANY];
  long double ld = 2.5L, ld_old = 0, ld_operand;
  double complex z = 1.0 + 2.0 * I, z_old = 0, z_operand;
  long double complex w[2] = {1.0L + 1.0L * I, 3.0L}, w_old[2];
  unsigned char *at = window;
  memset(window, 0, BYTES);
  job_barrier();
  /* From all processes to process 0, in pieces of the limit: nothing is lost. */
  size_t step = (size_t)limits.max_atomic_size;
  for (int i = 0; i < MANY; ++i) many[i] = i * (job_rank + 1);
  for (size_t offset = 0; offset < sizeof many; offset += step) {
    size_t length = sizeof many - offset < step ? sizeof many - offset : step;
    CHECK(PtlAtomic(md, address(many) + offset, length, PTL_ACK_REQ, job_names[0], WINDOW,
                    data_bits, offset, NULL, 0, PTL_SUM, PTL_INT64_T));
    ++operations;
  }
  flush();
  EXPECT(PTL_ARG_INVALID,
         PtlAtomic(md, address(many), limits.max_atomic_size + 8, PTL_ACK_REQ, job_names[0], WINDOW,
                   data_bits, 0, NULL, 0, PTL_SUM, PTL_INT64_T));
  job_barrier();
  CHECK(PtlAtomicSync());
  if (job_rank == 0) {
    memcpy(many, window, sizeof many);
    for (int i = 0; i < MANY; ++i) REQUIRE_EQUAL(many[i], i * job_size * (job_size + 1) / 2);
  }
  memset(window, 0, 4096);
  job_barrier();
  /* Types of more than 8 bytes, at an address that is aligned for none of them. */
  accumulate(&ld, sizeof ld, right(), 1, PTL_SUM, PTL_LONG_DOUBLE);
  fetch(&ld_old, &ld, sizeof ld, right(), 1, PTL_PROD, PTL_LONG_DOUBLE);
  REQUIRE(ld_old == 2.5L);
  memset(&ld_operand, 0x77, sizeof ld_operand); /* padding does not take part */
  ld_operand = 6.25L;
  ld = 9.0L;
  swap(&ld_old, &ld, &ld_operand, sizeof ld, right(), data_bits, 1, PTL_CSWAP, PTL_LONG_DOUBLE);
  REQUIRE(ld_old == 6.25L);
  swap(&ld_old, &ld, &ld_operand, sizeof ld, right(), data_bits, 1, PTL_CSWAP, PTL_LONG_DOUBLE);
  REQUIRE(ld_old == 9.0L);
  accumulate(&z, sizeof z, right(), 101, PTL_SUM, PTL_DOUBLE_COMPLEX);
  fetch(&z_old, &z, sizeof z, right(), 101, PTL_PROD, PTL_DOUBLE_COMPLEX);
  REQUIRE(creal(z_old) == 1 && cimag(z_old) == 2);
  z_operand = -3.0 + 4.0 * I; /* the square */
  z = 7.0;
  swap(&z_old, &z, &z_operand, sizeof z, right(), data_bits, 101, PTL_CSWAP, PTL_DOUBLE_COMPLEX);
  REQUIRE(creal(z_old) == -3 && cimag(z_old) == 4);
  swap(&z_old, &z_operand, NULL, sizeof z, right(), data_bits, 101, PTL_SWAP, PTL_DOUBLE_COMPLEX);
  REQUIRE(creal(z_old) == 7 && cimag(z_old) == 0);
  accumulate(w, sizeof w, right(), 201, PTL_SUM, PTL_LONG_DOUBLE_COMPLEX);
  fetch(w_old, w, sizeof w, right(), 201, PTL_PROD, PTL_LONG_DOUBLE_COMPLEX);
  REQUIRE(creall(w_old[0]) == 1 && cimagl(w_old[0]) == 1 && creall(w_old[1]) == 3 &&
          cimagl(w_old[1]) == 0);
  swap(w_old, w, NULL, sizeof w, right(), data_bits, 201, PTL_SWAP, PTL_LONG_DOUBLE_COMPLEX);
  REQUIRE(creall(w_old[0]) == 0 && cimagl(w_old[0]) == 2 && creall(w_old[1]) == 9 &&
          cimagl(w_old[1]) == 0);
  EXPECT(PTL_ARG_INVALID,
         PtlSwap(md, address(w_old), md, address(w), sizeof w, job_names[0], WINDOW, data_bits, 0,
                 NULL, 0, w, PTL_CSWAP, PTL_LONG_DOUBLE_COMPLEX)); /* one element only */
  EXPECT(PTL_ARG_INVALID, PtlAtomic(md, address(&z), sizeof z, PTL_ACK_REQ, job_names[0], WINDOW,
                                    data_bits, 0, NULL, 0, PTL_MAX, PTL_DOUBLE_COMPLEX));
  job_barrier();
  CHECK(PtlAtomicSync());
  memcpy(&ld, at + 1, sizeof ld);
  REQUIRE(ld == 9.0L);
  /* Elements that cross the pieces of scattered memory. */
  static unsigned char from[100], into[100];
  int64_t values[8], old[8];
  ptl_iovec_t from_parts[3] = {{from, 13}, {from + 20, 30}, {from + 60, 21}},
              into_parts[2] = {{into, 27}, {into + 40, 37}};
  for (int i = 0; i < 8; ++i) values[i] = 1000 + i;
  memcpy(from, values, 13);
  memcpy(from + 20, (char *)values + 13, 30);
  memcpy(from + 60, (char *)values + 43, 21);
  ptl_handle_md_t from_md = scattered(from_parts, 3), into_md = scattered(into_parts, 2);
  for (int twice = 0; twice < 2; ++twice) {
    CHECK(PtlFetchAtomic(into_md, 0, from_md, 0, sizeof values, job_names[right()], WINDOW,
                         data_bits, 1001, NULL, 0, PTL_SUM, PTL_INT64_T));
    ++operations;
    flush();
    memcpy(old, into, 27);
    memcpy((char *)old + 27, into + 40, 37);
    for (int i = 0; i < 8; ++i) REQUIRE_EQUAL(old[i], twice * values[i]);
  }
  CHECK(PtlMDRelease(from_md));
  CHECK(PtlMDRelease(into_md));
  job_barrier();
  CHECK(PtlAtomicSync());
  memcpy(old, window + 1001, sizeof old);
  for (int i = 0; i < 8; ++i) REQUIRE_EQUAL(old[i], 2 * values[i]);
  job_barrier();
}

/* MPI_Win_lock on process 0 with compare-and-swap in the control block. The protected word is read
 * and written back. */
static void locks(void) {
  const int64_t free_word = 0, mine = 1000 + job_rank;
  uint64_t value[600]; /* 4800 bytes */
  memset(window, 0, sizeof value);
  control.lock = 0;
  job_barrier();
  for (int turn = 0; turn < TURNS; ++turn) {
    int64_t old = -1;
    job_step("lock", __FILE__, __LINE__);
    do {
      swap(&old, &mine, &free_word, sizeof old, 0, control_bits, offsetof(struct control, lock),
           PTL_CSWAP, PTL_INT64_T);
    } while (old != 0);
    get(md, value, sizeof value, 0, data_bits, 0, NULL);
    flush();
    for (int i = 1; i < 600; ++i) REQUIRE_EQUAL(value[i], value[0] * ((uint64_t)i + 1));
    ++value[0];
    for (uint64_t i = 1; i < 600; ++i) value[i] = value[0] * (i + 1);
    put(md, value, sizeof value, 0, data_bits, 0, NULL);
    flush();
    swap(&old, &free_word, NULL, sizeof old, 0, control_bits, offsetof(struct control, lock),
         PTL_SWAP, PTL_INT64_T);
    REQUIRE_EQUAL(old, mine);
  }
  job_barrier();
  CHECK(PtlAtomicSync());
  if (job_rank == 0) {
    memcpy(value, window, sizeof value);
    REQUIRE_EQUAL(value[0], TURNS * job_size);
  }
  job_barrier();
}

/* MPI_Win_post to MPI_Win_wait: put, flush, count in the neighbour's control block, and poll memory
 * for one's own count. */
static void post_and_wait(void) {
  const int64_t one = 1;
  control.post_count = 0;
  job_barrier();
  for (int turn = 1; turn <= TURNS; ++turn) {
    ptl_event_t event;
    pattern_fill(scratch, 3000, (unsigned int)(turn * 10 + job_rank));
    put(md, scratch, 3000, right(), data_bits, (ptl_size_t)(turn % 2) * 4096, NULL);
    flush();
    CHECK(PtlAtomic(md, address(&one), sizeof one, PTL_ACK_REQ, job_names[right()], WINDOW,
                    control_bits, offsetof(struct control, post_count), NULL, 0, PTL_SUM,
                    PTL_INT64_T));
    ++operations;
    job_step("wait for post_count", __FILE__, __LINE__);
    while (((volatile struct control *)control_of_all)->post_count < turn) {
      EXPECT(PTL_EQ_EMPTY, PtlEQGet(eq, &event));
      CHECK(PtlAtomicSync());
    }
    pattern_check(window + turn % 2 * 4096, 3000, (unsigned int)(turn * 10 + left()));
    /* parity of the count: the neighbour may be one turn ahead and then writes to the other slot */
    flush();
    job_barrier();
  }
}

/* A window over the whole address space: the target address is the offset. */
static void dynamic(void) {
  struct { void *place; } *shown = job_board;
  char *mine = malloc(100000);
  memset(mine, 0xee, 100000);
  shown[job_rank].place = mine;
  job_barrier();
  char *theirs = shown[right()].place;
  pattern_fill(scratch, 100000, 500U + (unsigned int)job_rank);
  put(md, scratch, 90000, right(), dynamic_bits, address(theirs) + 7, NULL);
  flush();
  put(md, scratch, 5, right(), dynamic_bits, address(theirs) + 99000, NULL);
  flush();
  memset(scratch, 0, 90000);
  get(md, scratch, 90000, right(), dynamic_bits, address(theirs) + 7, NULL);
  flush();
  pattern_check(scratch, 90000, 500U + (unsigned int)job_rank);
  job_barrier();
  pattern_check(mine + 7, 90000, 500U + (unsigned int)left());
  pattern_check(mine + 99000, 5, 500U + (unsigned int)left());
  bytes_check(mine, 7, 0xee);
  free(mine);
}

/* An operation that fails counts as one failure, which ends the flush. It also logs an event,
 * because SUCCESS_DISABLE is about successes. */
static void violation(ptl_ni_fail_t reason, int is_get, ptl_match_bits_t bits, ptl_size_t offset) {
  ptl_ct_event_t value;
  ptl_event_t event;
  int user = 0;
  if (is_get) {
    get(md, scratch, 100, right(), bits, offset, &user);
  } else {
    put(md, scratch, 100, right(), bits, offset, &user);
  }
  CHECK(PtlCTWait(ct, operations, &value));
  REQUIRE_EQUAL(value.success, operations - 1);
  REQUIRE_EQUAL(value.failure, 1);
  CHECK(PtlEQWait(eq, &event));
  REQUIRE_EQUAL(event.type, is_get ? PTL_EVENT_REPLY : PTL_EVENT_ACK);
  REQUIRE_EQUAL(event.ni_fail_type, reason);
  REQUIRE(event.user_ptr == &user);
  value.success = operations = 0;
  value.failure = 0;
  CHECK(PtlCTSet(ct, value));
}

static void violations(void) {
  static char guarded[4096];
  ptl_handle_me_t handles[2];
  ptl_sr_value_t status;
  ptl_uid_t uid;
  memset(guarded, 0xee, sizeof guarded);
  memset(window + BYTES - 50, 0xee, 50);
  CHECK(PtlGetUid(ni, &uid));
  handles[0] = entry(guarded, sizeof guarded, other_user_bits,
                     PTL_ME_OP_PUT | PTL_ME_OP_GET | PTL_ME_EVENT_LINK_DISABLE, uid + 1);
  handles[1] =
      entry(guarded, sizeof guarded, get_only_bits, PTL_ME_OP_GET | PTL_ME_EVENT_LINK_DISABLE, uid);
  job_barrier();
  flush();
  /* NO_TRUNCATE: it does not fit, and finds no other entry */
  violation(PTL_NI_DROPPED, 0, data_bits, BYTES - 50);
  violation(PTL_NI_DROPPED, 1, data_bits, BYTES - 50);
  violation(PTL_NI_DROPPED, 0, 0x9999, 0);
  violation(PTL_NI_PERM_VIOLATION, 0, other_user_bits, 0);
  violation(PTL_NI_PERM_VIOLATION, 1, other_user_bits, 0);
  violation(PTL_NI_OP_VIOLATION, 0, get_only_bits, 0);
  get(md, scratch, 100, right(), get_only_bits, 0, NULL); /* and then everything works as before */
  flush();
  bytes_check(scratch, 100, 0xee);
  job_barrier();
  bytes_check(guarded, sizeof guarded, 0xee);
  bytes_check(window + BYTES - 50, 50, 0xee);
  CHECK(PtlNIStatus(ni, PTL_SR_PERMISSION_VIOLATIONS, &status));
  REQUIRE_EQUAL(status, 2);
  CHECK(PtlNIStatus(ni, PTL_SR_OPERATION_VIOLATIONS, &status));
  REQUIRE_EQUAL(status, 1);
  CHECK(PtlNIStatus(ni, PTL_SR_DROP_COUNT, &status));
  REQUIRE_EQUAL(status, 3);
  CHECK(PtlMEUnlink(handles[0]));
  CHECK(PtlMEUnlink(handles[1]));
  job_barrier();
}

static void body(void) {
  ptl_handle_me_t plain[2], whole[2];
  ptl_event_t event;
  start();
  window_open(window, BYTES, data_bits, PTL_ME_NO_TRUNCATE, &control, plain);
  window_open(NULL, PTL_SIZE_MAX, dynamic_bits, 0, &dynamic_control, whole);
  job_barrier();
  contiguous();
  derived(1);
  derived(400);
  accumulates();
  locks();
  post_and_wait();
  dynamic();
  violations();
  EXPECT(PTL_EQ_EMPTY, PtlEQGet(eq, &event));
  for (int i = 0; i < 2; ++i) {
    CHECK(PtlMEUnlink(plain[i]));
    CHECK(PtlMEUnlink(whole[i]));
  }
  CHECK(PtlMDRelease(md));
  CHECK(PtlMDRelease(request_md));
  CHECK(PtlCTFree(ct));
  CHECK(PtlPTFree(ni, WINDOW));
  job_barrier();
  CHECK(PtlNIFini(ni));
  PtlFini();
}

int main(int argc, char **argv) { return job_main(argc, argv, "osc", PROCESSES, 60, body); }
