/* Ranks send in all modes and go straight to MPI_Finalize, before the receiver has begun: nothing
 * is lost, and no rank waits for ever. */
#include <string.h>
#include <time.h>

#include "check.h"

enum { SHORT = 100, MANY = 30, LONG = 400000 };
static unsigned char bytes[LONG],
    attached[MANY * (SHORT + MPI_BSEND_OVERHEAD) + LONG + MPI_BSEND_OVERHEAD];

static unsigned char content(int from, int tag, int i) {
  return (unsigned char)(from * 17 + tag * 5 + i + i / 251);
}

static const void* filled(int tag, int length) {
  for (int i = 0; i < length; ++i) bytes[i] = content(world_rank, tag, i);
  return bytes;
}

static void send_and_leave(void) {
  static unsigned char forgotten[LONG];
  MPI_Request request;
  MPI_Buffer_attach(attached, sizeof attached);
  for (int tag = 0; tag < MANY; ++tag) {
    CHECK(MPI_Send(filled(tag, SHORT), SHORT, MPI_BYTE, 0, tag, MPI_COMM_WORLD) == MPI_SUCCESS);
    CHECK(MPI_Bsend(filled(tag, SHORT), SHORT, MPI_BYTE, 0, tag, MPI_COMM_WORLD) == MPI_SUCCESS);
  }
  memcpy(forgotten, filled(MANY, LONG), LONG);
  CHECK(MPI_Isend(forgotten, LONG, MPI_BYTE, 0, MANY, MPI_COMM_WORLD, &request) == MPI_SUCCESS);
  CHECK(MPI_Request_free(&request) == MPI_SUCCESS);
  if (world_rank % 2 == 0)
    CHECK(MPI_Send(filled(MANY + 1, LONG), LONG, MPI_BYTE, 0, MANY + 1, MPI_COMM_WORLD) ==
          MPI_SUCCESS);
  if (world_rank % 2 == 1)
    CHECK(MPI_Bsend(filled(MANY + 1, LONG), LONG, MPI_BYTE, 0, MANY + 1, MPI_COMM_WORLD) ==
          MPI_SUCCESS);
}

static void receive(int from, int tag, int length) {
  MPI_Status status;
  int got = -1;
  memset(bytes, 0, sizeof bytes);
  CHECK(MPI_Recv(bytes, LONG, MPI_BYTE, from, tag, MPI_COMM_WORLD, &status) == MPI_SUCCESS);
  CHECK(MPI_Get_count(&status, MPI_BYTE, &got) == MPI_SUCCESS && got == length);
  for (int i = 0; i < length; ++i) CHECK(bytes[i] == content(from, tag, i));
}

int main(void) {
  begin();
  if (world_rank > 0) {
    send_and_leave();
  } else {
    const struct timespec a_while = {0, 300000000};
    nanosleep(&a_while, NULL);
    for (int from = world_size - 1; from > 0; --from) {
      for (int tag = MANY + 1; tag >= 0; --tag) {
        receive(from, tag, tag < MANY ? SHORT : LONG);
        if (tag < MANY) receive(from, tag, SHORT);
      }
    }
  }
  return MPI_Finalize();
}
