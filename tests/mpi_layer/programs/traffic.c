/* traffic SEED ROUNDS LARGEST: random messages between all ranks, in all modes, received with all
 * kinds of wildcards and probes, in two communicators. Each is checked by source, tag, length,
 * content and order. All ranks compute the same plan from the seed, so each knows what it will get,
 * but not in which order. */
#include <string.h>

#include "check.h"

enum { COMMUNICATORS = 2, TAGS = 3, MOST = 4096 };
enum { STANDARD, SYNCHRONOUS, BUFFERED, READY, MODES };
enum { BLOCKING, STARTED, PERSISTENT, WAYS };
enum { EXACT, ANY_SOURCE, ANY_TAG, ANY_OF_BOTH, STYLES };
enum { PROBE, MPROBE, IPROBE, IMPROBE, RECEIVE, FINDINGS };

typedef struct {
  int from, to, comm, tag, length, mode, way;
  int order; /* among those of this round that have the same source, destination, communicator and
                tag */
} message;

static MPI_Comm comms[COMMUNICATORS];
static unsigned long long state;
static message plan[MOST];
static int planned, largest;
static unsigned char attached[8 << 20];

/* All ranks that draw the same sequence get the same values. */
static unsigned draw(unsigned below) {
  state = state * 6364136223846793005ULL + 1442695040888963407ULL;
  return (unsigned)(state >> 33) % below;
}

static int draw_length(void) {
  switch (draw(8)) {
    case 0: return 0;
    case 1: return (draw(2) == 0 ? 16383 : 65535) + (int)draw(3);
    case 2: return (int)draw((unsigned)largest);
    case 3: return (int)draw(100000);
    default: return (int)draw(600);
  }
}

/* In rounds where receives are posted first, sends may block and may be ready sends. */
static void draw_plan(int posted_first) {
  int orders[COMMUNICATORS][TAGS];
  planned = 0;
  for (int from = 0; from < world_size; ++from) {
    for (int to = 0; to < world_size; ++to) {
      memset(orders, 0, sizeof orders);
      for (int count = (int)draw(4); count > 0 && planned < MOST; --count) {
        message* m = &plan[planned++];
        *m = (message){from,
                       to,
                       (int)draw(COMMUNICATORS),
                       (int)draw(TAGS),
                       draw_length(),
                       (int)draw(MODES),
                       (int)draw(WAYS),
                       0};
        m->order = orders[m->comm][m->tag]++;
        if (m->length > 65536 && m->mode == BUFFERED) m->mode = SYNCHRONOUS;
        if (m->mode == READY && !posted_first) m->mode = STANDARD;
        if (m->way == BLOCKING && !posted_first && m->mode != BUFFERED) m->way = STARTED;
      }
    }
  }
}

static unsigned char content(const message* m, int i) {
  return (unsigned char)(m->from * 7 + m->to * 31 + m->comm * 101 + m->tag * 57 + m->order * 13 +
                         i + (i >> 8) * 3);
}

/* ---- Sending ---- */

typedef int send_call(const void*, int, MPI_Datatype, int, int, MPI_Comm);
typedef int begin_call(const void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*);
static send_call* const sends[MODES] = {MPI_Send, MPI_Ssend, MPI_Bsend, MPI_Rsend};
static begin_call* const starts[MODES] = {MPI_Isend, MPI_Issend, MPI_Ibsend, MPI_Irsend};
static begin_call* const inits[MODES] = {MPI_Send_init, MPI_Ssend_init, MPI_Bsend_init,
                                         MPI_Rsend_init};

static MPI_Request sent[MOST];
static unsigned char* sent_bytes[MOST];
static int sent_count;

static void send_all(void) {
  sent_count = 0;
  for (int i = 0; i < planned; ++i) {
    const message* m = &plan[i];
    if (m->from != world_rank) continue;
    unsigned char* bytes = malloc((size_t)m->length + 1);
    for (int k = 0; k < m->length; ++k) bytes[k] = content(m, k);
    MPI_Request* request = &sent[sent_count];
    sent_bytes[sent_count++] = bytes;
    *request = MPI_REQUEST_NULL;
    if (m->way == BLOCKING) {
      CHECK(sends[m->mode](bytes, m->length, MPI_BYTE, m->to, m->tag, comms[m->comm]) ==
            MPI_SUCCESS);
      memset(bytes, 0xee, (size_t)m->length); /* the program may use it again */
    } else {
      begin_call* const begin_it = m->way == STARTED ? starts[m->mode] : inits[m->mode];
      CHECK(begin_it(bytes, m->length, MPI_BYTE, m->to, m->tag, comms[m->comm], request) ==
            MPI_SUCCESS);
      if (m->way == PERSISTENT) CHECK(MPI_Start(request) == MPI_SUCCESS);
    }
  }
}

