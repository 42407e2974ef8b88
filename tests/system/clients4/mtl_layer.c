#include <stdlib.h>
#include <string.h>

#include "mtl_layer.h"

/* of portal 14 */
static const ptl_match_bits_t trigger_bits = 1, alert_bits = 2, fan_in_bits = 3, fan_out_bits = 4;

static struct block {
  enum kind kind;
  int linked, unlinked;
  char *memory;
} blocks[BLOCKS];
struct answered probe = {.kind = PROBE}, retry = {.kind = RETRY};
static struct { enum kind kind; } alert = {ALERT}, trigger = {TRIGGER};

ptl_handle_ni_t ni;
static ptl_handle_eq_t queues[2]; /* send, receive */
ptl_handle_ct_t alert_ct;
ptl_handle_md_t send_md, get_md;
static ptl_handle_ct_t trigger_ct, fan_in_ct, fan_out_ct;
static ptl_handle_md_t zero_md;
static uint64_t sequence;
int outstanding, recycled, disabled_events, rounds;
static int triggered, alerted, recovering;
static ptl_size_t barriers;
static struct request *refused[4096];
static int refused_count;

int use_logical;

/* As the interface names a process. */
ptl_process_t name_of(int rank) {
  ptl_process_t name = job_names[rank];
  if (use_logical) {
    memset(&name, 0, sizeof name);
    name.rank = (ptl_rank_t)rank;
  }
  return name;
}

static ptl_process_t anyone(void) {
  ptl_process_t name;
  memset(&name, 0, sizeof name);
  if (use_logical) {
    name.rank = PTL_RANK_ANY;
  } else {
    name.phys.nid = PTL_NID_ANY;
    name.phys.pid = PTL_PID_ANY;
  }
  return name;
}

int came_from(const ptl_event_t *event, int rank) {
  ptl_process_t name = name_of(rank);
  if (use_logical) return event->initiator.rank == name.rank;
  return event->initiator.phys.nid == name.phys.nid && event->initiator.phys.pid == name.phys.pid;
}

static int children(void) { return (2 * job_rank + 1 < job_size) + (2 * job_rank + 2 < job_size); }
static int child(int i) { return 2 * job_rank + 1 + i; }
static int parent(void) { return (job_rank - 1) / 2; }

ptl_match_bits_t match_bits(ptl_match_bits_t protocol, int source, uint32_t tag) {
  return protocol | (ptl_match_bits_t)(unsigned int)source << 32 | tag;
}
size_t message_length(ptl_hdr_data_t header) { return (size_t)(header & 0xffffffffffffULL); }
static int gets_for(size_t rest) {
  return rest <= FRAGMENT ? 1 : (int)((rest + FRAGMENT - 1) / FRAGMENT);
}

static void block_append(struct block *b) {
  ptl_handle_me_t handle;
  ptl_me_t me = {
      .start = b->memory,
      .length = BLOCK_BYTES,
      .ct_handle = PTL_CT_NONE,
      .uid = PTL_UID_ANY,
      .options = PTL_ME_OP_PUT | PTL_ME_MANAGE_LOCAL | PTL_ME_MAY_ALIGN | PTL_ME_EVENT_COMM_DISABLE,
      .match_bits = SHORT_MESSAGE,
      .ignore_bits = ~PROTOCOL_BITS,
      .min_free = SHORT};
  me.match_id = anyone();
  b->linked = b->unlinked = 0;
  CHECK(PtlMEAppend(ni, RECEIVE, &me, PTL_OVERFLOW_LIST, b, &handle));
}

/* A zero-length entry for a signal of flow control, which counts. */
static void signal_append(ptl_match_bits_t bits, unsigned int options, ptl_handle_ct_t ct,
                          void *user) {
  ptl_handle_me_t handle;
  ptl_me_t me = {.start = NULL,
                 .length = 0,
                 .ct_handle = ct,
                 .uid = PTL_UID_ANY,
                 .options = PTL_ME_OP_PUT | PTL_ME_EVENT_LINK_DISABLE |
                            PTL_ME_EVENT_UNLINK_DISABLE | PTL_ME_EVENT_CT_COMM | options,
                 .match_bits = bits};
  me.match_id = anyone();
  CHECK(PtlMEAppend(ni, FLOW, &me, PTL_PRIORITY_LIST, user, &handle));
}

