/* What Open MPI's mtl uses of Portals 4, with messages of all lengths that come before and after
 * their receives: mtl_layer.h says how they are made. */
#include <stdlib.h>
#include <string.h>

#include "mtl_layer.h"

enum { PROCESSES = 4, SIZES = 12, MOST = 1000001 };
static const size_t sizes[SIZES] = {0,    1,     8,     100,   2047,   2048,
                                    2049, 16385, 65536, 65537, 300000, MOST};
static struct request sends[4096], receives[4096];

static unsigned int seed_of(int from, uint32_t tag) { return (unsigned int)from * 100000 + tag; }

/* A message of each length to the right, and one from the left. early: all are sent before the
 * first receive is posted, and received in another order. */
static void neighbours(uint32_t first_tag, int early) {
  static char *out[SIZES], *in[SIZES];
  int right = (job_rank + 1) % job_size, left = (job_rank + job_size - 1) % job_size;
  for (int i = 0; i < SIZES; ++i) {
    if (!out[i]) out[i] = malloc(sizes[i] + 8);
    if (!in[i]) in[i] = malloc(sizes[i] + 8);
    pattern_fill(out[i], sizes[i], seed_of(job_rank, first_tag + (uint32_t)i));
    memset(in[i], 0xcc, sizes[i] + 8);
  }
  for (int step = 0; step < 2; ++step) {
    if (step == (early ? 0 : 1)) {
      for (int i = 0; i < SIZES; ++i)
        send_start(&sends[i], right, first_tag + (uint32_t)i, out[i], sizes[i]);
      if (early) {
        while (outstanding > 0) progress();
        for (int i = 0; i < SIZES; ++i)
          REQUIRE(sends[i].acked && sends[i].list == PTL_OVERFLOW_LIST &&
                  sends[i].done == (sizes[i] <= SHORT));
      }
    } else {
      for (int k = 0; k < SIZES; ++k) {
        int i = (k * 5 + 3) % SIZES;
        receive_start(&receives[i], i % 3 ? left : ANY, first_tag + (uint32_t)i, in[i], sizes[i]);
      }
    }
    meet();
  }
  wait_all(sends, SIZES);
  wait_all(receives, SIZES);
  for (int i = 0; i < SIZES; ++i) {
    REQUIRE_EQUAL(receives[i].length, sizes[i]);
    REQUIRE_EQUAL(receives[i].from_overflow, early);
    REQUIRE_EQUAL(sends[i].list, early ? PTL_OVERFLOW_LIST : PTL_PRIORITY_LIST);
    pattern_check(in[i], sizes[i], seed_of(left, first_tag + (uint32_t)i));
    bytes_check(in[i] + sizes[i], 8, 0xcc);
  }
  meet();
}

static ptl_event_t search(ptl_search_op_t operation, int from, uint32_t tag, void *user) {
  ptl_me_t me = {.start = NULL,
                 .length = 0,
                 .ct_handle = PTL_CT_NONE,
                 .uid = PTL_UID_ANY,
                 .options = PTL_ME_OP_PUT | PTL_ME_USE_ONCE,
                 .match_id = name_of(from),
                 .match_bits = match_bits(0, from, tag),
                 .ignore_bits = PROTOCOL_BITS};
  int before = probe.answers;
  CHECK(PtlMESearch(ni, RECEIVE, &me, operation, user));
  while (probe.answers == before) progress();
  REQUIRE_EQUAL(probe.answers, before + 1);
  return probe.event;
}

/* MPI_Iprobe sees a message and leaves it, MPI_Improbe takes it. A cancelled receive leaves its
 * message to the overflow list. */
