/* Bugs reported against other implementations, in the areas of
 * tests/mpi_layer/p2p/reported_bugs_test.cpp, as programs see them. The numbers are those of the
 * reports. */
#include <string.h>

#include "check.h"

enum { LONG = 300000, FLOOD = 3000 };
static char long_out[LONG], long_in[LONG];
static int last;

/* ompi#11306, #11324, #9626, mpich#5775, #2266: MPI_Cancel of a send returns at once, and MPI_Wait
 * after it returns, whether the receiver was faster or not. */
static void cancel_of_sends(void) {
  typedef int begin_call(const void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*);
  begin_call* const starts[] = {MPI_Isend, MPI_Issend};
  for (int i = 0; i < 60; ++i) {
    const int length = i % 2 == 0 ? 8 : LONG;
    int cancelled = -1, told = 0;
    MPI_Request request;
    MPI_Status status;
    /* to oneself, because no other process would receive meanwhile */
    if (world_rank == 0 && last == 0) break;
    if (world_rank == 0) {
      CHECK(starts[i / 2 % 2](long_out, length, MPI_CHAR, last, 100 + i, MPI_COMM_WORLD,
                              &request) == MPI_SUCCESS);
      CHECK(MPI_Cancel(&request) == MPI_SUCCESS);
      CHECK(MPI_Wait(&request, &status) == MPI_SUCCESS && request == MPI_REQUEST_NULL);
      CHECK(MPI_Test_cancelled(&status, &cancelled) == MPI_SUCCESS);
      CHECK(MPI_Send(&cancelled, 1, MPI_INT, last, 2, MPI_COMM_WORLD) == MPI_SUCCESS);
    }
    if (world_rank == last) {
      CHECK(MPI_Recv(&told, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE) == MPI_SUCCESS);
      CHECK(MPI_Iprobe(0, 100 + i, MPI_COMM_WORLD, &cancelled, &status) == MPI_SUCCESS &&
            cancelled == !told);
      if (!told)
        CHECK(MPI_Recv(long_in, LONG, MPI_CHAR, 0, 100 + i, MPI_COMM_WORLD, MPI_STATUS_IGNORE) ==
              MPI_SUCCESS);
    }
  }
}

/* ompi#8078: the same for a ready send, for which the cancel comes too late. */
static void cancel_of_ready_sends(void) {
  int told = 0, cancelled = -1;
  MPI_Request request;
  MPI_Status status;
  if (last == 0) return;
  for (int i = 0; i < 10; ++i) {
    const int length = i % 2 == 0 ? 8 : LONG;
    if (world_rank == last) {
      CHECK(MPI_Irecv(long_in, length, MPI_CHAR, 0, 50, MPI_COMM_WORLD, &request) == MPI_SUCCESS);
      CHECK(MPI_Send(&told, 1, MPI_INT, 0, 51, MPI_COMM_WORLD) == MPI_SUCCESS);
      CHECK(MPI_Wait(&request, &status) == MPI_SUCCESS &&
            memcmp(long_in, long_out, (size_t)length) == 0);
    }
    if (world_rank == 0) {
      CHECK(MPI_Recv(&told, 1, MPI_INT, last, 51, MPI_COMM_WORLD, MPI_STATUS_IGNORE) ==
            MPI_SUCCESS);
      CHECK(MPI_Irsend(long_out, length, MPI_CHAR, last, 50, MPI_COMM_WORLD, &request) ==
            MPI_SUCCESS);
      CHECK(MPI_Request_get_status(request, &told, &status) == MPI_SUCCESS);
      CHECK(MPI_Cancel(&request) == MPI_SUCCESS && MPI_Wait(&request, &status) == MPI_SUCCESS);
      CHECK(MPI_Test_cancelled(&status, &cancelled) == MPI_SUCCESS && cancelled == 0);
    }
  }
}

/* ompi#5476, #5499, #6385, #1175, mpich#5980, #6584, #7184: a receive is cancelled while its
 * message arrives. The next receive gets what the first did not. */