static void signal_when(ptl_handle_ct_t ct, ptl_size_t count, int who, ptl_match_bits_t bits) {
  CHECK(PtlTriggeredPut(zero_md, 0, 0, PTL_NO_ACK_REQ, name_of(who), FLOW, bits, 0, NULL, 0, ct,
                        count));
}

/* The tree of the next alert: process 0 alerts itself on the first trigger, each process alerts its
 * children. */
static void arm_alert(void) {
  if (job_rank == 0) signal_when(trigger_ct, 1, 0, alert_bits);
  for (int i = 0; i < children(); ++i)
    signal_when(alert_ct, (ptl_size_t)rounds + 1, child(i), alert_bits);
}

static void tree_barrier(void) {
  const ptl_ct_event_t one = {1, 0}, zero = {0, 0};
  ptl_size_t here = ++barriers * (ptl_size_t)(children() + 1);
  if (job_rank == 0) {
    /* before any process continues */
    if (barriers % 2 == 0) CHECK(PtlTriggeredCTSet(trigger_ct, zero, fan_in_ct, here));
    signal_when(fan_in_ct, here, 0, fan_out_bits);
  } else {
    signal_when(fan_in_ct, here, parent(), fan_in_bits);
  }
  for (int i = 0; i < children(); ++i) signal_when(fan_out_ct, barriers, child(i), fan_out_bits);
  CHECK(PtlCTInc(fan_in_ct, one));
  count_wait(fan_out_ct, barriers);
}

static void send_again(struct request *s) {
  size_t put = s->length <= EAGER ? s->length : SHORT;
  ptl_match_bits_t protocol = s->length <= SHORT ? SHORT_MESSAGE : LONG_MESSAGE;
  s->sent = 0;
  ++outstanding;
  CHECK(PtlPut(send_md, address(s->buffer), put, PTL_ACK_REQ, name_of(s->peer), RECEIVE,
               match_bits(protocol, job_rank, s->tag), 0, s, s->header));
}

static void refuse(struct request *s) {
  REQUIRE(refused_count < (int)(sizeof refused / sizeof refused[0]));
  refused[refused_count++] = s;
}

void send_start(struct request *s, int to, uint32_t tag, char *buffer, size_t length) {
  memset(s, 0, sizeof *s);
  s->kind = SEND;
  s->peer = to;
  s->tag = tag;
  s->buffer = buffer;
  s->length = length;
  s->sequence = sequence++;
  s->header = (s->sequence & 0x3fff) << 48 | length;
  if (length > SHORT) {
    ptl_me_t me = {
        .start = buffer,
        .length = length,
        .ct_handle = PTL_CT_NONE,
        .uid = PTL_UID_ANY,
        .options = PTL_ME_OP_GET | PTL_ME_EVENT_LINK_DISABLE | PTL_ME_EVENT_UNLINK_DISABLE,
        .match_id = name_of(to),
        .match_bits = s->header};
    CHECK(PtlMEAppend(ni, READ, &me, PTL_PRIORITY_LIST, s, &s->entry));
  }
  if (recovering || refused_count > 0) {
    refuse(s); /* not before the refused ones */
  } else {
    send_again(s);
  }
}

void receive_start(struct request *r, int from, uint32_t tag, char *buffer, size_t room) {
  memset(r, 0, sizeof *r);
  r->kind = RECEIVE_REQUEST;
  r->peer = from;
  r->tag = tag;
  r->buffer = buffer;
  r->length = room;
  ptl_me_t me = {.start = buffer,
                 .length = room,
                 .ct_handle = PTL_INVALID_HANDLE,
                 .uid = PTL_UID_ANY,
                 .options = PTL_ME_OP_PUT | PTL_ME_USE_ONCE | PTL_ME_EVENT_UNLINK_DISABLE |
                            (room <= SHORT ? PTL_ME_EVENT_LINK_DISABLE : 0U),
                 .match_bits = match_bits(0, from == ANY ? 0 : from, tag),
                 .ignore_bits = PROTOCOL_BITS | (from == ANY ? 0xffffULL << 32 : 0),
                 .min_free = 0x5555};
  me.match_id = from == ANY ? anyone() : name_of(from);
  CHECK(PtlMEAppend(ni, RECEIVE, &me, PTL_PRIORITY_LIST, r, &r->entry));
}

