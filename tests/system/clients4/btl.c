/* What Open MPI's btl uses of Portals 4: active messages into a few receive blocks, and large data
 * that the receiver fetches.
 *
 * Portal 2. A block is a MANAGE_LOCAL entry that unlinks itself when less than the longest message
 * is left. It is posted again when its messages have been handled: on the priority list at
 * AUTO_UNLINK, on the overflow list (with --overflow) at AUTO_FREE. A message that finds no block
 * is refused with PTL_NI_DROPPED and sent again. Large data are announced by a message. The
 * receiver gets them from an entry of the sender and says so by another message. */
#include <stdlib.h>
#include <string.h>

#include "exchange.h"

enum {
  PROCESSES = 4,
  PORTAL = 2,
  BLOCKS = 4,
  BLOCK_BYTES = 65536,
  EAGER = 4096,
  EACH = 600,
  LARGE = 40,
  LARGE_BYTES = 150000,
  FLYING = 256
};
enum tag { DATA = 1, OFFER, FETCHED };

static const ptl_match_bits_t message_bits = 1ULL << 63, key_bits = 1ULL << 62,
                              other_user_bits = 1ULL << 61;
struct message { /* header of an active message */
  uint32_t tag, from, number, seed;
  uint64_t length, key;
};
struct fragment {
  int busy;
  int target;
  size_t length;
  char bytes[EAGER];
};
struct block {
  char *memory;
  size_t used;
  int unlinked;
};
struct fetch {
  int from;
  uint32_t number, seed;
  size_t length;
  char *memory;
};

static int overflow; /* the list that blocks are on */
static ptl_handle_ni_t ni;
static ptl_handle_eq_t queues[3]; /* what arrives, what was sent, what was fetched */
static ptl_handle_md_t send_md, get_md;
static struct fragment fragments[FLYING];
static struct block blocks[BLOCKS];
static int handled[PROCESSES], handled_large[PROCESSES], offered_done, refused, posted_again,
    flying, gets_seen;
static unsigned char seen[PROCESSES][EACH], seen_large[PROCESSES][LARGE];
static char *offered[PROCESSES][LARGE];

static void block_post(struct block *b) {
  ptl_handle_me_t handle;
  ptl_me_t me = {
      .start = b->memory,
      .length = BLOCK_BYTES,
      .ct_handle = PTL_CT_NONE,
      .uid = PTL_UID_ANY,
      .options = PTL_ME_OP_PUT | PTL_ME_MANAGE_LOCAL | PTL_ME_EVENT_LINK_DISABLE | PTL_ME_MAY_ALIGN,
      .match_bits = message_bits,
      .min_free = EAGER};
  me.match_id.phys.nid = PTL_NID_ANY;
  me.match_id.phys.pid = PTL_PID_ANY;
  /* only the event of the message is wanted */
  if (overflow) me.options |= PTL_ME_UNEXPECTED_HDR_DISABLE;
  b->used = 0;
  b->unlinked = 0;
  CHECK(PtlMEAppend(ni, PORTAL, &me, overflow ? PTL_OVERFLOW_LIST : PTL_PRIORITY_LIST, b, &handle));
}

static void put_fragment(struct fragment *f) {
  CHECK(PtlPut(send_md, address(f->bytes), f->length, PTL_ACK_REQ, job_names[f->target], PORTAL,
               message_bits, 0, f, f->length));
}

static void send_message(int to, struct message header, const void *payload, size_t length) {
  struct fragment *f = NULL;
  for (int i = 0; i < FLYING; ++i) {
    if (!fragments[i].busy) f = &fragments[i];
  }
  REQUIRE(f != NULL);
  f->busy = 1;
  f->target = to;
  f->length = sizeof header + length;
  memcpy(f->bytes, &header, sizeof header);
  if (length > 0) memcpy(f->bytes + sizeof header, payload, length);
  ++flying;
  put_fragment(f);
}