static void finish_sends(void) {
  CHECK(MPI_Waitall(sent_count, sent, MPI_STATUSES_IGNORE) == MPI_SUCCESS);
  for (int i = 0; i < sent_count; ++i) {
    if (sent[i] != MPI_REQUEST_NULL) CHECK(MPI_Request_free(&sent[i]) == MPI_SUCCESS);
    free(sent_bytes[i]);
  }
}

/* ---- Receiving ---- */

/* What this rank gets in one round on one communicator: the receives for it, in the order in which
 * they were posted or made. */
typedef struct {
  int count, capacity, style;
  int sources[MOST], tags[MOST]; /* which call completes the receives */
  MPI_Request requests[MOST];
  MPI_Status statuses[MOST];
  unsigned char* bytes[MOST];
} inbox;
static inbox inboxes[COMMUNICATORS];

static void open_inbox(int comm, int style) {
  inbox* in = &inboxes[comm];
  in->count = in->capacity = 0;
  in->style = style;
  for (int i = 0; i < planned; ++i) {
    const message* m = &plan[i];
    if (m->to != world_rank || m->comm != comm) continue;
    in->sources[in->count] = style == ANY_SOURCE || style == ANY_OF_BOTH ? MPI_ANY_SOURCE : m->from;
    in->tags[in->count++] = style == ANY_TAG || style == ANY_OF_BOTH ? MPI_ANY_TAG : m->tag;
    if (m->length > in->capacity) in->capacity = m->length;
  }
  for (int i = 0; i < in->count; ++i) in->bytes[i] = malloc((size_t)in->capacity + 1);
}

static void post_receives(int comm) {
  inbox* in = &inboxes[comm];
  for (int i = 0; i < in->count; ++i) {
    if (i % 3 == 2) {
      CHECK(MPI_Recv_init(in->bytes[i], in->capacity, MPI_BYTE, in->sources[i], in->tags[i],
                          comms[comm], &in->requests[i]) == MPI_SUCCESS);
      CHECK(MPI_Start(&in->requests[i]) == MPI_SUCCESS);
    } else {
      CHECK(MPI_Irecv(in->bytes[i], in->capacity, MPI_BYTE, in->sources[i], in->tags[i],
                      comms[comm], &in->requests[i]) == MPI_SUCCESS);
    }
  }
}

static void finish_receives(int comm, unsigned how) {
  inbox* in = &inboxes[comm];
  int done = 0, flag = 0, index, indices[64];
  MPI_Status some[64];
  switch (how) {
    case 0: CHECK(MPI_Waitall(in->count, in->requests, in->statuses) == MPI_SUCCESS); break;
    case 1:
      while (!flag) CHECK(MPI_Testall(in->count, in->requests, &flag, in->statuses) == MPI_SUCCESS);
      break;
    case 2:
      for (; done < in->count; ++done) {
        MPI_Status status;
        CHECK(MPI_Waitany(in->count, in->requests, &index, &status) == MPI_SUCCESS &&
              index != MPI_UNDEFINED);
        in->statuses[index] = status;
      }
      break;
    default: /* no more than 64 at once */
      for (int first = 0; first < in->count; first += 64) {
        const int count = in->count - first < 64 ? in->count - first : 64;
        for (done = 0; done < count; done += index) {
          CHECK(MPI_Waitsome(count, in->requests + first, &index, indices, some) == MPI_SUCCESS &&
                index > 0);
          for (int i = 0; i < index; ++i) in->statuses[first + indices[i]] = some[i];
        }
      }
  }
  for (int i = 0; i < in->count; ++i) {
    if (in->requests[i] != MPI_REQUEST_NULL)
      CHECK(MPI_Request_free(&in->requests[i]) == MPI_SUCCESS);
  }
}

/* The i-th receive of an inbox, for a message that has been sent before. */
static void find_one(int comm, int i, unsigned how) {
  inbox* in = &inboxes[comm];
  const int source = in->sources[i], tag = in->tags[i];
  int flag = 0, length = -1;
  MPI_Status found;
  MPI_Message handle;
  MPI_Request request;
  switch (how) {
    case PROBE: CHECK(MPI_Probe(source, tag, comms[comm], &found) == MPI_SUCCESS); break;
    case IPROBE:
      while (!flag) CHECK(MPI_Iprobe(source, tag, comms[comm], &flag, &found) == MPI_SUCCESS);
      break;
    case MPROBE: CHECK(MPI_Mprobe(source, tag, comms[comm], &handle, &found) == MPI_SUCCESS); break;
    case IMPROBE:
      while (!flag)
        CHECK(MPI_Improbe(source, tag, comms[comm], &flag, &handle, &found) == MPI_SUCCESS);
      break;
    default:
      CHECK(MPI_Recv(in->bytes[i], in->capacity, MPI_BYTE, source, tag, comms[comm],
                     &in->statuses[i]) == MPI_SUCCESS);
      return;
  }
  CHECK(MPI_Get_count(&found, MPI_BYTE, &length) == MPI_SUCCESS && length >= 0 &&
        length <= in->capacity);
  if (how == PROBE || how == IPROBE) {
    CHECK(MPI_Recv(in->bytes[i], length, MPI_BYTE, found.MPI_SOURCE, found.MPI_TAG, comms[comm],
                   &in->statuses[i]) == MPI_SUCCESS);
  } else if (how == MPROBE) {
    CHECK(MPI_Mrecv(in->bytes[i], length, MPI_BYTE, &handle, &in->statuses[i]) == MPI_SUCCESS &&
          handle == MPI_MESSAGE_NULL);
  } else {
    CHECK(MPI_Imrecv(in->bytes[i], length, MPI_BYTE, &handle, &request) == MPI_SUCCESS &&
          handle == MPI_MESSAGE_NULL);
    CHECK(MPI_Wait(&request, &in->statuses[i]) == MPI_SUCCESS);
  }
  CHECK(in->statuses[i].MPI_SOURCE == found.MPI_SOURCE && in->statuses[i].MPI_TAG == found.MPI_TAG);
}

