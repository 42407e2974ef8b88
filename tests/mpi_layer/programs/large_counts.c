/* Messages by the functions with MPI_Count, in all ways, to the neighbour. */
#include <string.h>

#include "check.h"

enum { kCount = 50000 };
static int out[kCount], in[kCount];
static int next, previous;

static void expect(const MPI_Status* status) {
  MPI_Count count = -1;
  CHECK(status->MPI_SOURCE == previous);
  CHECK(MPI_Get_count_c(status, MPI_INT, &count) == MPI_SUCCESS && count == kCount);
  for (int i = 0; i < kCount; ++i) CHECK(in[i] == i + previous);
  memset(in, 0, sizeof in);
}

static void blocking(void) {
  typedef int send_function(const void*, MPI_Count, MPI_Datatype, int, int, MPI_Comm);
  send_function* const sends[] = {MPI_Send_c, MPI_Bsend_c, MPI_Ssend_c, MPI_Rsend_c};
  for (int i = 0; i < 4; ++i) {
    MPI_Request request;
    MPI_Status status;
    CHECK(MPI_Irecv_c(in, kCount, MPI_INT, previous, i, MPI_COMM_WORLD, &request) == MPI_SUCCESS);
    MPI_Barrier(MPI_COMM_WORLD); /* the receive of the ready send is posted */
    CHECK(sends[i](out, kCount, MPI_INT, next, i, MPI_COMM_WORLD) == MPI_SUCCESS);
    CHECK(MPI_Wait(&request, &status) == MPI_SUCCESS);
    expect(&status);
  }
}

static void requests(void) {
  typedef int begin_function(const void*, MPI_Count, MPI_Datatype, int, int, MPI_Comm,
                             MPI_Request*);
  begin_function* const begins[] = {MPI_Isend_c,      MPI_Ibsend_c,    MPI_Issend_c,
                                    MPI_Irsend_c,     MPI_Send_init_c, MPI_Bsend_init_c,
                                    MPI_Ssend_init_c, MPI_Rsend_init_c};
  for (int i = 0; i < 8; ++i) {
    MPI_Request request[2];
    MPI_Status status[2];
    CHECK(MPI_Recv_init_c(in, kCount, MPI_INT, previous, i, MPI_COMM_WORLD, &request[0]) ==
          MPI_SUCCESS);
    CHECK(MPI_Start(&request[0]) == MPI_SUCCESS);
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(begins[i](out, kCount, MPI_INT, next, i, MPI_COMM_WORLD, &request[1]) == MPI_SUCCESS);
    if (i >= 4) CHECK(MPI_Start(&request[1]) == MPI_SUCCESS);
    CHECK(MPI_Waitall(2, request, status) == MPI_SUCCESS);
    expect(&status[0]);
    CHECK(MPI_Request_free(&request[0]) == MPI_SUCCESS);
    if (i >= 4) CHECK(MPI_Request_free(&request[1]) == MPI_SUCCESS);
  }
}

static void matched_and_both_ways(void) {
  MPI_Status status;
  MPI_Message message;
  MPI_Request request, sent;
  for (int blocks = 0; blocks < 2; ++blocks) {
    CHECK(MPI_Isend_c(out, kCount, MPI_INT, next, 1, MPI_COMM_WORLD, &sent) == MPI_SUCCESS);
    CHECK(MPI_Mprobe(previous, 1, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    if (blocks) {
      CHECK(MPI_Mrecv_c(in, kCount, MPI_INT, &message, &status) == MPI_SUCCESS);
    } else {
      CHECK(MPI_Imrecv_c(in, kCount, MPI_INT, &message, &request) == MPI_SUCCESS &&
            MPI_Wait(&request, &status) == MPI_SUCCESS);
    }
    expect(&status);
    CHECK(MPI_Wait(&sent, MPI_STATUS_IGNORE) == MPI_SUCCESS);
  }
  CHECK(MPI_Sendrecv_c(out, kCount, MPI_INT, next, 2, in, kCount, MPI_INT, previous, 2,
                       MPI_COMM_WORLD, &status) == MPI_SUCCESS);
  expect(&status);
  memcpy(in, out, sizeof in);
  CHECK(MPI_Sendrecv_replace_c(in, kCount, MPI_INT, next, 3, previous, 3, MPI_COMM_WORLD,
                               &status) == MPI_SUCCESS);
  expect(&status);
  CHECK(MPI_Isendrecv_c(out, kCount, MPI_INT, next, 4, in, kCount, MPI_INT, previous, 4,
                        MPI_COMM_WORLD, &request) == MPI_SUCCESS);
  CHECK(MPI_Wait(&request, &status) == MPI_SUCCESS);
  expect(&status);
  memcpy(in, out, sizeof in);
  CHECK(MPI_Isendrecv_replace_c(in, kCount, MPI_INT, next, 5, previous, 5, MPI_COMM_WORLD,
                                &request) == MPI_SUCCESS);
  CHECK(MPI_Wait(&request, &status) == MPI_SUCCESS);
  expect(&status);
}

/* Errors name these functions, and their counts are checked as they are. */
static void errors(void) {
  CHECK(MPI_Send_c(out, -1, MPI_INT, next, 0, MPI_COMM_WORLD) == MPI_ERR_COUNT);
  CHECK(MPI_Send_c(out, INT64_MAX, MPI_INT, next, 0, MPI_COMM_WORLD) == MPI_ERR_COUNT);
  CHECK(MPI_Recv_c(in, (MPI_Count)-1, MPI_INT, previous, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE) ==
        MPI_ERR_COUNT);
}

/* A count beyond an int, of items without bytes. */
static void beyond_an_int(void) {
  MPI_Datatype nothing;
  MPI_Status status;
  CHECK(MPI_Type_contiguous(0, MPI_INT, &nothing) == MPI_SUCCESS &&
        MPI_Type_commit(&nothing) == MPI_SUCCESS);
  CHECK(MPI_Sendrecv_c(NULL, (MPI_Count)1 << 40, nothing, next, 6, NULL, (MPI_Count)1 << 41,
                       nothing, previous, 6, MPI_COMM_WORLD, &status) == MPI_SUCCESS);
  MPI_Count count = -1;
  CHECK(MPI_Get_count_c(&status, MPI_BYTE, &count) == MPI_SUCCESS && count == 0);
  CHECK(MPI_Type_free(&nothing) == MPI_SUCCESS);
}

int main(void) {
  begin();
  next = (world_rank + 1) % world_size, previous = (world_rank + world_size - 1) % world_size;
  for (int i = 0; i < kCount; ++i) out[i] = i + world_rank;
  static char buffer[2 * (sizeof out + MPI_BSEND_OVERHEAD)];
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  CHECK(MPI_Buffer_attach(buffer, sizeof buffer) == MPI_SUCCESS);
  blocking();
  requests();
  matched_and_both_ways();
  errors();
  beyond_an_int();
  MPI_Finalize();
  return 0;
}
