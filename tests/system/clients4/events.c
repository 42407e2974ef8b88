/* Every kind of operation, on every kind of interface, short and long: matched by an entry that
 * waits for it, or claimed from the overflow list later.
 *
 * Every field of each event is checked at both ends. Each process has memory at portal 7 with a
 * slot for each operation, and starts all of them at its right neighbour, one after the other. The
 * get asks for more than is there. */
#include <string.h>

#include "exchange.h"

enum {
  PROCESSES = 4,
  PORTAL = 7,
  SLOT = 90000,
  PLACE = 16,
  MOST_WORDS = 512,
  TOO_MUCH = 50,
  KINDS = 4
};
enum operation { PUT, ATOMIC, FETCH, SWAP, GET, OPERATIONS };

static const unsigned int kinds[KINDS] = {
    PTL_NI_MATCHING | PTL_NI_PHYSICAL, PTL_NI_MATCHING | PTL_NI_LOGICAL,
    PTL_NI_NO_MATCHING | PTL_NI_PHYSICAL, PTL_NI_NO_MATCHING | PTL_NI_LOGICAL};
static const ptl_event_kind_t arrivals[OPERATIONS] = {
    PTL_EVENT_PUT, PTL_EVENT_ATOMIC, PTL_EVENT_FETCH_ATOMIC, PTL_EVENT_FETCH_ATOMIC, PTL_EVENT_GET};
static const ptl_event_kind_t claims[OPERATIONS] = {
    PTL_EVENT_PUT_OVERFLOW, PTL_EVENT_ATOMIC_OVERFLOW, PTL_EVENT_FETCH_ATOMIC_OVERFLOW,
    PTL_EVENT_FETCH_ATOMIC_OVERFLOW, PTL_EVENT_GET_OVERFLOW};
static const ptl_op_t combining[OPERATIONS] = {0, PTL_SUM, PTL_BXOR, PTL_MSWAP, 0};
static const ptl_datatype_t types[OPERATIONS] = {0, PTL_INT64_T, PTL_UINT64_T, PTL_UINT32_T, 0};
static const ptl_match_bits_t bits = 0x5a00000000000000ULL;

static int is_long, matching, logical;
static ptl_handle_ni_t ni;
static ptl_ni_limits_t limits;
static ptl_uid_t uid;
static ptl_handle_eq_t here, there; /* as initiator, as target */
static ptl_handle_ct_t ct;          /* counts what is claimed */
static ptl_handle_md_t md;
static unsigned char memory[OPERATIONS * SLOT], data[SLOT], fetched[SLOT];
static int users[OPERATIONS], claimers[OPERATIONS], entry_user;

static int right(void) { return (job_rank + 1) % job_size; }
static int left(void) { return (job_rank + job_size - 1) % job_size; }

static ptl_process_t name(int r) {
  ptl_process_t id;
  memset(&id, 0, sizeof id);
  if (!logical) return job_names[r];
  id.rank = (ptl_rank_t)r;
  return id;
}

static ptl_process_t anyone(void) {
  ptl_process_t id;
  memset(&id, 0, sizeof id);
  if (logical) {
    id.rank = PTL_RANK_ANY;
  } else {
    id.phys.nid = PTL_NID_ANY;
    id.phys.pid = PTL_PID_ANY;
  }
  return id;
}

static ptl_size_t offset_of(enum operation o) { return (ptl_size_t)o * SLOT + PLACE; }

