/* Results of calls right after MPI_Cancel, and of messages to oneself: they are printed and are the
 * same on any transport. Nothing waits for a cancelled message. The next steps depend on these
 * results. */
#include <string.h>

#include "check.h"

enum { kShort = 100, kLong = 300000, kMany = 100, kTag = 6 };

static int out[kLong], in[kLong];

static void print_status(const char* what, const MPI_Status* status, int flag) {
  int cancelled = -1, count = -1, elements = -1;
  if (flag) {
    MPI_Test_cancelled(status, &cancelled);
    MPI_Get_count(status, MPI_INT, &count);
    MPI_Get_elements(status, MPI_INT, &elements);
  }
  printf("%d: %s: flag %d", world_rank, what, flag);
  if (flag)
    printf(", cancelled %d, source %d, tag %d, error %d, count %d, elements %d", cancelled,
           status->MPI_SOURCE, status->MPI_TAG, status->MPI_ERROR, count, elements);
  printf("\n");
}

static MPI_Status marked(void) {
  MPI_Status status;
  memset(&status, 0, sizeof status);
  status.MPI_ERROR = 77;
  return status;
}

/* ---- Receives */

static void receives_that_are_cancelled(int source, int tag) {
  MPI_Request request, many[kMany];
  MPI_Status status = marked(), statuses[kMany];
  int flag = 0, index = -1, done = -1, indices[kMany];

  MPI_Irecv(in, kShort, MPI_INT, source, tag, MPI_COMM_WORLD, &request);
  MPI_Cancel(&request);
  MPI_Wait(&request, &status);
  print_status("receive, wait", &status, 1);

  status = marked();
  MPI_Irecv(in, kShort, MPI_INT, source, tag, MPI_COMM_WORLD, &request);
  MPI_Cancel(&request);
  MPI_Test(&request, &flag, &status);
  print_status("receive, test", &status, flag);
  CHECK(request == MPI_REQUEST_NULL);

  status = marked();
  MPI_Irecv(in, kShort, MPI_INT, source, tag, MPI_COMM_WORLD, &request);
  MPI_Cancel(&request);
  MPI_Request_get_status(request, &flag, &status);
  print_status("receive, get_status", &status, flag);
  MPI_Request_free(&request);

  for (int i = 0; i < kMany; ++i)
    MPI_Irecv(in, kShort, MPI_INT, source, tag, MPI_COMM_WORLD, &many[i]);
  for (int i = 0; i < kMany; ++i) MPI_Cancel(&many[i]);
  status = marked();
  MPI_Test(&many[kMany - 1], &flag, &status);
  print_status("the last of many, test", &status, flag);
  status = marked();
  MPI_Testany(kMany, many, &index, &flag, &status);
  print_status("any of many, testany", &status, flag);
  printf("%d: index %d\n", world_rank, index);
  for (int i = 0; i < kMany; ++i) statuses[i] = marked();
  MPI_Testsome(kMany, many, &done, indices, statuses);
  printf("%d: some of many: %d\n", world_rank, done);
  for (int i = 0; i < done; ++i) print_status("some of many, testsome", &statuses[i], 1);

  for (int i = 0; i < kMany; ++i)
    MPI_Irecv(in, kShort, MPI_INT, source, tag, MPI_COMM_WORLD, &many[i]);
  for (int i = 0; i < kMany; ++i) MPI_Cancel(&many[i]);
  MPI_Testall(kMany, many, &flag, statuses);
  for (int i = 0; i < kMany; ++i) print_status("all of many, testall", &statuses[i], flag);

  MPI_Recv_init(in, kShort, MPI_INT, source, tag, MPI_COMM_WORLD, &request);
  for (int i = 0; i < 3; ++i) {
    status = marked();
    MPI_Start(&request);
    MPI_Cancel(&request);
    MPI_Wait(&request, &status);
    print_status("persistent receive, wait", &status, 1);
  }
  MPI_Start(&request);
  MPI_Send(out, kShort / 2, MPI_INT, world_rank, kTag, MPI_COMM_WORLD);
  status = marked();
  MPI_Wait(&request, &status);
  print_status("persistent receive that is not cancelled", &status, 1);
  MPI_Request_free(&request);
}