static void cancel_of_receives_in_time(void) {
  if (last == 0) return;
  for (int i = 0; i < 40; ++i) {
    const int length = i % 2 == 0 ? 8 : LONG;
    int cancelled = -1;
    MPI_Request request;
    MPI_Status status;
    if (world_rank == 0)
      CHECK(MPI_Send(long_out, length, MPI_CHAR, last, 60 + i, MPI_COMM_WORLD) == MPI_SUCCESS);
    if (world_rank != last) continue;
    memset(long_in, 0, LONG);
    CHECK(MPI_Irecv(long_in, length, MPI_CHAR, i % 3 == 0 ? MPI_ANY_SOURCE : 0, 60 + i,
                    MPI_COMM_WORLD, &request) == MPI_SUCCESS);
    for (int turn = 0; turn < i; ++turn)
      CHECK(MPI_Request_get_status(request, &cancelled, &status) == MPI_SUCCESS);
    CHECK(MPI_Cancel(&request) == MPI_SUCCESS && MPI_Wait(&request, &status) == MPI_SUCCESS);
    CHECK(MPI_Test_cancelled(&status, &cancelled) == MPI_SUCCESS);
    if (cancelled)
      CHECK(MPI_Recv(long_in, length, MPI_CHAR, 0, 60 + i, MPI_COMM_WORLD, MPI_STATUS_IGNORE) ==
            MPI_SUCCESS);
    CHECK(memcmp(long_in, long_out, (size_t)length) == 0);
  }
}

/* mpich's cancelanysrc: a cancelled receive from any source takes nothing from the one behind it.
 */
static void cancel_of_receives(void) {
  int in[2] = {0, 0}, cancelled;
  MPI_Request requests[2];
  MPI_Status status;
  for (int i = 0; i < 2; ++i)
    CHECK(MPI_Irecv(&in[i], 1, MPI_INT, MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, &requests[i]) ==
          MPI_SUCCESS);
  CHECK(MPI_Cancel(&requests[0]) == MPI_SUCCESS && MPI_Wait(&requests[0], &status) == MPI_SUCCESS);
  CHECK(MPI_Test_cancelled(&status, &cancelled) == MPI_SUCCESS && cancelled);
  CHECK(MPI_Barrier(MPI_COMM_WORLD) == MPI_SUCCESS);
  const int to = (world_rank + 1) % world_size, from = (world_rank + world_size - 1) % world_size;
  CHECK(MPI_Send(&world_rank, 1, MPI_INT, to, 3, MPI_COMM_WORLD) == MPI_SUCCESS);
  CHECK(MPI_Wait(&requests[1], &status) == MPI_SUCCESS && in[1] == from && in[0] == 0 &&
        status.MPI_SOURCE == from);
}

/* ompi#4533, #8012, #8013, #8124, #8138, mpich#2439: probes of messages to oneself. A matched
 * message keeps its envelope, whatever comes after it. */
static void probes(void) {
  int flag = 1, number = 41, got = 0, length = 0;
  MPI_Message message;
  MPI_Request requests[2];
  MPI_Status status;
  CHECK(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE) ==
            MPI_SUCCESS &&
        !flag);
  CHECK(MPI_Isend(&number, 1, MPI_INT, 0, 7, MPI_COMM_SELF, &requests[0]) == MPI_SUCCESS);
  while (!flag)
    CHECK(MPI_Improbe(0, MPI_ANY_TAG, MPI_COMM_SELF, &flag, &message, &status) == MPI_SUCCESS);
  CHECK(MPI_Isend(long_out, LONG, MPI_CHAR, 0, 8, MPI_COMM_SELF, &requests[1]) == MPI_SUCCESS);
  CHECK(MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_SELF, &status) == MPI_SUCCESS &&
        status.MPI_TAG == 8);
  CHECK(MPI_Mrecv(&got, 1, MPI_INT, &message, &status) == MPI_SUCCESS &&
        message == MPI_MESSAGE_NULL);
  CHECK(got == 41 && status.MPI_SOURCE == 0 && status.MPI_TAG == 7);
  CHECK(MPI_Recv(long_in, LONG, MPI_CHAR, 0, 8, MPI_COMM_SELF, &status) == MPI_SUCCESS);
  CHECK(MPI_Get_count(&status, MPI_CHAR, &length) == MPI_SUCCESS && length == LONG &&
        memcmp(long_in, long_out, LONG) == 0);
  CHECK(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE) == MPI_SUCCESS);
}