static ptl_size_t length_of(enum operation o) {
  ptl_size_t most = is_long ? MOST_WORDS * sizeof(uint64_t) : 8 * sizeof(uint64_t);
  switch (o) {
    case PUT: return is_long ? 80000 : 100;
    case ATOMIC: return most < limits.max_atomic_size ? most : limits.max_atomic_size;
    case FETCH: return most < limits.max_fetch_atomic_size ? most : limits.max_fetch_atomic_size;
    case SWAP: return sizeof(uint32_t);
    default: return (is_long ? 80000 : 100) + TOO_MUCH;
  }
}
static ptl_size_t moved(enum operation o) {
  return o == GET ? length_of(o) - TOO_MUCH : length_of(o);
}
static ptl_size_t memory_length(void) { return offset_of(GET) + moved(GET); }
static ptl_hdr_data_t header(enum operation o, int from) {
  return 0xfedc000000000000ULL + (uint64_t)(unsigned int)from * 16 + o;
}

/* The content of a slot before, what is sent for it, and the content afterwards. */
static void fill_before(unsigned char *slot, enum operation o, int owner) {
  pattern_fill(slot, (size_t)moved(o), 100U + (unsigned int)o * 10 + (unsigned int)owner);
}
static void fill_data(enum operation o, int from) {
  pattern_fill(data, (size_t)length_of(o), 200U + (unsigned int)o * 10 + (unsigned int)from);
}

static const uint32_t mask = 0x00ff0ff0;

static void check_after(const unsigned char *slot, enum operation o, int owner, int from) {
  static unsigned char before[SLOT];
  size_t length = (size_t)moved(o);
  fill_before(before, o, owner);
  fill_data(o, from);
  for (size_t i = 0; o != PUT && o != GET && i < length / sizeof(uint64_t); ++i) {
    uint64_t old, added, now;
    memcpy(&old, before + i * sizeof old, sizeof old);
    memcpy(&added, data + i * sizeof added, sizeof added);
    memcpy(&now, slot + i * sizeof now, sizeof now);
    REQUIRE_EQUAL(now, o == ATOMIC ? old + added : old ^ added);
  }
  if (o == SWAP) {
    uint32_t old, put, now;
    memcpy(&old, before, sizeof old);
    memcpy(&put, data, sizeof put);
    memcpy(&now, slot, sizeof now);
    REQUIRE_EQUAL(now, (mask & put) | (~mask & old));
  }
  if (o == PUT) REQUIRE(memcmp(slot, data, length) == 0);
  if (o == GET) REQUIRE(memcmp(slot, before, length) == 0);
}

static ptl_handle_any_t append(ptl_list_t list, void *start, ptl_size_t length,
                               ptl_match_bits_t match, ptl_match_bits_t ignore,
                               unsigned int options, void *user) {
  ptl_handle_any_t handle = PTL_INVALID_HANDLE;
  ptl_me_t me = {.start = start,
                 .length = length,
                 .ct_handle = ct,
                 .uid = PTL_UID_ANY,
                 .options = PTL_ME_OP_PUT | PTL_ME_OP_GET | options,
                 .match_id = anyone(),
                 .match_bits = match,
                 .ignore_bits = ignore};
  ptl_le_t le = {.start = start,
                 .length = length,
                 .ct_handle = ct,
                 .uid = PTL_UID_ANY,
                 .options = PTL_LE_OP_PUT | PTL_LE_OP_GET | options};
  if (matching) {
    CHECK(PtlMEAppend(ni, PORTAL, &me, list, user, &handle));
  } else {
    CHECK(PtlLEAppend(ni, PORTAL, &le, list, user, &handle));
  }
  return handle;
}

static int unlink_entry(ptl_handle_any_t entry) {
  return matching ? PtlMEUnlink(entry) : PtlLEUnlink(entry);
}

static void check_entry_event(ptl_event_kind_t type, const void *user) {
  ptl_event_t event = event_wait(there, type);
  REQUIRE(event.user_ptr == user && event.pt_index == PORTAL);
}

/* Checks an answer to an operation that matched an entry of `list`. */
static void check_answer(ptl_event_kind_t type, enum operation o, ptl_list_t list) {
  ptl_event_t event = event_wait(here, type);
  REQUIRE(event.user_ptr == &users[o]);
  if (type == PTL_EVENT_SEND) return;
  REQUIRE_EQUAL(event.mlength, moved(o));
  REQUIRE_EQUAL(event.remote_offset, offset_of(o));
  REQUIRE_EQUAL(event.ptl_list, list);
}