/* The request has its message and keeps it. */
static void receive_that_has_its_message(int count) {
  MPI_Request request, send;
  MPI_Status status = marked();
  MPI_Irecv(in, kLong, MPI_INT, MPI_ANY_SOURCE, kTag, MPI_COMM_WORLD, &request);
  MPI_Isend(out, count, MPI_INT, world_rank, kTag, MPI_COMM_WORLD, &send);
  MPI_Wait(&send, MPI_STATUS_IGNORE);
  MPI_Cancel(&request);
  MPI_Wait(&request, &status);
  print_status("receive that has its message", &status, 1);
}

/* ---- Sends to oneself */

typedef int starting_send(const void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*);

/* The message can be received exactly if its send is not reported as cancelled. The first report is
 * final. */
static void send_to_oneself(const char* name, starting_send* start, int count) {
  MPI_Request request, next;
  MPI_Status status = marked(), probed = marked();
  int flag = 0, cancelled = 0, found = 0, got = -1;
  start(out, count, MPI_INT, world_rank, kTag, MPI_COMM_WORLD, &request);
  MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &probed);
  CHECK(probed.MPI_SOURCE == world_rank && probed.MPI_TAG == kTag && probed.MPI_ERROR == 77);
  MPI_Cancel(&request);
  MPI_Request_get_status(request, &flag, &status);
  if (flag) MPI_Test_cancelled(&status, &cancelled);
  MPI_Iprobe(world_rank, kTag, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
  CHECK(found == !cancelled);
  MPI_Isend(out, 1, MPI_INT, world_rank, kTag, MPI_COMM_WORLD, &next);
  if (!cancelled) {
    MPI_Recv(in, kLong, MPI_INT, MPI_ANY_SOURCE, kTag, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_INT, &got);
    CHECK(got == count);
  }
  MPI_Recv(in, kLong, MPI_INT, MPI_ANY_SOURCE, kTag, MPI_COMM_WORLD, &status);
  MPI_Get_count(&status, MPI_INT, &got);
  CHECK(got == 1);
  status = marked();
  MPI_Wait(&request, &status);
  MPI_Wait(&next, MPI_STATUS_IGNORE);
  MPI_Test_cancelled(&status, &flag);
  CHECK(flag == cancelled);
  printf("%d: %s of %d to oneself has come to its end\n", world_rank, name, count);
}

/* The message is not available to others, and its send continues until it is received. */
static void matched_probe(const char* name, starting_send* start, int count) {
  MPI_Request request, receive;
  MPI_Message message, other;
  MPI_Status status = marked();
  int flag = -1;
  for (int i = 0; i < count; ++i) out[i] = i + count, in[i] = -1;
  start(out, count, MPI_INT, world_rank, kTag, MPI_COMM_WORLD, &request);
  MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &message, &status);
  print_status(name, &status, 1);
  CHECK(message != MPI_MESSAGE_NULL);
  MPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, &other, MPI_STATUS_IGNORE);
  CHECK(flag == 0);
  MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
  CHECK(flag == 0);
  if (start == MPI_Issend) {
    MPI_Request_get_status(request, &flag, MPI_STATUS_IGNORE);
    CHECK(flag == 0);
  }
  MPI_Cancel(&request); /* too late */
  status = marked();
  if (count % 2 == 0) {
    MPI_Mrecv(in, count, MPI_INT, &message, &status);
  } else {
    MPI_Imrecv(in, count, MPI_INT, &message, &receive);
    MPI_Wait(&receive, &status);
  }
  print_status(name, &status, 1);
  CHECK(message == MPI_MESSAGE_NULL);
  for (int i = 0; i < count; ++i) CHECK(in[i] == i + count);
  status = marked();
  MPI_Wait(&request, &status);
  MPI_Test_cancelled(&status, &flag);
  printf("%d: %s of %d: its send is cancelled: %d\n", world_rank, name, count, flag);
}

int main(void) {
  static const int counts[] = {0, 1, kShort, kShort + 1, kLong - 1, kLong};
  begin();
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  receives_that_are_cancelled(MPI_ANY_SOURCE, MPI_ANY_TAG);
  receives_that_are_cancelled(world_rank, kTag);
  for (int i = 0; i < 6; ++i) {
    if (counts[i] <= kShort) receive_that_has_its_message(counts[i]);
    send_to_oneself("MPI_Isend", MPI_Isend, counts[i]);
    send_to_oneself("MPI_Issend", MPI_Issend, counts[i]);
    matched_probe("MPI_Isend", MPI_Isend, counts[i]);
    matched_probe("MPI_Issend", MPI_Issend, counts[i]);
  }
  MPI_Finalize();
  return 0;
}