/* The message of `event`, with mlength bytes in the buffer. */
static void receive_message(struct request *r, const ptl_event_t *event, size_t here) {
  int source = (int)((event->match_bits >> 32) & 0xffff);
  int is_long = (event->match_bits & PROTOCOL_BITS) == LONG_MESSAGE;
  r->message_length = message_length(event->hdr_data);
  REQUIRE(came_from(event, source));
  REQUIRE_EQUAL(event->match_bits & 0xffffffff, r->tag);
  REQUIRE(r->peer == ANY || r->peer == source);
  REQUIRE_EQUAL(event->pt_index, RECEIVE);
  REQUIRE_EQUAL(event->rlength, r->message_length <= EAGER ? r->message_length : SHORT);
  REQUIRE_EQUAL(is_long, r->message_length > SHORT);
  r->peer = source;
  if (!is_long || (!r->from_overflow && r->message_length <= EAGER)) {
    r->length = here;
    r->done = 1;
    return;
  }
  r->replies_wanted = gets_for(r->message_length - here);
  size_t room = r->length < r->message_length ? r->length : r->message_length;
  size_t offset = here;
  for (int i = 0; i < r->replies_wanted; ++i) {
    size_t length = offset >= room ? 0 : room - offset < FRAGMENT ? room - offset : FRAGMENT;
    CHECK(PtlGet(get_md, address(r->buffer) + offset, length, event->initiator, READ,
                 event->hdr_data, offset, r));
    offset += length;
  }
  r->length = room;
}

static void send_event(struct request *s, const ptl_event_t *event) {
  if (event->type == PTL_EVENT_SEND) {
    REQUIRE(!s->sent && event->ni_fail_type == PTL_NI_OK);
    s->sent = 1;
  } else if (event->type == PTL_EVENT_ACK) {
    REQUIRE(s->sent && !s->acked); /* SEND comes first, each once */
    --outstanding;
    if (event->ni_fail_type == PTL_NI_PT_DISABLED) {
      if (!triggered && !alerted && !recovering) {
        triggered = 1;
        ++outstanding;
        CHECK(PtlPut(send_md, 0, 0, PTL_ACK_REQ, name_of(0), FLOW, trigger_bits, 0, &trigger, 0));
      }
      refuse(s);
      return;
    }
    REQUIRE_EQUAL(event->ni_fail_type, PTL_NI_OK);
    s->acked = 1;
    s->list = event->ptl_list;
    if (s->length > SHORT) {
      if (s->list == PTL_OVERFLOW_LIST) REQUIRE_EQUAL(event->mlength, 0);
      s->gets_wanted = s->list == PTL_PRIORITY_LIST && s->length <= EAGER
                           ? 0
                           : gets_for(s->length - event->mlength);
    }
  } else {
    REQUIRE(event->type == PTL_EVENT_GET && event->ni_fail_type == PTL_NI_OK &&
            event->pt_index == READ);
    REQUIRE(event->start == s->buffer + event->remote_offset && event->match_bits == s->header);
    ++s->gets;
  }
  if (s->done || !s->acked || s->gets < s->gets_wanted) return;
  /* the event of the last get permits unlinking */
  if (s->length > SHORT) CHECK(PtlMEUnlink(s->entry));
  s->done = 1;
}

