/* Collective functions as requests, several at once, beside blocking ones; those with MPI_Count;
 * MPI_Alltoallw. */
#include <string.h>

#include "check.h"

enum { kMost = 16, kMany = 4 };

/* Each result can only come from the right ranks' numbers. */
static void all_at_once(void) {
  int size = world_size, rank = world_rank, token = rank == size - 1 ? 77 : 0;
  int own[2] = {rank, 10 * rank}, gathered[2 * kMost], mine[2] = {-1, -1}, sum = -1,
      all_sum[2] = {0, 0}, scanned = -1, before = -1;
  int counts[kMost], places[kMost], various[2 * kMost], scattered[2 * kMost], out[kMost], in[kMost],
      part = -1, block = -1;
  MPI_Request requests[12];
  for (int i = 0; i < size; ++i) {
    counts[i] = 1, places[i] = 2 * i;
    scattered[2 * i] = 100 + i, scattered[2 * i + 1] = 200 + i;
    out[i] = 1000 * rank + i;
    various[2 * i] = various[2 * i + 1] = -1;
  }
  int n = 0;
  CHECK(MPI_Ibarrier(MPI_COMM_WORLD, &requests[n++]) == MPI_SUCCESS);
  CHECK(MPI_Ibcast(&token, 1, MPI_INT, size - 1, MPI_COMM_WORLD, &requests[n++]) == MPI_SUCCESS);
  CHECK(MPI_Igather(own, 2, MPI_INT, gathered, 2, MPI_INT, 0, MPI_COMM_WORLD, &requests[n++]) ==
        MPI_SUCCESS);
  CHECK(MPI_Iallgatherv(&rank, 1, MPI_INT, various, counts, places, MPI_INT, MPI_COMM_WORLD,
                        &requests[n++]) == MPI_SUCCESS);
  CHECK(MPI_Iscatter(scattered, 2, MPI_INT, mine, 2, MPI_INT, 0, MPI_COMM_WORLD, &requests[n++]) ==
        MPI_SUCCESS);
  CHECK(MPI_Ialltoall(out, 1, MPI_INT, in, 1, MPI_INT, MPI_COMM_WORLD, &requests[n++]) ==
        MPI_SUCCESS);
  CHECK(MPI_Ireduce(&rank, &sum, 1, MPI_INT, MPI_SUM, size - 1, MPI_COMM_WORLD, &requests[n++]) ==
        MPI_SUCCESS);
  CHECK(MPI_Iallreduce(own, all_sum, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[n++]) ==
        MPI_SUCCESS);
  CHECK(MPI_Iscan(&rank, &scanned, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[n++]) ==
        MPI_SUCCESS);
  CHECK(MPI_Iexscan(&rank, &before, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[n++]) ==
        MPI_SUCCESS);
  CHECK(MPI_Ireduce_scatter(out, &part, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[n++]) ==
        MPI_SUCCESS);
  CHECK(MPI_Ireduce_scatter_block(out, &block, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD,
                                  &requests[n++]) == MPI_SUCCESS);
  int blocking = rank;
  CHECK(MPI_Allreduce(MPI_IN_PLACE, &blocking, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD) ==
            MPI_SUCCESS &&
        blocking == size - 1);
  CHECK(MPI_Cancel(&requests[0]) == MPI_ERR_REQUEST);
  CHECK(MPI_Waitall(n, requests, MPI_STATUSES_IGNORE) == MPI_SUCCESS);
  const int total = size * (size - 1) / 2;
  CHECK(token == 77 && mine[0] == 100 + rank && mine[1] == 200 + rank);
  for (int i = 0; i < size; ++i) {
    if (rank == 0) CHECK(gathered[2 * i] == i && gathered[2 * i + 1] == 10 * i);
    CHECK(various[2 * i] == i && various[2 * i + 1] == -1);
    CHECK(in[i] == 1000 * i + rank);
  }
  if (rank == size - 1) CHECK(sum == total);
  CHECK(all_sum[0] == total && all_sum[1] == 10 * total && scanned == rank * (rank + 1) / 2);
  if (rank > 0) CHECK(before == rank * (rank - 1) / 2);
  CHECK(part == 1000 * total + size * rank && block == 1000 * (size - 1) + rank);
}

