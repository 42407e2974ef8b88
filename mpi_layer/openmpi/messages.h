#pragma once
// The station and its messenger as C functions, for the C sources of Open MPI's component. Ranks
// are those of MPI_COMM_WORLD.
//
// One per process. One thread calls lintel_open(), lintel_add_ranks() and lintel_close(), in this
// order. Any thread may call the other functions between the latter two. A returned text is valid
// until the next one of the same thread.

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

// Memory for one send or receive, which must not move from its start to its end. It needs no
// initialisation.
#define LINTEL_TRANSFER_BYTES 192
struct lintel_transfer {
  uint64_t room[LINTEL_TRANSFER_BYTES / sizeof(uint64_t)];
};

enum lintel_ending {
  LINTEL_WELL,
  LINTEL_TRUNCATED,  // the message is longer than the buffer, which has its beginning
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

// True if LINTEL_OPENMPI is set in the environment.
bool lintel_wanted(void);

// Opens the station for a job of `processes` processes. Returns null, or a sentence that says why
// it failed; then nothing is open.
const char* lintel_open(uint32_t processes);
// The text of this process that every other process of the job needs. Null: failed, with a sentence
// in `problem`.
const char* lintel_card(const char** problem);
// Adds all ranks of the job, whose texts are `cards`. Returns null, or a sentence that says what is
// wrong. No rank may send before all ranks have called it.
const char* lintel_add_ranks(uint32_t rank, const char* const* cards, uint32_t ranks);
// Waits until everything that was sent is certain to arrive. Transfers under way are dropped. No
// effect if it is not open.
void lintel_close(void);

enum lintel_start {
  LINTEL_REFUSED,  // the arguments are invalid; nothing has begun
  LINTEL_LEFT,     // it is complete; lintel_progress() will not report it
  LINTEL_BEGUN,    // lintel_progress() will report its end, in any thread
};

enum lintel_start lintel_send(struct lintel_transfer* transfer, const void* buffer, uint64_t length,
                              int32_t destination, uint32_t context, int32_t tag, bool synchronous);
// False: as LINTEL_REFUSED. True: as LINTEL_BEGUN.
bool lintel_receive(struct lintel_transfer* transfer, void* buffer, uint64_t capacity,
                    int32_t source, uint32_t context, int32_t tag);
// No effect on a transfer that has ended.
void lintel_cancel(struct lintel_transfer* transfer);

// Makes progress with everything that is under way. Writes transfers that have ended to `ended`;
// returns their number. Does not sleep, because the program may have other work between its calls.
// If processes share processors, it yields the processor when nothing has arrived, unless
// `caller_yields`.
size_t lintel_progress(struct lintel_transfer** ended, size_t room, bool caller_yields);
// The result of a transfer that has ended.
struct lintel_result lintel_result_of(const struct lintel_transfer* transfer);

// True: a receive would get a message now. False: there is none; `result->ending` is LINTEL_WELL if
// one may still arrive. Makes no progress: searches the messages that lintel_progress() has
// handled.
bool lintel_probe(int32_t source, uint32_t context, int32_t tag, struct lintel_result* result);
// The same, and takes the message, for which lintel_receive_taken() must be called once. Null: as
// false.
struct lintel_message;
struct lintel_message* lintel_take(int32_t source, uint32_t context, int32_t tag,
                                   struct lintel_result* result);
bool lintel_receive_taken(struct lintel_transfer* transfer, struct lintel_message* message,
                          void* buffer, uint64_t capacity);

#ifdef __cplusplus
}
#endif