void receive_event(struct request *r, const ptl_event_t *event) {
  REQUIRE_EQUAL(event->ni_fail_type, PTL_NI_OK);
  if (event->type == PTL_EVENT_LINK) {
    REQUIRE(!r->linked && !r->done && r->length > SHORT);
    r->linked = 1;
  } else if (event->type == PTL_EVENT_PUT) {
    REQUIRE(event->ptl_list == PTL_PRIORITY_LIST && event->start == r->buffer &&
            (r->linked || r->length <= SHORT));
    REQUIRE_EQUAL(event->mlength, event->rlength < r->length ? event->rlength : r->length);
    receive_message(r, event, (size_t)event->mlength);
  } else if (event->type == PTL_EVENT_PUT_OVERFLOW) {
    REQUIRE(event->ptl_list == PTL_OVERFLOW_LIST && !r->linked);
    size_t here = event->mlength < r->length ? (size_t)event->mlength : r->length;
    r->from_overflow = 1;
    if ((event->match_bits & PROTOCOL_BITS) == SHORT_MESSAGE)
      REQUIRE_EQUAL(event->mlength, event->rlength);
    if (here > 0) memcpy(r->buffer, event->start, here);
    receive_message(r, event, here);
  } else {
    REQUIRE(event->type == PTL_EVENT_REPLY && event->ptl_list == PTL_PRIORITY_LIST);
    if (++r->replies == r->replies_wanted) r->done = 1;
  }
}

static void block_event(struct block *b, const ptl_event_t *event) {
  if (event->type == PTL_EVENT_LINK) {
    REQUIRE(!b->linked);
    b->linked = 1;
  } else if (event->type == PTL_EVENT_AUTO_UNLINK) {
    REQUIRE(b->linked && !b->unlinked);
    b->unlinked = 1;
  } else {
    REQUIRE(event->type == PTL_EVENT_AUTO_FREE && b->unlinked);
    ++recycled;
    memset(b->memory, 0xdd, BLOCK_BYTES); /* nobody needs it any more */
    block_append(b);
  }
}

static int take_event(ptl_time_t timeout) {
  ptl_event_t event;
  unsigned int which;
  int code = PtlEQPoll(queues, 2, timeout, &event, &which);
  if (code == PTL_EQ_EMPTY) return 0;
  /* in Open MPI, PTL_EQ_DROPPED would end the job */
  job_check(code, PTL_OK, "PtlEQPoll", __FILE__, __LINE__);
  if (event.type == PTL_EVENT_PT_DISABLED) {
    REQUIRE(event.pt_index == RECEIVE && event.ni_fail_type == PTL_NI_PT_DISABLED && which == 1);
    ++disabled_events;
    return 1;
  }
  switch (*(enum kind *)event.user_ptr) {
    case SEND: send_event(event.user_ptr, &event); break;
    case RECEIVE_REQUEST: receive_event(event.user_ptr, &event); break;
    case BLOCK: block_event(event.user_ptr, &event); break;
    case PROBE: probe.event = event; ++probe.answers; break;
    case RETRY: retry.event = event; ++retry.answers; break;
    case TRIGGER:
      if (event.type == PTL_EVENT_ACK) --outstanding;
      break;
    case ALERT:
      REQUIRE(event.type == PTL_EVENT_PUT && event.pt_index == FLOW && !alerted);
      alerted = 1;
      break;
  }
  return 1;
}

static int by_sequence(const void *a, const void *b) {
  uint64_t x = (*(struct request *const *)a)->sequence, y = (*(struct request *const *)b)->sequence;
  return x < y ? -1 : x > y;
}

static void recover(void) {
  struct request *again[sizeof refused / sizeof refused[0]];
  int count;
  recovering = 1;
  while (outstanding > 0) take_event(10);
  tree_barrier(); /* nobody sends any more */
  while (take_event(0)) continue;
  CHECK(PtlPTEnable(ni, RECEIVE));
  ++rounds;
  triggered = alerted = 0;
  tree_barrier(); /* everybody takes messages */
  arm_alert();
  recovering = 0;
  count = refused_count;
  refused_count = 0;
  memcpy(again, refused, (size_t)count * sizeof *again);
  qsort(again, (size_t)count, sizeof *again, by_sequence);
  for (int i = 0; i < count; ++i) send_again(again[i]);
}

void progress(void) {
  if (!take_event(1)) return;
  while (take_event(0)) continue;
}

void advance(void) {
  progress();
  if (alerted) recover();
}

void wait_all(struct request *requests, int count) {
  job_step("wait_all", __FILE__, __LINE__);
  for (int i = 0; i < count; ++i) {
    while (!requests[i].done) advance();
  }
}

