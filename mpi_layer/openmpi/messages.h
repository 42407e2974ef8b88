#pragma once
// The messages of this process for the C sources of Open MPI's component: the station and its
// messenger as C functions. Ranks are those of MPI_COMM_WORLD.
//
// One for the process. lintel_open(), lintel_meet() and lintel_close() by one thread, in this
// order; the others between the latter two, by any thread. A text stays until the next one of the
// same thread.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LINTEL_ANY_SOURCE (-1)
#define LINTEL_ANY_TAG INT32_MIN  // matches tags from 0
#define LINTEL_MAX_TAG INT32_MAX
#define LINTEL_MAX_CONTEXT 0x0fffffff

// Room for one send or receive, at the same place from its start to its end. Needs no preparation.
#define LINTEL_TRANSFER_BYTES 192
struct lintel_transfer {
  uint64_t room[LINTEL_TRANSFER_BYTES / sizeof(uint64_t)];
};

enum lintel_ending {
  LINTEL_WELL,
  LINTEL_TRUNCATED,  // the message is longer than the buffer, which holds its beginning
  LINTEL_PEER_LOST,
  LINTEL_FAILED,
};

struct lintel_result {
  int32_t source;   // of a receive or a probe
  int32_t tag;      // likewise
  uint64_t length;  // of the message
  enum lintel_ending ending;
  bool cancelled;
};

// LINTEL_OPENMPI in the environment.
bool lintel_wanted(void);

// For a job of so many processes. Null, or a sentence that says why not; then as if it had not been
// called.
const char* lintel_open(uint32_t processes);
// What every other process of the job has to have from this one: a text. Null, with a sentence in
// `problem`.
const char* lintel_card(const char** problem);
// `cards` of all ranks. Null, or a sentence that says what does not fit. Nobody may send before all
// have met.
const char* lintel_meet(uint32_t rank, const char* const* cards, uint32_t ranks);
// Waits until what was sent is sure to arrive. Transfers that are under way are dropped. No effect
// when it is not open.
void lintel_close(void);

enum lintel_start {
  LINTEL_REFUSED,  // it is none that can be, and has not begun
  LINTEL_LEFT,     // it has ended well, which nobody will tell
  LINTEL_BEGUN,    // its end will be told by lintel_progress(), to any thread
};

enum lintel_start lintel_send(struct lintel_transfer* transfer, const void* buffer, uint64_t length,
                              int32_t destination, uint32_t context, int32_t tag, bool synchronous);
// False: as LINTEL_REFUSED. True: as LINTEL_BEGUN.
bool lintel_receive(struct lintel_transfer* transfer, void* buffer, uint64_t capacity,
                    int32_t source, uint32_t context, int32_t tag);
// No effect on one that has ended.
void lintel_cancel(struct lintel_transfer* transfer);

// Drives all that is under way. Transfers that have ended go to `ended`; returns how many. Does not
// sleep: the program may have other work between its calls. Where processes share processors it
// yields its own when nothing has come, unless `caller_yields`.
size_t lintel_progress(struct lintel_transfer** ended, size_t room, bool caller_yields);
// Of one that has ended.
struct lintel_result lintel_result_of(const struct lintel_transfer* transfer);

// True: there is a message that a receive would get. False: none; `result->ending` says whether
// there
// may be one yet (LINTEL_WELL). Drives nothing: looks at what lintel_progress() has taken in.
bool lintel_probe(int32_t source, uint32_t context, int32_t tag, struct lintel_result* result);
// The same, and takes it: for lintel_receive_taken(), which is to be called once. Null: as false.
struct lintel_message;
struct lintel_message* lintel_take(int32_t source, uint32_t context, int32_t tag,
                                   struct lintel_result* result);
bool lintel_receive_taken(struct lintel_transfer* transfer, struct lintel_message* message,
                          void* buffer, uint64_t capacity);

#ifdef __cplusplus
}
#endif