static void probes(void) {
  static char out[2][20000], in[20000];
  int right = (job_rank + 1) % job_size, left = (job_rank + job_size - 1) % job_size;
  size_t lengths[2] = {700, 20000};
  ptl_event_t event;
  for (int i = 0; i < 2; ++i) {
    uint32_t tag = 7000 + (uint32_t)i;
    event = search(PTL_SEARCH_ONLY, left, tag, &probe);
    REQUIRE(event.type == PTL_EVENT_SEARCH && event.ni_fail_type == PTL_NI_NO_MATCH);
    event = search(PTL_SEARCH_DELETE, left, tag, &probe);
    REQUIRE(event.type == PTL_EVENT_SEARCH && event.ni_fail_type == PTL_NI_NO_MATCH);
    meet();
    receive_start(&receives[0], left, tag, in, 1);
    CHECK(PtlMEUnlink(receives[0].entry));
    EXPECT(PTL_ARG_INVALID, PtlMEUnlink(receives[0].entry));
    meet();
    pattern_fill(out[i], lengths[i], seed_of(job_rank, tag));
    send_start(&sends[i], right, tag, out[i], lengths[i]);
    while (outstanding > 0) progress();
    meet();
    for (int twice = 0; twice < 2; ++twice) {
      event = search(PTL_SEARCH_ONLY, left, tag, &probe);
      REQUIRE(event.type == PTL_EVENT_SEARCH && event.ni_fail_type == PTL_NI_OK &&
              event.ptl_list == PTL_OVERFLOW_LIST);
      REQUIRE_EQUAL(message_length(event.hdr_data), lengths[i]);
      REQUIRE_EQUAL(event.rlength, lengths[i]);
      REQUIRE_EQUAL(event.mlength, i == 0 ? lengths[i] : 0);
      REQUIRE(came_from(&event, left));
      if (i == 0) pattern_check(event.start, lengths[i], seed_of(left, tag));
    }
    event = search(PTL_SEARCH_DELETE, left, tag, &probe);
    REQUIRE(event.type == PTL_EVENT_PUT_OVERFLOW && event.ni_fail_type == PTL_NI_OK);
    memset(&receives[0], 0, sizeof receives[0]);
    receives[0].kind = RECEIVE_REQUEST; /* MPI_Mrecv */
    receives[0].peer = left;
    receives[0].tag = tag;
    receives[0].buffer = in;
    receives[0].length = sizeof in;
    receive_event(&receives[0], &event);
    wait_all(receives, 1);
    pattern_check(in, lengths[i], seed_of(left, tag));
    event = search(PTL_SEARCH_ONLY, left, tag, &probe);
    REQUIRE_EQUAL(event.ni_fail_type, PTL_NI_NO_MATCH);
    wait_all(&sends[i], 1);
  }
  meet();
}

/* A receive that is too short gets the beginning. A get of data that are not there yet fails and
 * can be repeated. */
static void truncation_and_retry(void) {
  static char out[3][100000], in[3][100000], small[64], fetched[64];
  static const size_t lengths[3] = {1000, 50000, 100000}, rooms[3] = {100, 3000, 5000};
  int right = (job_rank + 1) % job_size, left = (job_rank + job_size - 1) % job_size;
  for (int early = 0; early < 2; ++early) {
    for (int step = 0; step < 2; ++step) {
      for (int i = 0; i < 3; ++i) {
        uint32_t tag = 8000 + (uint32_t)i;
        if (step != early) {
          pattern_fill(out[i], lengths[i], seed_of(job_rank, tag));
          send_start(&sends[i], right, tag, out[i], lengths[i]);
        } else {
          memset(in[i], 0xcc, sizeof in[i]);
          receive_start(&receives[i], left, tag, in[i], rooms[i]);
        }
      }
      while (outstanding > 0) progress();
      meet();
    }
    wait_all(sends, 3);
    wait_all(receives, 3);
    for (int i = 0; i < 3; ++i) {
      REQUIRE_EQUAL(receives[i].message_length, lengths[i]);
      pattern_check(in[i], rooms[i], seed_of(left, 8000 + (uint32_t)i));
      bytes_check(in[i] + rooms[i], sizeof in[i] - rooms[i], 0xcc);
    }
    meet();
  }
  ptl_handle_me_t handle;
  ptl_me_t me = {.start = small,
                 .length = sizeof small,
                 .ct_handle = PTL_CT_NONE,
                 .uid = PTL_UID_ANY,
                 .options = PTL_ME_OP_GET | PTL_ME_USE_ONCE | PTL_ME_EVENT_COMM_DISABLE |
                            PTL_ME_EVENT_LINK_DISABLE | PTL_ME_EVENT_UNLINK_DISABLE,
                 .match_id = name_of(left),
                 .match_bits = 99};
  pattern_fill(small, sizeof small, seed_of(job_rank, 99));
  for (int i = 0; i < 2; ++i) {
    int before = retry.answers;
    CHECK(PtlGet(get_md, address(fetched), sizeof fetched, name_of(right), READ, 99, 0, &retry));
    while (retry.answers == before) progress();
    REQUIRE(retry.event.type == PTL_EVENT_REPLY &&
            retry.event.ni_fail_type == (i == 0 ? PTL_NI_DROPPED : PTL_NI_OK));
    if (i == 0) {
      meet();
      CHECK(PtlMEAppend(ni, READ, &me, PTL_PRIORITY_LIST, NULL, &handle));
      meet();
    }
  }
  pattern_check(fetched, sizeof fetched, seed_of(right, 99));
  meet();
}

/* Every process sends `each` messages with the same tag to every other one. They must be received
 * in the order in which they were sent. */