static void handle_message(const char *start, size_t length) {
  struct message m;
  REQUIRE(length >= sizeof m);
  memcpy(&m, start, sizeof m);
  REQUIRE(m.from < (uint32_t)job_size);
  if (m.tag == DATA) {
    REQUIRE_EQUAL(m.length, length - sizeof m);
    REQUIRE(m.number < EACH && !seen[m.from][m.number]); /* each exactly once */
    seen[m.from][m.number] = 1;
    ++handled[m.from];
    pattern_check(start + sizeof m, (size_t)m.length, m.seed);
  } else if (m.tag == OFFER) {
    struct fetch *f = malloc(sizeof *f);
    REQUIRE(m.number < LARGE && !seen_large[m.from][m.number]);
    seen_large[m.from][m.number] = 1;
    f->from = (int)m.from;
    f->number = m.number;
    f->seed = m.seed;
    f->length = (size_t)m.length;
    f->memory = malloc(f->length);
    CHECK(PtlGet(get_md, address(f->memory), f->length, job_names[m.from], PORTAL, m.key, 0, f));
  } else {
    REQUIRE(m.tag == FETCHED && m.number < LARGE && offered[m.from][m.number]);
    free(offered[m.from][m.number]);
    offered[m.from][m.number] = NULL;
    ++offered_done;
  }
}

static void arrived(const ptl_event_t *event) {
  /* of the offered entry, which unlinks itself with this event */
  if (event->type == PTL_EVENT_GET) {
    ++gets_seen;
    REQUIRE_EQUAL(event->mlength, event->rlength);
    return;
  }
  struct block *b = event->user_ptr;
  /* its messages have been handled, because their events came before */
  if (event->type == PTL_EVENT_AUTO_UNLINK) {
    REQUIRE(BLOCK_BYTES - b->used < EAGER && !b->unlinked);
    b->unlinked = 1;
    if (overflow) return;
  }
  if (event->type == PTL_EVENT_AUTO_UNLINK || event->type == PTL_EVENT_AUTO_FREE) {
    REQUIRE(b->unlinked && (event->type == PTL_EVENT_AUTO_FREE) == overflow);
    ++posted_again;
    memset(b->memory, 0xdd, BLOCK_BYTES);
    block_post(b);
    return;
  }
  REQUIRE(event->type == PTL_EVENT_PUT && event->match_bits == message_bits);
  REQUIRE_EQUAL(event->ptl_list, overflow ? PTL_OVERFLOW_LIST : PTL_PRIORITY_LIST);
  REQUIRE(event->mlength == event->rlength && event->hdr_data == event->rlength &&
          event->pt_index == PORTAL);
  const char *start = event->start;
  REQUIRE(start >= b->memory && start + event->mlength <= b->memory + BLOCK_BYTES);
  b->used += (size_t)event->mlength;
  handle_message(start, (size_t)event->mlength);
}

static void sent(const ptl_event_t *event) {
  struct fragment *f = event->user_ptr;
  REQUIRE(event->type == PTL_EVENT_ACK && f->busy);
  if (event->ni_fail_type == PTL_NI_DROPPED) {
    ++refused;
    put_fragment(f);
    return;
  }
  REQUIRE(event->ni_fail_type == PTL_NI_OK && event->mlength == f->length);
  f->busy = 0;
  --flying;
}

static void fetched(const ptl_event_t *event) {
  struct fetch *f = event->user_ptr;
  struct message done = {.tag = FETCHED, .from = (uint32_t)job_rank, .number = f->number};
  REQUIRE(event->type == PTL_EVENT_REPLY && event->mlength == f->length);
  pattern_check(f->memory, f->length, f->seed);
  ++handled_large[f->from];
  send_message(f->from, done, NULL, 0);
  free(f->memory);
  free(f);
}

static void progress(ptl_time_t timeout) {
  ptl_event_t event;
  unsigned int which;
  int code = PtlEQPoll(queues, 3, timeout, &event, &which);
  switch (code) {
    case PTL_EQ_EMPTY:
      return;
    case PTL_INTERRUPTED: /* programs use these names */
    case PTL_EQ_DROPPED:
    default:
      job_check(code, PTL_OK, "PtlEQPoll", __FILE__, __LINE__);
  }
  if (which == 0) {
    REQUIRE_EQUAL(event.ni_fail_type, PTL_NI_OK);
    arrived(&event);
  } else if (which == 1) {
    sent(&event);
  } else {
    REQUIRE(which == 2 && event.ni_fail_type == PTL_NI_OK);
    fetched(&event);
  }
}