/* A barrier ends when the last rank has begun it, and not before. */
static void barrier_waits_for_all(void) {
  MPI_Request request;
  int flag = 0, late = 0;
  if (world_rank != 0) {
    CHECK(MPI_Ibarrier(MPI_COMM_WORLD, &request) == MPI_SUCCESS);
    CHECK(MPI_Test(&request, &flag, MPI_STATUS_IGNORE) == MPI_SUCCESS && !flag);
    CHECK(MPI_Send(&late, 1, MPI_INT, 0, 1, MPI_COMM_WORLD) == MPI_SUCCESS);
  } else {
    for (int i = 1; i < world_size; ++i)
      CHECK(MPI_Recv(&late, 1, MPI_INT, i, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    CHECK(MPI_Ibarrier(MPI_COMM_WORLD, &request) == MPI_SUCCESS);
  }
  while (!flag) CHECK(MPI_Test(&request, &flag, MPI_STATUS_IGNORE) == MPI_SUCCESS);
  CHECK(request == MPI_REQUEST_NULL);
}

/* Different communicators, begun in different orders. */
static void orders_differ_between_communicators(void) {
  MPI_Comm comms[kMany];
  MPI_Request requests[kMany];
  int values[kMany];
  for (int i = 0; i < kMany; ++i) CHECK(MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]) == MPI_SUCCESS);
  for (int i = 0; i < kMany; ++i) {
    const int k = world_rank % 2 == 0 ? i : kMany - 1 - i;
    values[k] = world_rank + k;
    CHECK(MPI_Iallreduce(MPI_IN_PLACE, &values[k], 1, MPI_INT, MPI_SUM, comms[k], &requests[k]) ==
          MPI_SUCCESS);
  }
  for (int done = 0; done < kMany; ++done) {
    int index = -1;
    CHECK(MPI_Waitany(kMany, requests, &index, MPI_STATUS_IGNORE) == MPI_SUCCESS && index >= 0);
    CHECK(values[index] == world_size * (world_size - 1) / 2 + world_size * index);
  }
  for (int i = 0; i < kMany; ++i) CHECK(MPI_Comm_free(&comms[i]) == MPI_SUCCESS);
}