/* Barrier of all processes. Takes part in flow control meanwhile. */
void meet(void) {
  static unsigned int meetings;
  unsigned int *arrived = job_board;
  unsigned int all = ++meetings * (unsigned int)job_size;
  __atomic_add_fetch(arrived, 1, __ATOMIC_SEQ_CST);
  job_step("meet", __FILE__, __LINE__);
  while (__atomic_load_n(arrived, __ATOMIC_SEQ_CST) < all) advance();
}

void mtl_start(void) {
  ptl_ni_limits_t want = {.max_entries = 8192,
                          .max_unexpected_headers = 8192,
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
  ptl_ni_limits_t have;
  ptl_pt_index_t pt;
  ptl_handle_me_t handle;
  CHECK(PtlInit());
  CHECK(PtlNIInit(PTL_IFACE_DEFAULT,
                  PTL_NI_MATCHING | (use_logical ? PTL_NI_LOGICAL : PTL_NI_PHYSICAL), PTL_PID_ANY,
                  &want, &have, &ni));
  REQUIRE_EQUAL(have.max_entries, 8192);
  job_publish(ni);
  if (use_logical) CHECK(PtlSetMap(ni, (ptl_size_t)job_size, job_names));
  CHECK(PtlEQAlloc(ni, 8192, &queues[0]));
  /* a flood of messages fills it; own appends must not, because their events are never refused */
  CHECK(PtlEQAlloc(ni, 1024, &queues[1]));
  CHECK(PtlPTAlloc(ni, PTL_PT_ONLY_USE_ONCE | PTL_PT_ONLY_TRUNCATE | PTL_PT_FLOWCTRL, queues[1],
                   RECEIVE, &pt));
  REQUIRE_EQUAL(pt, RECEIVE);
  CHECK(PtlPTAlloc(ni, PTL_PT_ONLY_USE_ONCE | PTL_PT_ONLY_TRUNCATE, queues[0], READ, &pt));
  REQUIRE_EQUAL(pt, READ);
  CHECK(PtlPTAlloc(ni, PTL_PT_ONLY_TRUNCATE, queues[0], FLOW, &pt));
  REQUIRE_EQUAL(pt, FLOW);
  send_md = whole_memory(ni, 0, queues[0], PTL_CT_NONE);
  get_md = whole_memory(ni, 0, queues[0], PTL_CT_NONE);
  ptl_md_t nothing = {
      .start = NULL, .length = 0, .options = 0, .eq_handle = PTL_EQ_NONE, .ct_handle = PTL_CT_NONE};
  CHECK(PtlMDBind(ni, &nothing, &zero_md));
  CHECK(PtlCTAlloc(ni, &trigger_ct));
  CHECK(PtlCTAlloc(ni, &alert_ct));
  CHECK(PtlCTAlloc(ni, &fan_in_ct));
  CHECK(PtlCTAlloc(ni, &fan_out_ct));
  signal_append(trigger_bits, PTL_ME_EVENT_COMM_DISABLE, trigger_ct, NULL);
  signal_append(alert_bits, PTL_ME_ACK_DISABLE, alert_ct, &alert);
  signal_append(fan_in_bits, PTL_ME_EVENT_COMM_DISABLE | PTL_ME_ACK_DISABLE, fan_in_ct, NULL);
  signal_append(fan_out_bits, PTL_ME_EVENT_COMM_DISABLE | PTL_ME_ACK_DISABLE, fan_out_ct, NULL);
  ptl_me_t long_me = {.start = NULL,
                      .length = 0,
                      .ct_handle = PTL_CT_NONE,
                      .uid = PTL_UID_ANY,
                      .options = PTL_ME_OP_PUT | PTL_ME_EVENT_LINK_DISABLE |
                                 PTL_ME_EVENT_COMM_DISABLE | PTL_ME_EVENT_UNLINK_DISABLE,
                      .match_bits = LONG_MESSAGE,
                      .ignore_bits = ~PROTOCOL_BITS};
  long_me.match_id = anyone();
  CHECK(PtlMEAppend(ni, RECEIVE, &long_me, PTL_OVERFLOW_LIST, NULL, &handle));
  for (int i = 0; i < BLOCKS; ++i) {
    blocks[i].kind = BLOCK;
    blocks[i].memory = malloc(BLOCK_BYTES);
    block_append(&blocks[i]);
  }
  arm_alert();
  job_barrier();
}