static void room_for_a_message(void) {
  while (flying >= FLYING / 2) progress(10); /* the other half is for the answers to OFFER */
}

static void send_data(int to, uint32_t number) {
  static char payload[EAGER];
  size_t length = (size_t)number * 37 % (EAGER - sizeof(struct message) + 1);
  struct message header = {.tag = DATA,
                           .from = (uint32_t)job_rank,
                           .number = number,
                           .seed = number * 16 + (uint32_t)job_rank,
                           .length = length};
  pattern_fill(payload, length, header.seed);
  room_for_a_message();
  send_message(to, header, payload, length);
}

static void offer(int to, uint32_t number) {
  size_t length = number % 4 == 0 ? number : LARGE_BYTES - number * 1001;
  struct message header = {.tag = OFFER,
                           .from = (uint32_t)job_rank,
                           .number = number,
                           .seed = number * 16 + 8 + (uint32_t)job_rank,
                           .length = length,
                           .key = key_bits | (uint64_t)(unsigned int)to << 32 | number};
  ptl_handle_me_t handle;
  ptl_me_t me = {.length = length,
                 .ct_handle = PTL_CT_NONE,
                 .uid = PTL_UID_ANY,
                 .options = PTL_ME_OP_GET | PTL_ME_USE_ONCE | PTL_ME_EVENT_LINK_DISABLE |
                            PTL_ME_EVENT_UNLINK_DISABLE,
                 .match_id = job_names[to],
                 .match_bits = header.key};
  me.start = offered[to][number] = malloc(length + 1);
  pattern_fill(me.start, length, header.seed);
  CHECK(PtlMEAppend(ni, PORTAL, &me, PTL_PRIORITY_LIST, NULL, &handle));
  room_for_a_message();
  send_message(to, header, NULL, 0);
}

/* An entry of another user refuses, whatever entries follow it, and stays unchanged. Its owner gets
 * no event. */
static void other_users_entry(void) {
  static char guarded[EAGER], out[EAGER], in[EAGER];
  int right = (job_rank + 1) % job_size;
  ptl_handle_me_t handles[2];
  ptl_uid_t uid;
  ptl_sr_value_t violations;
  ptl_event_t event;
  CHECK(PtlGetUid(ni, &uid));
  ptl_me_t me = {.start = guarded,
                 .length = sizeof guarded,
                 .ct_handle = PTL_CT_NONE,
                 .uid = uid + 1,
                 .options = PTL_ME_OP_PUT | PTL_ME_OP_GET | PTL_ME_USE_ONCE |
                            PTL_ME_EVENT_LINK_DISABLE | PTL_ME_EVENT_UNLINK_DISABLE,
                 .match_bits = other_user_bits};
  me.match_id.phys.nid = PTL_NID_ANY;
  me.match_id.phys.pid = PTL_PID_ANY;
  pattern_fill(guarded, sizeof guarded, 3);
  pattern_fill(out, sizeof out, 4);
  for (int i = 0; i < 2; ++i) {
    CHECK(PtlMEAppend(ni, PORTAL, &me, PTL_PRIORITY_LIST, NULL, &handles[i]));
    me.uid = uid;
  }
  job_barrier();
  CHECK(PtlPut(send_md, address(out), sizeof out, PTL_ACK_REQ, job_names[right], PORTAL,
               other_user_bits, 0, NULL, 0));
  CHECK(PtlEQWait(queues[1], &event));
  REQUIRE(event.type == PTL_EVENT_ACK && event.ni_fail_type == PTL_NI_PERM_VIOLATION);
  CHECK(PtlGet(get_md, address(in), sizeof in, job_names[right], PORTAL, other_user_bits, 0, NULL));
  CHECK(PtlEQWait(queues[2], &event));
  REQUIRE(event.type == PTL_EVENT_REPLY && event.ni_fail_type == PTL_NI_PERM_VIOLATION);
  job_barrier();
  EXPECT(PTL_EQ_EMPTY, PtlEQGet(queues[0], &event));
  CHECK(PtlNIStatus(ni, PTL_SR_PERMISSION_VIOLATIONS, &violations));
  REQUIRE_EQUAL(violations, 2);
  CHECK(PtlMEUnlink(handles[0])); /* it is still there; without it the next entry takes the get */
  job_barrier();
  CHECK(PtlGet(get_md, address(in), sizeof in, job_names[right], PORTAL, other_user_bits, 0, NULL));
  (void)event_wait(queues[2], PTL_EVENT_REPLY);
  (void)event_wait(queues[0], PTL_EVENT_GET);
  pattern_check(in, sizeof in, 3);
  pattern_check(guarded, sizeof guarded, 3);
  job_barrier();
}