static void large_counts(void) {
  int size = world_size, rank = world_rank, number = rank, got[kMost], result = -1, out[kMost],
      in[kMost];
  MPI_Count counts[kMost];
  MPI_Aint places[kMost];
  MPI_Request request;
  for (int i = 0; i < size; ++i) counts[i] = 1, places[i] = size - 1 - i, out[i] = 100 * rank + i;
  CHECK(MPI_Bcast_c(&number, 1, MPI_INT, size - 1, MPI_COMM_WORLD) == MPI_SUCCESS &&
        number == size - 1);
  CHECK(MPI_Gather_c(&rank, 1, MPI_INT, got, 1, MPI_INT, 0, MPI_COMM_WORLD) == MPI_SUCCESS &&
        (rank != 0 || got[size - 1] == size - 1));
  CHECK(MPI_Gatherv_c(&rank, 1, MPI_INT, got, counts, places, MPI_INT, 0, MPI_COMM_WORLD) ==
            MPI_SUCCESS &&
        (rank != 0 || got[0] == size - 1));
  CHECK(MPI_Scatter_c(out, 1, MPI_INT, &result, 1, MPI_INT, 0, MPI_COMM_WORLD) == MPI_SUCCESS &&
        result == rank);
  CHECK(MPI_Scatterv_c(out, counts, places, MPI_INT, &result, 1, MPI_INT, 0, MPI_COMM_WORLD) ==
            MPI_SUCCESS &&
        result == size - 1 - rank);
  CHECK(MPI_Allgather_c(&rank, 1, MPI_INT, got, 1, MPI_INT, MPI_COMM_WORLD) == MPI_SUCCESS &&
        got[size - 1] == size - 1 && got[0] == 0);
  CHECK(MPI_Allgatherv_c(&rank, 1, MPI_INT, got, counts, places, MPI_INT, MPI_COMM_WORLD) ==
            MPI_SUCCESS &&
        got[0] == size - 1);
  CHECK(MPI_Alltoall_c(out, 1, MPI_INT, in, 1, MPI_INT, MPI_COMM_WORLD) == MPI_SUCCESS &&
        in[size - 1] == 100 * (size - 1) + rank);
  CHECK(MPI_Alltoallv_c(out, counts, places, MPI_INT, in, counts, places, MPI_INT,
                        MPI_COMM_WORLD) == MPI_SUCCESS);
  CHECK(in[0] == 100 * (size - 1) + size - 1 - rank);
  CHECK(MPI_Reduce_c(&rank, &result, 1, MPI_INT, MPI_MAX, 0, MPI_COMM_WORLD) == MPI_SUCCESS &&
        (rank != 0 || result == size - 1));
  CHECK(MPI_Allreduce_c(&rank, &result, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD) == MPI_SUCCESS &&
        result == size - 1);
  CHECK(MPI_Scan_c(&rank, &result, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD) == MPI_SUCCESS &&
        result == rank);
  CHECK(MPI_Exscan_c(&rank, &result, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD) == MPI_SUCCESS &&
        (rank == 0 || result == rank - 1));
  CHECK(MPI_Reduce_scatter_c(out, &result, counts, MPI_INT, MPI_MAX, MPI_COMM_WORLD) ==
            MPI_SUCCESS &&
        result == 100 * (size - 1) + rank);
  CHECK(MPI_Reduce_scatter_block_c(out, &result, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD) ==
            MPI_SUCCESS &&
        result == rank);
  CHECK(MPI_Ibcast_c(&number, 1, MPI_INT, 0, MPI_COMM_WORLD, &request) == MPI_SUCCESS &&
        MPI_Wait(&request, MPI_STATUS_IGNORE) == MPI_SUCCESS);
  CHECK(MPI_Bcast_c(&number, INT64_MAX, MPI_INT, 0, MPI_COMM_WORLD) == MPI_ERR_COUNT);
  CHECK(MPI_Allgather_c(&rank, 0, MPI_INT, got, INT64_MAX, MPI_BYTE, MPI_COMM_WORLD) ==
            MPI_ERR_COUNT ||
        size == 1);
}