static void operate(enum operation o, ptl_list_t list) {
  ptl_process_t target = name(right());
  ptl_size_t from = address(data), into = address(fetched), length = length_of(o),
             offset = offset_of(o);
  ptl_match_bits_t match = bits + o;
  fill_data(o, job_rank);
  memset(fetched, 0xee, sizeof fetched);
  switch (o) {
    case PUT:
      CHECK(PtlPut(md, from, length, PTL_ACK_REQ, target, PORTAL, match, offset, &users[o],
                   header(o, job_rank)));
      break;
    case ATOMIC:
      CHECK(PtlAtomic(md, from, length, PTL_ACK_REQ, target, PORTAL, match, offset, &users[o],
                      header(o, job_rank), combining[o], types[o]));
      break;
    case FETCH:
      CHECK(PtlFetchAtomic(md, into, md, from, length, target, PORTAL, match, offset, &users[o],
                           header(o, job_rank), combining[o], types[o]));
      break;
    case SWAP:
      CHECK(PtlSwap(md, into, md, from, length, target, PORTAL, match, offset, &users[o],
                    header(o, job_rank), &mask, combining[o], types[o]));
      break;
    default: CHECK(PtlGet(md, into, length, target, PORTAL, match, offset, &users[o])); break;
  }
  if (o != GET) check_answer(PTL_EVENT_SEND, o, list);
  check_answer(o == PUT || o == ATOMIC ? PTL_EVENT_ACK : PTL_EVENT_REPLY, o, list);
  if (o == PUT || o == ATOMIC) return;
  pattern_check(fetched, (size_t)moved(o), 100U + (unsigned int)o * 10 + (unsigned int)right());
  bytes_check(fetched + moved(o), sizeof fetched - (size_t)moved(o), 0xee);
}

/* Checks the event of the left neighbour's operation, at its arrival or when it is claimed. */
static void check_operation(ptl_event_kind_t type, enum operation o, ptl_list_t list,
                            const void *user) {
  ptl_event_t event = event_wait(there, type);
  ptl_process_t from = name(left());
  REQUIRE(event.start == memory + offset_of(o) && event.user_ptr == user);
  REQUIRE(logical ? event.initiator.rank == from.rank
                  : event.initiator.phys.nid == from.phys.nid &&
                        event.initiator.phys.pid == from.phys.pid);
  if (o != GET) REQUIRE_EQUAL(event.hdr_data, header(o, left()));
  if (matching) REQUIRE_EQUAL(event.match_bits, bits + o);
  REQUIRE_EQUAL(event.rlength, length_of(o));
  REQUIRE_EQUAL(event.mlength, moved(o));
  REQUIRE_EQUAL(event.remote_offset, offset_of(o));
  REQUIRE_EQUAL(event.uid, uid);
  REQUIRE_EQUAL(event.pt_index, PORTAL);
  REQUIRE_EQUAL(event.ptl_list, list);
  if (o != PUT && o != GET) {
    REQUIRE_EQUAL(event.atomic_operation, combining[o]);
    REQUIRE_EQUAL(event.atomic_type, types[o]);
  }
  check_after(event.start, o, job_rank, left());
}

/* All operations, at entries of `list`. Unexpected ones are claimed by one entry each, whose own
 * memory stays unchanged. */
