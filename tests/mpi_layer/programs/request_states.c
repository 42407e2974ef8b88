/* Generalized requests, and queries of requests that do not end them. */
#include <pthread.h>

#include "check.h"

struct work {
  int queried, freed, cancelled, complete_when_cancelled;
  MPI_Request request;
};

static int query(void* state, MPI_Status* status) {
  ++((struct work*)state)->queried;
  status->MPI_SOURCE = 11;
  status->MPI_TAG = 12;
  MPI_Status_set_elements(status, MPI_INT, 13);
  MPI_Status_set_cancelled(status, ((struct work*)state)->cancelled);
  return MPI_SUCCESS;
}
static int released(void* state) {
  ++((struct work*)state)->freed;
  return MPI_SUCCESS;
}
static int cancel(void* state, int complete) {
  ++((struct work*)state)->cancelled;
  ((struct work*)state)->complete_when_cancelled = complete;
  return MPI_SUCCESS;
}
static int fail(void* state, MPI_Status* status) {
  (void)state, (void)status;
  return MPI_ERR_IO;
}

static void* finish(void* state) {
  CHECK(MPI_Grequest_complete(((struct work*)state)->request) == MPI_SUCCESS);
  return NULL;
}

static void generalized(void) {
  struct work work = {0};
  MPI_Request request;
  MPI_Status status;
  pthread_t thread;
  int flag = -1, count = -1;
  CHECK(MPI_Grequest_start(query, released, cancel, &work, &request) == MPI_SUCCESS);
  CHECK(MPI_Test(&request, &flag, &status) == MPI_SUCCESS && flag == 0 && work.queried == 0);
  work.request = request;
  CHECK(pthread_create(&thread, NULL, finish, &work) == 0);
  /* the other thread wakes it */
  CHECK(MPI_Wait(&request, &status) == MPI_SUCCESS && request == MPI_REQUEST_NULL);
  pthread_join(thread, NULL);
  CHECK(work.queried == 1 && work.freed == 1 && status.MPI_SOURCE == 11 && status.MPI_TAG == 12);
  CHECK(MPI_Get_count(&status, MPI_INT, &count) == MPI_SUCCESS && count == 13);
  CHECK(MPI_Grequest_complete(work.request) == MPI_ERR_REQUEST); /* it is gone */

  struct work cancelled = {0};
  CHECK(MPI_Grequest_start(query, released, cancel, &cancelled, &request) == MPI_SUCCESS);
  CHECK(MPI_Cancel(&request) == MPI_SUCCESS && cancelled.cancelled == 1 &&
        cancelled.complete_when_cancelled == 0);
  CHECK(MPI_Grequest_complete(request) == MPI_SUCCESS);
  CHECK(MPI_Wait(&request, &status) == MPI_SUCCESS &&
        MPI_Test_cancelled(&status, &flag) == MPI_SUCCESS && flag == 1);

  struct work freed = {0};
  CHECK(MPI_Grequest_start(query, released, cancel, &freed, &request) == MPI_SUCCESS);
  CHECK(MPI_Grequest_complete(request) == MPI_SUCCESS);
  CHECK(MPI_Request_free(&request) == MPI_SUCCESS && request == MPI_REQUEST_NULL &&
        freed.freed == 1 && freed.queried == 0);
  CHECK(MPI_Grequest_start(query, released, cancel, &freed, &request) == MPI_SUCCESS);
  freed.request = request;
  CHECK(MPI_Request_free(&request) == MPI_SUCCESS && request == MPI_REQUEST_NULL &&
        freed.freed == 1);
  /* the later of the two ends it */
  CHECK(MPI_Grequest_complete(freed.request) == MPI_SUCCESS && freed.freed == 2);

  CHECK(MPI_Grequest_start(fail, released, cancel, &work, &request) == MPI_SUCCESS);
  CHECK(MPI_Grequest_complete(request) == MPI_SUCCESS);
  CHECK(MPI_Wait(&request, MPI_STATUS_IGNORE) == MPI_ERR_IO && request == MPI_REQUEST_NULL &&
        work.freed == 2);
  CHECK(MPI_Grequest_start(NULL, released, cancel, &work, &request) == MPI_ERR_ARG);
  CHECK(MPI_Irecv(&count, 1, MPI_INT, world_rank, 99, MPI_COMM_WORLD, &request) == MPI_SUCCESS);
  CHECK(MPI_Grequest_complete(request) == MPI_ERR_REQUEST); /* of another kind */
  CHECK(MPI_Cancel(&request) == MPI_SUCCESS &&
        MPI_Wait(&request, MPI_STATUS_IGNORE) == MPI_SUCCESS);
}

