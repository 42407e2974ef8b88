/* Handles as integers of objects that exist only between MPI_Init and MPI_Finalize: they pass
 * through an array of integers and name the same objects. */
#include "check.h"

static void ignore(MPI_Comm* comm, int* code, ...) { (void)comm, (void)code; }

int main(void) {
  begin();
  int sent = world_rank + 100, received = -1, integers[3], result = -1, flag = 0;
  const int next = (world_rank + 1) % world_size,
            before = (world_rank + world_size - 1) % world_size;
  MPI_Comm copy;
  MPI_Request request;
  MPI_Message message;
  MPI_Errhandler handler, got;
  CHECK(MPI_Comm_toint(MPI_COMM_WORLD) == 0x101 && MPI_Comm_fromint(0x102) == MPI_COMM_SELF &&
        MPI_Comm_fromint(-3) == MPI_COMM_NULL);
  CHECK(MPI_Request_fromint(MPI_Request_toint(MPI_REQUEST_NULL)) == MPI_REQUEST_NULL);
  CHECK(MPI_Message_fromint(MPI_Message_toint(MPI_MESSAGE_NO_PROC)) == MPI_MESSAGE_NO_PROC);
  CHECK(MPI_Errhandler_fromint(MPI_Errhandler_toint(MPI_ERRORS_RETURN)) == MPI_ERRORS_RETURN);

  CHECK(MPI_Comm_dup(MPI_COMM_WORLD, &copy) == MPI_SUCCESS);
  integers[0] = MPI_Comm_toint(copy);
  CHECK(MPI_Comm_compare(MPI_Comm_fromint(integers[0]), copy, &result) == MPI_SUCCESS &&
        result == MPI_IDENT);
  CHECK(MPI_Isend(&sent, 1, MPI_INT, next, 3, MPI_Comm_fromint(integers[0]), &request) ==
        MPI_SUCCESS);
  integers[1] = MPI_Request_toint(request);
  CHECK(MPI_Mprobe(before, 3, copy, &message, MPI_STATUS_IGNORE) == MPI_SUCCESS);
  integers[2] = MPI_Message_toint(message);
  message = MPI_Message_fromint(integers[2]);
  CHECK(MPI_Mrecv(&received, 1, MPI_INT, &message, MPI_STATUS_IGNORE) == MPI_SUCCESS &&
        received == before + 100);
  CHECK(MPI_Message_fromint(integers[2]) == MPI_MESSAGE_NULL);
  request = MPI_Request_fromint(integers[1]);
  CHECK(MPI_Wait(&request, MPI_STATUS_IGNORE) == MPI_SUCCESS &&
        MPI_Request_fromint(integers[1]) == MPI_REQUEST_NULL);

  CHECK(MPI_Comm_create_errhandler(ignore, &handler) == MPI_SUCCESS);
  CHECK(MPI_Comm_set_errhandler(copy, MPI_Errhandler_fromint(MPI_Errhandler_toint(handler))) ==
        MPI_SUCCESS);
  CHECK(MPI_Comm_rank(copy, NULL) == MPI_ERR_ARG);
  CHECK(MPI_Comm_get_errhandler(copy, &got) == MPI_SUCCESS &&
        MPI_Errhandler_free(&got) == MPI_SUCCESS);
  CHECK(MPI_Errhandler_free(&handler) == MPI_SUCCESS && MPI_Errhandler_toint(handler) == 0x140);
  CHECK(MPI_Comm_free(&copy) == MPI_SUCCESS && MPI_Comm_fromint(integers[0]) == MPI_COMM_NULL);
  MPI_Finalize();
  CHECK(MPI_Finalized(&flag) == MPI_SUCCESS && flag && MPI_Comm_toint(MPI_COMM_NULL) == 0x100);
  return 0;
}
