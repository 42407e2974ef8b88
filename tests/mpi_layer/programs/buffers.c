/* Buffered sends have the room that the program has attached, and no more. */
#include <string.h>

#include "check.h"

enum { kLong = 200000 }; /* more than can be sent at once */
static char out[kLong], in[kLong];

/* A message to oneself stays in the buffer until it is received. */
static void leave(char value, int tag) {
  memset(out, value, kLong);
  CHECK(MPI_Bsend(out, kLong, MPI_CHAR, world_rank, tag, MPI_COMM_WORLD) == MPI_SUCCESS);
  memset(out, 0, kLong);
}

static void fetch(char value, int tag) {
  memset(in, 0, kLong);
  CHECK(MPI_Recv(in, kLong, MPI_CHAR, world_rank, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE) ==
        MPI_SUCCESS);
  for (int i = 0; i < kLong; ++i) CHECK(in[i] == value);
}

static void room_is_what_was_attached(void) {
  static char buffer[2 * (kLong + MPI_BSEND_OVERHEAD)];
  void* detached = NULL;
  int size = -1;
  MPI_Request request;
  /* nothing is attached */
  CHECK(MPI_Bsend(out, 1, MPI_CHAR, world_rank, 1, MPI_COMM_WORLD) == MPI_ERR_BUFFER);
  CHECK(MPI_Bsend(out, 1, MPI_CHAR, MPI_PROC_NULL, 1, MPI_COMM_WORLD) == MPI_SUCCESS);
  CHECK(MPI_Buffer_attach(buffer, -1) == MPI_ERR_ARG);
  CHECK(MPI_Buffer_attach(NULL, 1) == MPI_ERR_BUFFER);
  CHECK(MPI_Buffer_attach(buffer, sizeof buffer) == MPI_SUCCESS);
  CHECK(MPI_Buffer_attach(buffer, sizeof buffer) == MPI_ERR_BUFFER);
  for (int round = 0; round < 3; ++round) {
    leave('a', 1);
    leave('b', 2);
    CHECK(MPI_Bsend(out, kLong, MPI_CHAR, world_rank, 3, MPI_COMM_WORLD) == MPI_ERR_BUFFER);
    CHECK(MPI_Ibsend(out, kLong, MPI_CHAR, world_rank, 3, MPI_COMM_WORLD, &request) ==
          MPI_ERR_BUFFER);
    fetch('a', 1); /* its room is reused */
    leave('c', 3);
    fetch('c', 3);
    fetch('b', 2);
  }
  CHECK(MPI_Bsend_init(out, kLong, MPI_CHAR, world_rank, 4, MPI_COMM_WORLD, &request) ==
        MPI_SUCCESS);
  for (int i = 0; i < 2; ++i) {
    memset(out, 'd' + i, kLong);
    CHECK(MPI_Start(&request) == MPI_SUCCESS &&
          MPI_Wait(&request, MPI_STATUS_IGNORE) == MPI_SUCCESS);
  }
  CHECK(MPI_Start(&request) == MPI_ERR_BUFFER);
  fetch('d', 4);
  fetch('e', 4);
  CHECK(MPI_Request_free(&request) == MPI_SUCCESS);
  CHECK(MPI_Buffer_flush() == MPI_SUCCESS);
  CHECK(MPI_Buffer_detach(&detached, &size) == MPI_SUCCESS && detached == buffer &&
        size == (int)sizeof buffer);
  CHECK(MPI_Buffer_detach(&detached, &size) == MPI_SUCCESS && detached == NULL && size == 0);
  CHECK(MPI_Bsend(out, 1, MPI_CHAR, world_rank, 1, MPI_COMM_WORLD) == MPI_ERR_BUFFER);
}

/* Detaching waits until everything in the buffer has been sent. Then the memory is the program's.
 */
