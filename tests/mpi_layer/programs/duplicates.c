/* MPI_Comm_idup and MPI_Comm_dup_with_info; hints; unsupported features. */
#include <string.h>

#include "check.h"

enum { kMany = 5 };

static int copies = 0, deletes = 0, refuse = 0;
static int copy(MPI_Comm comm, int key, void* extra, void* in, void* out, int* flag) {
  (void)comm, (void)key, (void)extra;
  if (refuse) return MPI_ERR_OTHER;
  ++copies;
  *(void**)out = in;
  *flag = 1;
  return MPI_SUCCESS;
}

static int delete (MPI_Comm comm, int key, void* value, void* extra) {
  (void)comm, (void)key, (void)value, (void)extra;
  ++deletes;
  return MPI_SUCCESS;
}

/* A message that each rank sends to itself and one around the ring stay in their own communicators.
 */
static void use(MPI_Comm comm, int value) {
  int got = -1, result = 0, sum = 0, expected = world_size * value;
  MPI_Comm_compare(comm, MPI_COMM_WORLD, &result);
  CHECK(result == MPI_CONGRUENT);
  MPI_Sendrecv(&value, 1, MPI_INT, (world_rank + 1) % world_size, 3, &got, 1, MPI_INT,
               (world_rank + world_size - 1) % world_size, 3, comm, MPI_STATUS_IGNORE);
  CHECK(got == value);
  CHECK(MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, comm) == MPI_SUCCESS && sum == expected);
}

/* The copy has the attributes that existed when MPI_Comm_idup was called. */
static void as_it_was(int key) {
  int before = 1, after = 2, *value = NULL, flag = 0;
  MPI_Comm one;
  MPI_Request request;
  MPI_Errhandler handler;
  copies = deletes = 0;
  CHECK(MPI_Comm_set_attr(MPI_COMM_WORLD, key, &before) == MPI_SUCCESS);
  deletes = 0;
  CHECK(MPI_Comm_idup(MPI_COMM_WORLD, &one, &request) == MPI_SUCCESS && copies == 1);
  CHECK(MPI_Comm_set_attr(MPI_COMM_WORLD, key, &after) == MPI_SUCCESS && deletes == 1);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  CHECK(MPI_Wait(&request, MPI_STATUS_IGNORE) == MPI_SUCCESS && copies == 1);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  CHECK(MPI_Comm_get_attr(one, key, &value, &flag) == MPI_SUCCESS && flag == 1 && value == &before);
  CHECK(MPI_Comm_get_errhandler(one, &handler) == MPI_SUCCESS && handler == MPI_ERRORS_RETURN);
  CHECK(MPI_Comm_free(&one) == MPI_SUCCESS && deletes == 2);

  /* The copy function of one rank fails. Then that rank's request fails, after the others have
   * theirs. */
  refuse = world_rank == 0;
  one = MPI_COMM_NULL;
  CHECK(MPI_Comm_idup(MPI_COMM_WORLD, &one, &request) == MPI_SUCCESS);
  refuse = 0;
  CHECK(MPI_Wait(&request, MPI_STATUS_IGNORE) == (world_rank == 0 ? MPI_ERR_OTHER : MPI_SUCCESS));
  CHECK((one == MPI_COMM_NULL) == (world_rank == 0));
  if (one != MPI_COMM_NULL) CHECK(MPI_Comm_free(&one) == MPI_SUCCESS);
  CHECK(MPI_Comm_delete_attr(MPI_COMM_WORLD, key) == MPI_SUCCESS);
}

int main(void) {
  begin();
  MPI_Comm many[kMany], one;
  MPI_Request requests[kMany];
  MPI_Info info, used;
  int flag = -1, keys = -1, key, number = 4, *value = NULL;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  CHECK(MPI_Comm_create_keyval(copy, delete, &key, NULL) == MPI_SUCCESS);
  CHECK(MPI_Comm_set_attr(MPI_COMM_WORLD, key, &number) == MPI_SUCCESS);

  /* It does not block: the others begin only when they have a message that is sent after it. */
  if (world_rank == 0) {
    CHECK(MPI_Comm_idup(MPI_COMM_WORLD, &one, &requests[0]) == MPI_SUCCESS);
    for (int rank = 1; rank < world_size; ++rank)
      MPI_Send(&number, 1, MPI_INT, rank, 0, MPI_COMM_WORLD);
  } else {
    MPI_Recv(&number, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK(MPI_Comm_idup(MPI_COMM_WORLD, &one, &requests[0]) == MPI_SUCCESS);
  }
  CHECK(MPI_Wait(&requests[0], MPI_STATUS_IGNORE) == MPI_SUCCESS &&
        requests[0] == MPI_REQUEST_NULL);
  CHECK(copies == 1 && MPI_Comm_get_attr(one, key, &value, &flag) == MPI_SUCCESS && flag == 1 &&
        *value == 4);
  use(one, 7);

  /* Several at once, of two communicators, while others are made by blocking calls. */
  CHECK(MPI_Info_create(&info) == MPI_SUCCESS &&
        MPI_Info_set(info, "mpi_assert_no_any_tag", "true") == MPI_SUCCESS);
  for (int i = 0; i < kMany; ++i) {
    CHECK(MPI_Comm_idup_with_info(i % 2 == 0 ? MPI_COMM_WORLD : one, info, &many[i],
                                  &requests[i]) == MPI_SUCCESS);
  }
  MPI_Comm between;
  CHECK(MPI_Comm_dup_with_info(one, info, &between) == MPI_SUCCESS);
  CHECK(MPI_Waitall(kMany, requests, MPI_STATUSES_IGNORE) == MPI_SUCCESS);
  for (int i = 0; i < kMany; ++i) use(many[i], i);
  use(between, 100);
  for (int i = 0; i < kMany; ++i) CHECK(MPI_Comm_free(&many[i]) == MPI_SUCCESS);

  CHECK(MPI_Comm_set_info(between, info) == MPI_SUCCESS &&
        MPI_Comm_set_info(between, MPI_INFO_NULL) == MPI_ERR_INFO);
  CHECK(MPI_Comm_get_info(between, &used) == MPI_SUCCESS &&
        MPI_Info_get_nkeys(used, &keys) == MPI_SUCCESS && keys == 0);
  CHECK(MPI_Comm_dup_with_info(MPI_COMM_WORLD, (MPI_Info)0x4711, &one) == MPI_ERR_INFO);
  CHECK(MPI_Info_free(&info) == MPI_SUCCESS && MPI_Info_free(&used) == MPI_SUCCESS);

  as_it_was(key);

  MPI_Comm parent = MPI_COMM_WORLD;
  MPI_Group group;
  CHECK(MPI_Comm_get_parent(&parent) == MPI_SUCCESS && parent == MPI_COMM_NULL);
  CHECK(MPI_Comm_remote_size(MPI_COMM_WORLD, &number) == MPI_ERR_COMM &&
        MPI_Comm_remote_group(MPI_COMM_WORLD, &group) == MPI_ERR_COMM);
  CHECK(MPI_Topo_test(MPI_COMM_WORLD, &number) == MPI_SUCCESS && number == MPI_UNDEFINED);
  CHECK(MPI_Comm_free(&between) == MPI_SUCCESS && MPI_Comm_free(&one) == MPI_SUCCESS);
  MPI_Finalize();
  return 0;
}