/* A different type to each rank: an int to even ones, both ends of three doubles to odd ones. */
static void of_types(void) {
  int size = world_size, rank = world_rank, counts[kMost], out_places[kMost], in_places[kMost];
  MPI_Datatype ends, out_types[kMost], in_types[kMost];
  struct {
    int number;
    double numbers[3];
  } out[kMost], in[kMost];
  CHECK(MPI_Type_vector(2, 1, 2, MPI_DOUBLE, &ends) == MPI_SUCCESS &&
        MPI_Type_commit(&ends) == MPI_SUCCESS);
  memset(in, 0, sizeof in);
  for (int i = 0; i < size; ++i) {
    out[i].number = 100 * rank + i;
    for (int k = 0; k < 3; ++k) out[i].numbers[k] = 10 * rank + i + k / 8.0;
    counts[i] = 1;
    out_types[i] = i % 2 == 0 ? MPI_INT : ends;
    in_types[i] = rank % 2 == 0 ? MPI_INT : ends;
    out_places[i] =
        (int)((char*)(i % 2 == 0 ? (void*)&out[i].number : (void*)out[i].numbers) - (char*)out);
    in_places[i] =
        (int)((char*)(rank % 2 == 0 ? (void*)&in[i].number : (void*)in[i].numbers) - (char*)in);
  }
  for (int as_request = 0; as_request < 2; ++as_request) {
    MPI_Request request = MPI_REQUEST_NULL;
    if (as_request) {
      CHECK(MPI_Ialltoallw(out, counts, out_places, out_types, in, counts, in_places, in_types,
                           MPI_COMM_WORLD, &request) == MPI_SUCCESS);
    } else {
      CHECK(MPI_Alltoallw(out, counts, out_places, out_types, in, counts, in_places, in_types,
                          MPI_COMM_WORLD) == MPI_SUCCESS);
    }
    CHECK(MPI_Wait(&request, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    for (int i = 0; i < size; ++i) {
      if (rank % 2 == 0) {
        CHECK(in[i].number == 100 * i + rank && in[i].numbers[0] == 0);
      } else {
        CHECK(in[i].number == 0 && in[i].numbers[0] == 10 * i + rank && in[i].numbers[1] == 0 &&
              in[i].numbers[2] == 10 * i + rank + 2 / 8.0);
      }
    }
    memset(in, 0, sizeof in);
  }
  CHECK(MPI_Alltoallw(out, counts, out_places, NULL, in, counts, in_places, in_types,
                      MPI_COMM_WORLD) == MPI_ERR_ARG);
  CHECK(MPI_Type_free(&ends) == MPI_SUCCESS);
}

/* Rank 0 frees its request before the others have begun, which is refused, and again when its end
 * was reported. */
static void freed_when_it_is_complete(void) {
  MPI_Request request;
  MPI_Status status;
  int flag = 0, number = 4;
  if (world_rank > 0) MPI_Recv(&number, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  CHECK(MPI_Ibcast(&number, 1, MPI_INT, world_size - 1, MPI_COMM_WORLD, &request) == MPI_SUCCESS);
  if (world_rank == 0 && world_size > 1)
    CHECK(MPI_Request_free(&request) == MPI_ERR_REQUEST && request != MPI_REQUEST_NULL);
  if (world_rank == 0) {
    for (int rank = 1; rank < world_size; ++rank)
      MPI_Send(&number, 1, MPI_INT, rank, 0, MPI_COMM_WORLD);
  }
  while (!flag) CHECK(MPI_Request_get_status(request, &flag, &status) == MPI_SUCCESS);
  CHECK(MPI_Request_free(&request) == MPI_SUCCESS && request == MPI_REQUEST_NULL && number == 4);
}

/* As above, for a communicator, which still exists. */
static void duplicate_that_is_freed(void) {
  MPI_Request request;
  MPI_Comm copy = MPI_COMM_NULL;
  int flag = 0;
  CHECK(MPI_Comm_idup(MPI_COMM_WORLD, &copy, &request) == MPI_SUCCESS);
  while (MPI_Request_free(&request) == MPI_ERR_REQUEST)
    CHECK(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE) ==
          MPI_SUCCESS);
  CHECK(request == MPI_REQUEST_NULL && copy != MPI_COMM_NULL && MPI_Barrier(copy) == MPI_SUCCESS &&
        MPI_Comm_free(&copy) == MPI_SUCCESS);
}

int main(void) {
  begin();
  MPI_Request request;
  CHECK(world_size <= kMost);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  all_at_once();
  if (world_size > 1) barrier_waits_for_all();
  orders_differ_between_communicators();
  /* as all do */
  CHECK(MPI_Ibcast(&request, 1, MPI_INT, world_size, MPI_COMM_WORLD, &request) == MPI_ERR_ROOT);
  CHECK(MPI_Ibarrier(MPI_COMM_WORLD, NULL) == MPI_ERR_ARG);
  freed_when_it_is_complete();
  duplicate_that_is_freed();
  all_at_once();
  large_counts();
  of_types();
  MPI_Finalize();
  return 0;
}