/* Messages of one source and tag came in the order in which they were sent. Returns the number of
 * bytes. */
static long long check_inbox(int comm) {
  inbox* in = &inboxes[comm];
  static int orders[64][TAGS];
  memset(orders, 0, sizeof orders);
  long long bytes = 0;
  for (int i = 0; i < in->count; ++i) {
    const int source = in->statuses[i].MPI_SOURCE, tag = in->statuses[i].MPI_TAG;
    int length = -1;
    CHECK(MPI_Get_count(&in->statuses[i], MPI_BYTE, &length) == MPI_SUCCESS);
    CHECK(source >= 0 && source < world_size && tag >= 0 && tag < TAGS);
    const int order = orders[source][tag]++;
    const message* m = NULL;
    for (int k = 0; k < planned && !m; ++k) {
      const message* it = &plan[k];
      if (it->from == source && it->to == world_rank && it->comm == comm && it->tag == tag &&
          it->order == order)
        m = it;
    }
    CHECK(m != NULL && m->length == length);
    for (int k = 0; k < length; ++k) CHECK(in->bytes[i][k] == content(m, k));
    bytes += length;
    free(in->bytes[i]);
  }
  return bytes;
}

int main(int argc, char** argv) {
  begin();
  CHECK(argc == 4 && world_size <= 64);
  state = strtoull(argv[1], NULL, 10);
  largest = atoi(argv[3]);
  long long totals[4] = {0, 0, 0, 0}; /* messages and bytes, sent and received */
  for (int i = 0; i < COMMUNICATORS; ++i)
    CHECK(MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]) == MPI_SUCCESS);
  CHECK(MPI_Buffer_attach(attached, sizeof attached) == MPI_SUCCESS);
  for (int round = 0; round < atoi(argv[2]); ++round) {
    const int posted_first = draw(2) == 0;
    const unsigned how = draw(4), finding = draw(FINDINGS);
    draw_plan(posted_first);
    for (int i = 0; i < COMMUNICATORS; ++i) open_inbox(i, (int)draw(STYLES));
    if (posted_first) {
      for (int i = 0; i < COMMUNICATORS; ++i) post_receives(i);
      CHECK(MPI_Barrier(MPI_COMM_WORLD) == MPI_SUCCESS); /* for the ready sends */
    }
    send_all();
    for (int i = 0; i < COMMUNICATORS; ++i) {
      if (posted_first) finish_receives(i, how);
      for (int k = 0; k < inboxes[i].count && !posted_first; ++k) find_one(i, k, finding);
      totals[2] += inboxes[i].count;
      totals[3] += check_inbox(i);
    }
    finish_sends();
    for (int i = 0; i < planned; ++i) {
      totals[0] += plan[i].from == world_rank;
      totals[1] += plan[i].from == world_rank ? plan[i].length : 0;
    }
    /* so that wildcards of this round do not receive messages of the next */
    CHECK(MPI_Barrier(MPI_COMM_WORLD) == MPI_SUCCESS);
  }
  void* detached;
  int size, flag;
  CHECK(MPI_Buffer_detach(&detached, &size) == MPI_SUCCESS && detached == attached);
  CHECK(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comms[0], &flag, MPI_STATUS_IGNORE) ==
            MPI_SUCCESS &&
        !flag);
  long long all[4];
  CHECK(MPI_Allreduce(totals, all, 4, MPI_LONG_LONG, MPI_SUM, MPI_COMM_WORLD) == MPI_SUCCESS);
  CHECK(all[0] == all[2] && all[1] == all[3]);
  if (world_rank == 0)
    printf("traffic: %d ranks, seed %s: %lld messages, %lld bytes\n", world_size, argv[1], all[0],
           all[1]);
  for (int i = 0; i < COMMUNICATORS; ++i) CHECK(MPI_Comm_free(&comms[i]) == MPI_SUCCESS);
  MPI_Finalize();
  return 0;
}
