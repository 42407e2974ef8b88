/* Tagged messages between two sides over Portals 4, as Open MPI's mtl makes them.
 *
 * Portal 12 receives messages, 13 serves the rest of long ones, 14 is for flow control. A receive
 * is a USE_ONCE entry on the priority list. On the overflow list, 32 MANAGE_LOCAL blocks take short
 * messages that come early, and an entry without memory takes long ones: of these only the header
 * stays, and the receiver gets the data when it is ready. When portal 12 disables itself, a tree of
 * triggered puts tells all processes. They let their sends end, take their events, enable the
 * portal, and send again what was refused. A deviation from what the interface promises ends the
 * process. */
#ifndef LINTEL_TESTS_CLIENTS4_MTL_LAYER_H
#define LINTEL_TESTS_CLIENTS4_MTL_LAYER_H

#include "exchange.h"

enum {
  RECEIVE = 12,
  READ = 13,
  FLOW = 14,
  SHORT = 2048,
  EAGER = 65536,
  FRAGMENT = 262144,
  BLOCKS = 32,
  BLOCK_BYTES = 32768,
  ANY = -1
};

/* in the match bits: protocol of the message, then 16 bits for the source, then the tag */
#define SHORT_MESSAGE (1ULL << 62)
#define LONG_MESSAGE (2ULL << 62)
#define PROTOCOL_BITS (3ULL << 62)

enum kind { SEND, RECEIVE_REQUEST, BLOCK, PROBE, ALERT, TRIGGER, RETRY };
struct request {
  enum kind kind;
  int done;
  int peer;
  uint32_t tag;
  char *buffer;
  size_t length; /* send: whole length; receive: room at first, then the length received */
  /* send */
  uint64_t sequence;
  int sent, acked, gets, gets_wanted;
  ptl_list_t list;
  ptl_hdr_data_t header;
  ptl_handle_me_t entry;
  /* receive */
  int linked, replies, replies_wanted;
  size_t message_length; /* of the sender */
  int from_overflow;
};
/* For those who wait for the answer to a search, or to a get of their own: the last answer, and how
 * many there were. */
struct answered {
  enum kind kind;
  int answers;
  ptl_event_t event;
};

/* set before mtl_start: processes are named by ranks, and all are known at the start */
extern int use_logical;
extern ptl_handle_ni_t ni;
extern ptl_handle_ct_t alert_ct; /* counts alerts: one for each round of flow control */
extern ptl_handle_md_t send_md, get_md;
extern struct answered probe, retry;
extern int outstanding;     /* messages without an answer yet */
extern int recycled;        /* blocks that came back */
extern int disabled_events; /* of portal 12 */
extern int rounds;          /* of flow control */

/* Opens the interface, and waits until all have. */
void mtl_start(void);

/* Both start an operation. `done` says when the memory may be used. from: a rank, or ANY. */
void send_start(struct request *s, int to, uint32_t tag, char *buffer, size_t length);
void receive_start(struct request *r, int from, uint32_t tag, char *buffer, size_t room);
/* Handles an event of a receive. Public for messages that a search took. */
void receive_event(struct request *r, const ptl_event_t *event);

/* Takes the available events, or waits for one a short time. */
void progress(void);
/* The same, and takes part in flow control. */
void advance(void);
void wait_all(struct request *requests, int count);
/* Barrier of all processes that handles events meanwhile. */
void meet(void);

ptl_process_t name_of(int rank);
int came_from(const ptl_event_t *event, int rank);
ptl_match_bits_t match_bits(ptl_match_bits_t protocol, int source, uint32_t tag);
size_t message_length(ptl_hdr_data_t header);

#endif
