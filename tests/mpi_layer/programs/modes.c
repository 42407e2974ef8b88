/* All modes of sending, blocking, non-blocking and persistent, from rank 0 to the last rank, and to
 * MPI_PROC_NULL. */
#include "check.h"

typedef int send_function(const void*, int, MPI_Datatype, int, int, MPI_Comm);
typedef int begin_function(const void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*);
static send_function* const sends[] = {MPI_Send, MPI_Bsend, MPI_Ssend, MPI_Rsend};
static begin_function* const begins[] = {MPI_Isend, MPI_Ibsend, MPI_Issend, MPI_Irsend};
static begin_function* const inits[] = {MPI_Send_init, MPI_Bsend_init, MPI_Ssend_init,
                                        MPI_Rsend_init};

/* pml cm of Open MPI 4.1 sends wrong lengths when a persistent buffered send is started again */
#ifdef OPEN_MPI
enum { kCount = 30000, kStarts = 1 };
#else
enum { kCount = 30000, kStarts = 3 };
#endif
static int numbers[kCount], received[kCount];

static void send_all(int mode, int count, int to) {
  MPI_Request request;
  CHECK(sends[mode](numbers, count, MPI_INT, to, 1, MPI_COMM_WORLD) == MPI_SUCCESS);
  CHECK(begins[mode](numbers, count, MPI_INT, to, 2, MPI_COMM_WORLD, &request) == MPI_SUCCESS);
  CHECK(MPI_Wait(&request, MPI_STATUS_IGNORE) == MPI_SUCCESS && request == MPI_REQUEST_NULL);
  CHECK(inits[mode](numbers, count, MPI_INT, to, 3, MPI_COMM_WORLD, &request) == MPI_SUCCESS);
  for (int i = 0; i < kStarts; ++i) {
    CHECK(MPI_Start(&request) == MPI_SUCCESS);
    CHECK(MPI_Wait(&request, MPI_STATUS_IGNORE) == MPI_SUCCESS && request != MPI_REQUEST_NULL);
  }
  CHECK(MPI_Request_free(&request) == MPI_SUCCESS && request == MPI_REQUEST_NULL);
}

static void receive_one(MPI_Request* request, int count, int tag) {
  MPI_Status status;
  int got = -1;
  for (int i = 0; i < count; ++i) received[i] = -1;
  CHECK(MPI_Start(request) == MPI_SUCCESS);
  CHECK(MPI_Wait(request, &status) == MPI_SUCCESS);
  CHECK(status.MPI_SOURCE == 0 && status.MPI_TAG == tag);
  CHECK(MPI_Get_count(&status, MPI_INT, &got) == MPI_SUCCESS && got == count);
  for (int i = 0; i < count; ++i) CHECK(received[i] == i);
}

static void receive_all(int count) {
  MPI_Request request;
  for (int tag = 1; tag <= 3; ++tag) {
    CHECK(MPI_Recv_init(received, kCount, MPI_INT, 0, tag, MPI_COMM_WORLD, &request) ==
          MPI_SUCCESS);
    for (int i = 0; i < (tag == 3 ? kStarts : 1); ++i) receive_one(&request, count, tag);
    CHECK(MPI_Request_free(&request) == MPI_SUCCESS);
  }
}

int main(void) {
  begin();
  static char buffer[(2 + kStarts) * (4 * (kCount + 10) + 2 * MPI_BSEND_OVERHEAD)];
  CHECK(MPI_Buffer_attach(buffer, sizeof buffer) == MPI_SUCCESS);
  for (int i = 0; i < kCount; ++i) numbers[i] = i;
  for (int mode = 0; mode < 4; ++mode) {
    send_all(mode, kCount, MPI_PROC_NULL);
    for (int count = 10; count <= kCount && world_size > 1; count *= kCount / 10) {
      if (world_rank == 0) send_all(mode, count, world_size - 1);
      if (world_rank == world_size - 1) receive_all(count);
    }
  }
  void* detached = NULL;
  int size = 0;
  CHECK(MPI_Buffer_detach(&detached, &size) == MPI_SUCCESS && detached == buffer &&
        size == (int)sizeof buffer);
  MPI_Finalize();
  return 0;
}
