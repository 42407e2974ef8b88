/* Wait and test of any and some, status without completion, probes, cancel. */
#include "check.h"

enum { kMany = 8 };

static void any_and_some(void) {
  MPI_Request requests[kMany + 1];
  int numbers[kMany], seen[kMany] = {0};
  for (int i = 0; i < kMany; ++i)
    MPI_Irecv(&numbers[i], 1, MPI_INT, world_rank, i, MPI_COMM_WORLD, &requests[i]);
  requests[kMany] = MPI_REQUEST_NULL;
  int index = 0, flag = 1;
  CHECK(MPI_Testany(kMany + 1, requests, &index, &flag, MPI_STATUS_IGNORE) == MPI_SUCCESS &&
        flag == 0 && index == MPI_UNDEFINED);
  CHECK(MPI_Testall(kMany + 1, requests, &flag, MPI_STATUSES_IGNORE) == MPI_SUCCESS && flag == 0);
  for (int i = kMany - 1; i >= 0; --i) MPI_Send(&i, 1, MPI_INT, world_rank, i, MPI_COMM_WORLD);
  MPI_Status status;
  for (flag = 0; flag == 0;)
    CHECK(MPI_Request_get_status(requests[2], &flag, &status) ==
          MPI_SUCCESS);  // it ends in a later call
  CHECK(status.MPI_TAG == 2);
  CHECK(MPI_Request_get_status(requests[2], &flag, &status) == MPI_SUCCESS && flag == 1 &&
        status.MPI_TAG == 2);
  for (int i = 0; i < kMany / 2; ++i) {
    CHECK(MPI_Waitany(kMany + 1, requests, &index, &status) == MPI_SUCCESS);
    CHECK(index >= 0 && index < kMany && status.MPI_TAG == index && numbers[index] == index &&
          requests[index] == MPI_REQUEST_NULL);
    ++seen[index];
  }
  int left = kMany - kMany / 2;
  while (left > 0) {
    int count = 0, indices[kMany + 1];
    MPI_Status statuses[kMany + 1];
    CHECK(MPI_Waitsome(kMany + 1, requests, &count, indices, statuses) == MPI_SUCCESS &&
          count >= 1);
    for (int i = 0; i < count; ++i) {
      CHECK(statuses[i].MPI_TAG == indices[i] && numbers[indices[i]] == indices[i]);
      ++seen[indices[i]];
    }
    left -= count;
  }
  for (int i = 0; i < kMany; ++i) CHECK(seen[i] == 1);
  int count = 0;
  CHECK(MPI_Waitsome(kMany + 1, requests, &count, seen, MPI_STATUSES_IGNORE) == MPI_SUCCESS &&
        count == MPI_UNDEFINED);
  CHECK(MPI_Waitany(kMany + 1, requests, &index, &status) == MPI_SUCCESS && index == MPI_UNDEFINED);
  CHECK(status.MPI_SOURCE == MPI_ANY_SOURCE && status.MPI_TAG == MPI_ANY_TAG &&
        status.MPI_ERROR != -1);
}

static void probes(void) {
  const int next = (world_rank + 1) % world_size,
            previous = (world_rank + world_size - 1) % world_size;
  MPI_Request request;
  MPI_Status status;
  MPI_Message message;
  int count = 0, flag = 0;
  double out[100] = {0}, in[100];
  for (int i = 0; i < 100; ++i) out[i] = world_rank + i;
  MPI_Isend(out, 100, MPI_DOUBLE, next, 5, MPI_COMM_WORLD, &request);
  CHECK(MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status) == MPI_SUCCESS);
  CHECK(status.MPI_SOURCE == previous && status.MPI_TAG == 5);
  CHECK(MPI_Get_count(&status, MPI_DOUBLE, &count) == MPI_SUCCESS && count == 100);
  while (flag == 0)
    CHECK(MPI_Improbe(previous, 5, MPI_COMM_WORLD, &flag, &message, &status) == MPI_SUCCESS);
  CHECK(MPI_Iprobe(MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, &flag, &status) == MPI_SUCCESS &&
        flag == 0);  // it is taken
  CHECK(MPI_Mrecv(in, 100, MPI_DOUBLE, &message, &status) == MPI_SUCCESS &&
        message == MPI_MESSAGE_NULL);
  for (int i = 0; i < 100; ++i) CHECK(in[i] == previous + i);
  CHECK(MPI_Wait(&request, MPI_STATUS_IGNORE) == MPI_SUCCESS);
  CHECK(MPI_Mprobe(MPI_PROC_NULL, 0, MPI_COMM_WORLD, &message, &status) == MPI_SUCCESS &&
        message == MPI_MESSAGE_NO_PROC);
  CHECK(MPI_Imrecv(in, 1, MPI_DOUBLE, &message, &request) == MPI_SUCCESS &&
        message == MPI_MESSAGE_NULL);
  CHECK(MPI_Wait(&request, &status) == MPI_SUCCESS && status.MPI_SOURCE == MPI_PROC_NULL &&
        status.MPI_TAG == MPI_ANY_TAG);
}

static void cancels(void) {
  MPI_Request request;
  MPI_Status status;
  int number = 0, flag = 0;
  MPI_Irecv(&number, 1, MPI_INT, MPI_ANY_SOURCE, 99, MPI_COMM_WORLD, &request);
  CHECK(MPI_Cancel(&request) == MPI_SUCCESS);
  CHECK(MPI_Wait(&request, &status) == MPI_SUCCESS);
  CHECK(MPI_Test_cancelled(&status, &flag) == MPI_SUCCESS && flag == 1);
  MPI_Issend(&number, 1, MPI_INT, (world_rank + 1) % world_size, 98, MPI_COMM_WORLD, &request);
  CHECK(MPI_Cancel(&request) == MPI_SUCCESS);
  CHECK(MPI_Wait(&request, &status) == MPI_SUCCESS);
  CHECK(MPI_Test_cancelled(&status, &flag) == MPI_SUCCESS && flag == 1);
}

int main(void) {
  begin();
  any_and_some();
  probes();
  cancels();
  MPI_Finalize();
  return 0;
}