static void body(void) {
  ptl_ni_limits_t want = {.max_entries = 1024,
                          .max_unexpected_headers = 1024,
                          .max_mds = 1024,
                          .max_cts = 1024,
                          .max_eqs = 1024,
                          .max_pt_index = 64,
                          .max_iovecs = 1024,
                          .max_list_size = 1024,
                          .max_triggered_ops = 1024,
                          .max_msg_size = 1ULL << 47,
                          .max_atomic_size = 1ULL << 47,
                          .max_fetch_atomic_size = 1ULL << 47};
  ptl_ni_limits_t have;
  ptl_pt_index_t pt;
  int total = (job_size - 1) * EACH, large = (job_size - 1) * LARGE, *board = job_board;
  CHECK(PtlInit());
  CHECK(PtlNIInit(PTL_IFACE_DEFAULT, PTL_NI_MATCHING | PTL_NI_PHYSICAL, PTL_PID_ANY, &want, &have,
                  &ni));
  for (int i = 0; i < 3; ++i) CHECK(PtlEQAlloc(ni, 4096, &queues[i]));
  CHECK(PtlPTAlloc(ni, PTL_PT_ONLY_TRUNCATE, queues[0], PORTAL, &pt));
  REQUIRE_EQUAL(pt, PORTAL);
  send_md = whole_memory(ni, PTL_MD_EVENT_SEND_DISABLE, queues[1], PTL_CT_NONE);
  get_md = whole_memory(ni, 0, queues[2], PTL_CT_NONE);
  for (int i = 0; i < BLOCKS; ++i) {
    blocks[i].memory = malloc(BLOCK_BYTES);
    block_post(&blocks[i]);
  }
  job_publish(ni);
  for (uint32_t i = 0; i < EACH; ++i) {
    for (int k = 1; k < job_size; ++k) {
      int to = (job_rank + k) % job_size;
      send_data(to, i);
      if (i % (EACH / LARGE) == 0) offer(to, i / (EACH / LARGE));
    }
    if (i % 8 == 0) progress(0);
  }
  job_step("all messages", __FILE__, __LINE__);
  for (;;) {
    int here = 0, here_large = 0;
    for (int r = 0; r < job_size; ++r) {
      here += handled[r];
      here_large += handled_large[r];
    }
    if (here == total && here_large == large && offered_done == large && gets_seen == large &&
        flying == 0)
      break;
    progress(10);
  }
  __atomic_add_fetch(board, 1, __ATOMIC_SEQ_CST);
  /* others may still be refused here */
  while (__atomic_load_n(board, __ATOMIC_SEQ_CST) < job_size) progress(1);
  REQUIRE(posted_again > 0);
  job_barrier();
  other_users_entry();
  for (int i = 0; i < 3; ++i) {
    ptl_event_t event;
    EXPECT(PTL_EQ_EMPTY, PtlEQGet(queues[i], &event));
  }
  CHECK(PtlMDRelease(send_md));
  CHECK(PtlMDRelease(get_md));
  job_barrier();
  CHECK(PtlNIFini(ni));
  PtlFini();
}

int main(int argc, char **argv) {
  overflow = argc > 1 && strcmp(argv[1], "--overflow") == 0;
  if (overflow) argv[1] = argv[0];
  return job_main(argc - overflow, argv + overflow, overflow ? "btl --overflow" : "btl", PROCESSES,
                  60, body);
}