static void detaching_waits(void) {
  const int next = (world_rank + 1) % world_size,
            previous = (world_rank + world_size - 1) % world_size;
  static char buffer[kLong + 8 * (100 + MPI_BSEND_OVERHEAD)];
  void* detached;
  MPI_Count size;
  MPI_Request request;
  CHECK(MPI_Buffer_attach_c(buffer, sizeof buffer) == MPI_SUCCESS);
  CHECK(MPI_Irecv(in, kLong, MPI_CHAR, previous, 5, MPI_COMM_WORLD, &request) == MPI_SUCCESS);
  memset(out, 'x', kLong);
  CHECK(MPI_Bsend(out, kLong, MPI_CHAR, next, 5, MPI_COMM_WORLD) == MPI_SUCCESS);
  for (int i = 0; i < 7; ++i)
    CHECK(MPI_Bsend(out, 100, MPI_CHAR, next, 6, MPI_COMM_WORLD) == MPI_SUCCESS);
  CHECK(MPI_Buffer_detach_c(&detached, &size) == MPI_SUCCESS && detached == buffer &&
        size == (MPI_Count)sizeof buffer);
  memset(buffer, 0, sizeof buffer);
  CHECK(MPI_Wait(&request, MPI_STATUS_IGNORE) == MPI_SUCCESS);
  for (int i = 0; i < kLong; ++i) CHECK(in[i] == 'x');
  for (int i = 0; i < 7; ++i) {
    memset(in, 0, 100);
    CHECK(MPI_Recv(in, 100, MPI_CHAR, previous, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE) ==
          MPI_SUCCESS);
    CHECK(in[0] == 'x' && in[99] == 'x');
  }
}

static void flush_without_waiting(void) {
  static char buffer[kLong + MPI_BSEND_OVERHEAD];
  void* detached;
  int size, flag = -1;
  MPI_Request request;
  CHECK(MPI_Buffer_attach(buffer, sizeof buffer) == MPI_SUCCESS);
  leave('f', 7);
  CHECK(MPI_Buffer_iflush(&request) == MPI_SUCCESS);
  CHECK(MPI_Test(&request, &flag, MPI_STATUS_IGNORE) == MPI_SUCCESS && flag == 0);
  fetch('f', 7);
  CHECK(MPI_Wait(&request, MPI_STATUS_IGNORE) == MPI_SUCCESS && request == MPI_REQUEST_NULL);
  CHECK(MPI_Buffer_detach(&detached, &size) == MPI_SUCCESS);
}

static void communicators_have_their_own(void) {
  static char buffer[100 + MPI_BSEND_OVERHEAD];
  void* detached;
  int size;
  MPI_Comm comm;
  MPI_Request request;
  CHECK(MPI_Comm_dup(MPI_COMM_WORLD, &comm) == MPI_SUCCESS);
  CHECK(MPI_Comm_attach_buffer(comm, buffer, sizeof buffer) == MPI_SUCCESS);
  CHECK(MPI_Comm_attach_buffer(comm, buffer, sizeof buffer) == MPI_ERR_BUFFER);
  CHECK(MPI_Bsend(out, 100, MPI_CHAR, world_rank, 1, comm) == MPI_SUCCESS);
  CHECK(MPI_Bsend(out, kLong, MPI_CHAR, world_rank, 1, comm) == MPI_ERR_BUFFER);
  CHECK(MPI_Bsend(out, 100, MPI_CHAR, world_rank, 1, MPI_COMM_WORLD) == MPI_ERR_BUFFER);
  CHECK(MPI_Comm_iflush_buffer(comm, &request) == MPI_SUCCESS);
  CHECK(MPI_Recv(in, 100, MPI_CHAR, world_rank, 1, comm, MPI_STATUS_IGNORE) == MPI_SUCCESS);
  CHECK(MPI_Wait(&request, MPI_STATUS_IGNORE) == MPI_SUCCESS);
  CHECK(MPI_Comm_flush_buffer(comm) == MPI_SUCCESS);
  CHECK(MPI_Comm_detach_buffer(comm, &detached, &size) == MPI_SUCCESS && detached == buffer &&
        size == (int)sizeof buffer);
  CHECK(MPI_Bsend(out, 100, MPI_CHAR, world_rank, 1, comm) == MPI_ERR_BUFFER);
  CHECK(MPI_Comm_free(&comm) == MPI_SUCCESS);
}

static void automatic_has_room_for_all(void) {
  void* detached;
  int size = -1;
  CHECK(MPI_Buffer_attach(MPI_BUFFER_AUTOMATIC, 0) == MPI_SUCCESS);
  for (int i = 0; i < 10; ++i) leave((char)('a' + i), 8);
  for (int i = 0; i < 10; ++i) fetch((char)('a' + i), 8);
  CHECK(MPI_Buffer_detach(&detached, &size) == MPI_SUCCESS && detached == MPI_BUFFER_AUTOMATIC &&
        size == 0);
}

int main(void) {
  begin();
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  room_is_what_was_attached();
  detaching_waits();
  flush_without_waiting();
  communicators_have_their_own();
  automatic_has_room_for_all();
  MPI_Finalize();
  return 0;
}