/* Three receives, of which first the second is complete, then all. Finally they are waited for as
 * if they had not been queried. */
static void looking(void) {
  int in[3] = {0}, index = -1, flag = -1, outcount = -1, indices[3], number = 7;
  MPI_Request requests[4];
  MPI_Status statuses[4], status;
  for (int i = 0; i < 3; ++i)
    CHECK(MPI_Irecv(&in[i], 1, MPI_INT, world_rank, i, MPI_COMM_WORLD, &requests[i]) ==
          MPI_SUCCESS);
  requests[3] = MPI_REQUEST_NULL;
  CHECK(MPI_Request_get_status_any(4, requests, &index, &flag, &status) == MPI_SUCCESS &&
        flag == 0);
  CHECK(MPI_Request_get_status_some(4, requests, &outcount, indices, statuses) == MPI_SUCCESS &&
        outcount == 0);
  CHECK(MPI_Send(&number, 1, MPI_INT, world_rank, 1, MPI_COMM_WORLD) == MPI_SUCCESS);
  for (int twice = 0; twice < 2; ++twice) {
    CHECK(MPI_Request_get_status_any(4, requests, &index, &flag, &status) == MPI_SUCCESS &&
          flag == 1 && index == 1 && status.MPI_TAG == 1);
    CHECK(MPI_Request_get_status_some(4, requests, &outcount, indices, statuses) == MPI_SUCCESS &&
          outcount == 1);
    CHECK(indices[0] == 1 && statuses[0].MPI_TAG == 1);
    CHECK(MPI_Request_get_status_all(4, requests, &flag, statuses) == MPI_SUCCESS && flag == 0);
  }
  CHECK(MPI_Send(&number, 1, MPI_INT, world_rank, 0, MPI_COMM_WORLD) == MPI_SUCCESS);
  CHECK(MPI_Send(&number, 1, MPI_INT, world_rank, 2, MPI_COMM_WORLD) == MPI_SUCCESS);
  CHECK(MPI_Request_get_status_all(4, requests, &flag, statuses) == MPI_SUCCESS && flag == 1);
  for (int i = 0; i < 3; ++i) CHECK(statuses[i].MPI_TAG == i);
  CHECK(statuses[3].MPI_SOURCE == MPI_ANY_SOURCE && statuses[3].MPI_TAG == MPI_ANY_TAG);
  CHECK(MPI_Waitall(4, requests, statuses) == MPI_SUCCESS && statuses[2].MPI_TAG == 2 &&
        in[0] == 7 && in[1] == 7 && in[2] == 7);
  CHECK(MPI_Request_get_status_any(4, requests, &index, &flag, MPI_STATUS_IGNORE) == MPI_SUCCESS &&
        flag == 1 && index == MPI_UNDEFINED);
  CHECK(MPI_Request_get_status_some(4, requests, &outcount, indices, statuses) == MPI_SUCCESS &&
        outcount == MPI_UNDEFINED);
  CHECK(MPI_Request_get_status_all(0, NULL, &flag, MPI_STATUSES_IGNORE) == MPI_SUCCESS &&
        flag == 1);
  CHECK(MPI_Request_get_status_all(1, NULL, &flag, MPI_STATUSES_IGNORE) == MPI_ERR_ARG);
}

int main(void) {
  int provided;
  CHECK(MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &provided) == MPI_SUCCESS &&
        provided == MPI_THREAD_MULTIPLE);
  MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  generalized();
  looking();
  MPI_Finalize();
  return 0;
}