static void round_of(ptl_list_t list) {
  static unsigned char untouched[64];
  ptl_ct_event_t count = {0, 0};
  memset(memory, 0xcc, sizeof memory);
  memset(untouched, 0xdd, sizeof untouched);
  for (int o = 0; o < OPERATIONS; ++o) fill_before(memory + offset_of(o), o, job_rank);
  CHECK(PtlCTSet(ct, count));
  ptl_handle_any_t entry = append(list, memory, memory_length(), bits, 0xff, 0, &entry_user);
  check_entry_event(PTL_EVENT_LINK, &entry_user);
  job_barrier();
  for (int o = 0; o < OPERATIONS; ++o) operate(o, list);
  for (int o = 0; o < OPERATIONS; ++o) check_operation(arrivals[o], o, list, &entry_user);
  if (list == PTL_OVERFLOW_LIST) {
    EXPECT(PTL_IN_USE, unlink_entry(entry));
    for (int o = 0; o < OPERATIONS; ++o) {
      ptl_handle_any_t claim =
          append(PTL_PRIORITY_LIST, untouched, sizeof untouched, bits + (unsigned int)o, 0,
                 PTL_ME_USE_ONCE | PTL_ME_EVENT_CT_OVERFLOW, &claimers[o]);
      check_operation(claims[o], o, list, &claimers[o]);
      check_entry_event(PTL_EVENT_AUTO_UNLINK, &claimers[o]);
      EXPECT(PTL_ARG_INVALID, unlink_entry(claim));
      count_wait(ct, (ptl_size_t)o + 1);
    }
    bytes_check(untouched, sizeof untouched, 0xdd);
  }
  CHECK(PtlCTGet(ct, &count));
  REQUIRE_EQUAL(count.success, list == PTL_OVERFLOW_LIST ? OPERATIONS : 0);
  REQUIRE_EQUAL(count.failure, 0);
  CHECK(unlink_entry(entry)); /* no event */
  for (int o = 0; o < OPERATIONS; ++o) { /* nothing beside the moved bytes has changed */
    ptl_size_t end = offset_of(o) + moved(o);
    bytes_check(memory + (size_t)o * SLOT, PLACE, 0xcc);
    bytes_check(memory + end, (size_t)((ptl_size_t)(o + 1) * SLOT - end), 0xcc);
  }
  job_barrier();
}

static void interface_of(unsigned int kind) {
  ptl_event_t event;
  ptl_pt_index_t pt;
  matching = (kind & PTL_NI_MATCHING) != 0;
  logical = (kind & PTL_NI_LOGICAL) != 0;
  CHECK(PtlNIInit(PTL_IFACE_DEFAULT, kind, PTL_PID_ANY, NULL, &limits, &ni));
  job_publish(ni);
  if (logical) CHECK(PtlSetMap(ni, (ptl_size_t)job_size, job_names));
  CHECK(PtlGetUid(ni, &uid));
  CHECK(PtlEQAlloc(ni, 64, &here));
  CHECK(PtlEQAlloc(ni, 64, &there));
  CHECK(PtlCTAlloc(ni, &ct));
  CHECK(PtlPTAlloc(ni, 0, there, PORTAL, &pt));
  REQUIRE_EQUAL(pt, PORTAL);
  md = whole_memory(ni, 0, here, PTL_CT_NONE);
  for (is_long = 0; is_long < 2; ++is_long) {
    round_of(PTL_PRIORITY_LIST);
    round_of(PTL_OVERFLOW_LIST);
  }
  EXPECT(PTL_EQ_EMPTY, PtlEQGet(here, &event));
  EXPECT(PTL_EQ_EMPTY, PtlEQGet(there, &event));
  CHECK(PtlMDRelease(md));
  CHECK(PtlPTFree(ni, PORTAL));
  CHECK(PtlCTFree(ct));
  CHECK(PtlEQFree(here));
  CHECK(PtlEQFree(there));
  job_barrier();
}

static void body(void) {
  CHECK(PtlInit());
  /* they stay open, so that in the end all four are open at once */
  for (int i = 0; i < KINDS; ++i) interface_of(kinds[i]);
  PtlFini();
}

int main(int argc, char **argv) { return job_main(argc, argv, "events", PROCESSES, 60, body); }
