/* Errors go to the communicator's handler. Truncation is an error of one request. */
#include "check.h"

static int calls = 0, last = 0;
static void note(MPI_Comm* comm, int* code, ...) {
  CHECK(*comm == MPI_COMM_WORLD);
  ++calls;
  last = *code;
}

int main(void) {
  begin();
  MPI_Errhandler handler, current;
  int number = 0;
  MPI_Comm_get_errhandler(MPI_COMM_WORLD, &current);
  CHECK(current == MPI_ERRORS_ARE_FATAL);
  CHECK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN) == MPI_SUCCESS);
  CHECK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN) == MPI_SUCCESS);
  CHECK(MPI_Send(&number, 1, MPI_INT, world_size, 0, MPI_COMM_WORLD) == MPI_ERR_RANK);
  CHECK(MPI_Send(&number, 1, MPI_INT, 0, -5, MPI_COMM_WORLD) == MPI_ERR_TAG);
  CHECK(MPI_Send(&number, -1, MPI_INT, 0, 0, MPI_COMM_WORLD) == MPI_ERR_COUNT);
  CHECK(MPI_Send(&number, 1, MPI_DATATYPE_NULL, 0, 0, MPI_COMM_WORLD) == MPI_ERR_TYPE);
  CHECK(MPI_Send(NULL, 1, MPI_INT, 0, 0, MPI_COMM_WORLD) == MPI_ERR_BUFFER);
  CHECK(MPI_Send(&number, 1, MPI_INT, 0, 0, MPI_COMM_NULL) == MPI_ERR_COMM);
  MPI_Comm world = MPI_COMM_WORLD;
  CHECK(MPI_Comm_free(&world) == MPI_ERR_COMM && world == MPI_COMM_WORLD);

  CHECK(MPI_Comm_create_errhandler(note, &handler) == MPI_SUCCESS);
  CHECK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler) == MPI_SUCCESS);
  CHECK(MPI_Errhandler_free(&handler) == MPI_SUCCESS && handler == MPI_ERRHANDLER_NULL);
  CHECK(MPI_Recv(&number, 1, MPI_INT, world_size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE) ==
            MPI_ERR_RANK &&
        calls == 1 && last == MPI_ERR_RANK);
  CHECK(MPI_Comm_call_errhandler(MPI_COMM_WORLD, MPI_ERR_OTHER) == MPI_SUCCESS && calls == 2 &&
        last == MPI_ERR_OTHER);

  /* One of two receives is too short. */
  int out[4] = {1, 2, 3, 4}, in[2][4] = {{0}};
  MPI_Request requests[2];
  MPI_Status statuses[2];
  MPI_Irecv(in[0], 2, MPI_INT, world_rank, 1, MPI_COMM_WORLD, &requests[0]);
  MPI_Irecv(in[1], 4, MPI_INT, world_rank, 2, MPI_COMM_WORLD, &requests[1]);
  MPI_Send(out, 4, MPI_INT, world_rank, 1, MPI_COMM_WORLD);
  MPI_Send(out, 4, MPI_INT, world_rank, 2, MPI_COMM_WORLD);
  CHECK(MPI_Waitall(2, requests, statuses) == MPI_ERR_IN_STATUS && calls == 3);
  CHECK(statuses[0].MPI_ERROR == MPI_ERR_TRUNCATE && statuses[1].MPI_ERROR == MPI_SUCCESS);
  CHECK(in[0][1] == 2 && in[0][2] == 0 && in[1][3] == 4);

  /* Packing uses the communicator for its errors too. */
  MPI_Comm quiet;
  MPI_Comm_dup(MPI_COMM_WORLD, &quiet);
  MPI_Comm_set_errhandler(quiet, MPI_ERRORS_RETURN);
  int position = 0, size = 0;
  char packed[4];
  CHECK(MPI_Pack(out, 4, MPI_INT, packed, 4, &position, quiet) == MPI_ERR_TRUNCATE && calls == 3);
  CHECK(MPI_Pack(out, 4, MPI_INT, packed, 4, &position, MPI_COMM_WORLD) == MPI_ERR_TRUNCATE &&
        calls == 4 && last == MPI_ERR_TRUNCATE);
  CHECK(MPI_Unpack(packed, 4, &position, out, 4, MPI_INT, MPI_COMM_WORLD) == MPI_ERR_TRUNCATE &&
        calls == 5);
  CHECK(MPI_Pack_size(-1, MPI_INT, quiet, &size) == MPI_ERR_COUNT && calls == 5);
  CHECK(MPI_Pack_size(1, MPI_INT, MPI_COMM_NULL, &size) == MPI_ERR_COMM && calls == 5);
  MPI_Comm_free(&quiet);
  MPI_Finalize();
  return 0;
}