static void all_to_all(uint32_t tag, int each, size_t most) {
  int peers = job_size - 1, count = peers * each;
  char *out = malloc((size_t)count * (most + 1)), *in = malloc((size_t)count * (most + 1));
  REQUIRE(count <= (int)(sizeof sends / sizeof sends[0]));
  for (int i = 0; i < count; ++i) {
    int message = i / peers, to = (job_rank + 1 + i % peers) % job_size,
        from = (job_rank + 1 + i % peers) % job_size;
    size_t length = (size_t)message * 7919 % (most + 1);
    char *data = out + (size_t)i * (most + 1);
    pattern_fill(data, length, seed_of(job_rank, tag + (uint32_t)message));
    send_start(&sends[i], to, tag, data, length);
    if (message % 2 == job_rank % 2) continue; /* half of the receives are posted here, half after
                                                  all the sends */
    receive_start(&receives[i], from, tag, in + (size_t)i * (most + 1), most);
    advance();
  }
  int posted = 0;
  for (int i = 0; i < count; ++i) {
    int message = i / peers, from = (job_rank + 1 + i % peers) % job_size;
    if (message % 2 != job_rank % 2) continue;
    receive_start(&receives[i], from, tag, in + (size_t)i * (most + 1), most);
    if (++posted % 16 == 0) advance();
  }
  wait_all(sends, count);
  wait_all(receives, count);
  /* Receives from one source are matched in the order of posting: first the odd half, then the even
   * one, or the reverse. */
  for (int p = 0; p < peers; ++p) {
    int from = (job_rank + 1 + p) % job_size, next = 0;
    for (int half = 0; half < 2; ++half) {
      for (int message = 0; message < each; ++message) {
        if ((message % 2 == job_rank % 2) != half) continue;
        struct request *r = &receives[message * peers + p];
        size_t length = (size_t)next * 7919 % (most + 1);
        REQUIRE_EQUAL(r->length, length);
        pattern_check(r->buffer, length, seed_of(from, tag + (uint32_t)next));
        ++next;
      }
    }
  }
  free(out);
  free(in);
  meet();
}

/* Every process sends short messages to process 0, which sleeps first. posted: they have receives,
 * and the events run out; otherwise the blocks run out. */
static void flood(uint32_t tag, int posted) {
  enum { ALL = 1350, LENGTH = 1900 };
  static char in[ALL][LENGTH], out[ALL][LENGTH];
  int all = ALL / (job_size - 1) * (job_size - 1), each = all / (job_size - 1);
  int rounds_before = rounds, events_before = disabled_events;
  if (job_rank == 0) {
    for (int i = 0; posted && i < all; ++i)
      receive_start(&receives[i], 1 + i % (job_size - 1), tag, in[i], LENGTH);
  }
  meet();
  job_barrier(); /* from here on process 0 takes no events */
  if (job_rank == 0) {
    ptl_ct_event_t unused;
    job_step("sleep until alerted", __FILE__, __LINE__);
    /* by the tree of triggered puts, without a call of this process */
    CHECK(PtlCTWait(alert_ct, (ptl_size_t)rounds + 1, &unused));
    for (int i = 0; !posted && i < all; ++i) {
      receive_start(&receives[i], 1 + i % (job_size - 1), tag, in[i], LENGTH);
      if (i % 16 == 0) advance();
    }
    wait_all(receives, all);
    for (int i = 0; i < all; ++i) {
      REQUIRE_EQUAL(receives[i].length, LENGTH);
      pattern_check(in[i], LENGTH,
                    seed_of(1 + i % (job_size - 1), tag + (uint32_t)(i / (job_size - 1))));
    }
  } else {
    for (int i = 0; i < each; ++i) {
      pattern_fill(out[i], LENGTH, seed_of(job_rank, tag + (uint32_t)i));
      send_start(&sends[i], 0, tag, out[i], LENGTH);
    }
    wait_all(sends, each);
  }
  meet();
  REQUIRE(rounds > rounds_before);
  if (job_rank == 0) REQUIRE(disabled_events > events_before);
  REQUIRE(disabled_events <= rounds); /* one each time */
}

static void body(void) {
  mtl_start();
  neighbours(1000, 0);
  neighbours(2000, 1);
  probes();
  truncation_and_retry();
  all_to_all(30000, 100, 1500);
  all_to_all(31000, 40, 90000);
  /* until the blocks have been used again */
  for (int i = 0; i < 12; ++i) all_to_all(32000, 100, 2040);
  REQUIRE(recycled > 0);
  flood(40000, 1);
  flood(50000, 0);
  neighbours(3000, 0);
  neighbours(4000, 1);
  CHECK(PtlMDRelease(send_md));
  CHECK(PtlMDRelease(get_md));
  job_barrier();
  CHECK(PtlNIFini(ni));
  PtlFini();
}

/* --logical: as with mtl_portals4_use_logical. */
int main(int argc, char **argv) {
  use_logical = argc > 1 && strcmp(argv[1], "--logical") == 0;
  if (use_logical) argv[1] = argv[0];
  return job_main(argc - use_logical, argv + use_logical, use_logical ? "mtl --logical" : "mtl",
                  PROCESSES, 100, body);
}