/* mpich#2714: a matched probe waits for a message that has not come yet. */
static void probe_before_the_message(void) {
  int number = 17, got = 0;
  MPI_Message message;
  MPI_Status status;
  if (last == 0) return;
  if (world_rank == 0) {
    CHECK(MPI_Recv(&got, 1, MPI_INT, last, 40, MPI_COMM_WORLD, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    const double until = MPI_Wtime() + 0.05;
    while (MPI_Wtime() < until) continue;
    CHECK(MPI_Send(&number, 1, MPI_INT, last, 41, MPI_COMM_WORLD) == MPI_SUCCESS);
  }
  if (world_rank == last) {
    CHECK(MPI_Send(&number, 1, MPI_INT, 0, 40, MPI_COMM_WORLD) == MPI_SUCCESS);
    CHECK(MPI_Mprobe(0, 41, MPI_COMM_WORLD, &message, &status) == MPI_SUCCESS &&
          status.MPI_TAG == 41);
    CHECK(MPI_Mrecv(&got, 1, MPI_INT, &message, MPI_STATUS_IGNORE) == MPI_SUCCESS && got == 17);
  }
}

/* libfabric#8274, mpich#6641: truncation is an error of that receive, and the next messages come.
 */
static void truncation(void) {
  CHECK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN) == MPI_SUCCESS);
  for (int i = 0; i < 20 && last > 0; ++i) {
    const int length = i % 2 == 0 ? LONG : 100;
    if (world_rank == 0)
      CHECK(MPI_Send(long_out, length, MPI_CHAR, last, i, MPI_COMM_WORLD) == MPI_SUCCESS);
    if (world_rank != last) continue;
    memset(long_in, 0, LONG);
    const int room = i % 3 == 0 ? length - 10 : length;
    CHECK(MPI_Recv(long_in, room, MPI_CHAR, 0, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE) ==
          (room < length ? MPI_ERR_TRUNCATE : MPI_SUCCESS));
    CHECK(memcmp(long_in, long_out, (size_t)room) == 0 && (room == LONG || long_in[room] == 0));
  }
  CHECK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL) == MPI_SUCCESS);
}

/* ompi#5446, #12412, #12561, #8561, #7272, #6091, #12974, libfabric#7904: a flood of sends does not
 * stall receives; all of it arrives, of each source in its order. */
static void flood(void) {
  static int out[FLOOD], next[64];
  static MPI_Request requests[FLOOD];
  int number = 0, echo = -1;
  if (world_rank > 0) {
    for (int i = 0; i < FLOOD; ++i) {
      out[i] = i;
      CHECK(MPI_Isend(&out[i], 1, MPI_INT, 0, 5, MPI_COMM_WORLD, &requests[i]) == MPI_SUCCESS);
    }
    CHECK(MPI_Recv(&echo, 1, MPI_INT, 0, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE) == MPI_SUCCESS &&
          echo == world_rank);
    CHECK(MPI_Waitall(FLOOD, requests, MPI_STATUSES_IGNORE) == MPI_SUCCESS);
    return;
  }
  for (int to = 1; to < world_size; ++to)
    CHECK(MPI_Send(&to, 1, MPI_INT, to, 6, MPI_COMM_WORLD) == MPI_SUCCESS);
  for (int i = 0; i < FLOOD * (world_size - 1); ++i) {
    MPI_Status status;
    CHECK(MPI_Recv(&number, 1, MPI_INT, MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, &status) == MPI_SUCCESS);
    CHECK(number == next[status.MPI_SOURCE]++);
  }
}

/* libfabric#11723, mpich's huge_anysrc and precv_anysrc: order holds whatever the lengths, also of
 * persistent receives from any source. */
static void order(void) {
  MPI_Request receive;
  for (int i = 0; i < 40 && world_rank == 0 && last > 0; ++i) {
    long_out[0] = (char)i;
    CHECK(MPI_Send(long_out, i % 2 == 0 ? LONG : 1, MPI_CHAR, last, 9, MPI_COMM_WORLD) ==
          MPI_SUCCESS);
  }
  if (world_rank != last || last == 0) return;
  CHECK(MPI_Recv_init(long_in, LONG, MPI_CHAR, MPI_ANY_SOURCE, 9, MPI_COMM_WORLD, &receive) ==
        MPI_SUCCESS);
  for (int i = 0; i < 40; ++i) {
    CHECK(MPI_Start(&receive) == MPI_SUCCESS &&
          MPI_Wait(&receive, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    CHECK(long_in[0] == (char)i);
  }
  CHECK(MPI_Request_free(&receive) == MPI_SUCCESS);
}

int main(void) {
  begin();
  last = world_size - 1;
  for (int i = 0; i < LONG; ++i) long_out[i] = (char)(i + i / 127);
  cancel_of_sends();
  cancel_of_ready_sends();
  cancel_of_receives();
  cancel_of_receives_in_time();
  probes();
  probe_before_the_message();
  truncation();
  flood();
  order();
  MPI_Finalize(); /* after a flood: libfabric#6720, ompi#147, #7171, #7118 */
  return 0;
}
