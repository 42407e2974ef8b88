/* Collectives that move items, each compared with the expected result; with every root, in place,
 * with types that have holes. */
#include <string.h>

#include "check.h"

enum { kMost = 64, kItems = 3000 };
static int in[kMost * kItems], out[kMost * kItems], counts[kMost], places[kMost];

/* What rank `from` sends to rank `to` at place `i`. */
static int item(int from, int to, int i) { return from * 1000003 + to * 1009 + i; }

static void broadcasts(void) {
  MPI_Datatype pairs;
  MPI_Type_vector(kItems / 2, 1, 2, MPI_INT, &pairs);
  MPI_Type_commit(&pairs);
  for (int root = 0; root < world_size; ++root) {
    for (int i = 0; i < kItems; ++i) in[i] = world_rank == root ? item(root, 0, i) : -1;
    CHECK(MPI_Bcast(in, kItems, MPI_INT, root, MPI_COMM_WORLD) == MPI_SUCCESS);
    for (int i = 0; i < kItems; ++i) CHECK(in[i] == item(root, 0, i));
    for (int i = 0; i < kItems; ++i) in[i] = world_rank == root ? item(root, 1, i) : -1;
    CHECK(MPI_Bcast(in, 1, pairs, root, MPI_COMM_WORLD) == MPI_SUCCESS);
    for (int i = 0; i < kItems; ++i)
      CHECK(in[i] == (i % 2 == 0 || world_rank == root ? item(root, 1, i) : -1));
  }
  MPI_Type_free(&pairs);
}

static void gathers(int root, int in_place) {
  const int is_root = world_rank == root;
  memset(in, -1, sizeof in);
  for (int i = 0; i < kItems; ++i) out[i] = item(world_rank, root, i);
  if (is_root && in_place) memcpy(in + root * kItems, out, kItems * sizeof(int));
  const void* own = is_root && in_place ? MPI_IN_PLACE : (const void*)out;
  CHECK(MPI_Gather(own, kItems, MPI_INT, in, kItems, MPI_INT, root, MPI_COMM_WORLD) == MPI_SUCCESS);
  for (int k = 0; k < world_size * kItems && is_root; ++k)
    CHECK(in[k] == item(k / kItems, root, k % kItems));

  /* Rank r has r + 1 items, which go to place (size - 1 - r) * kItems. */
  memset(in, -1, sizeof in);
  if (is_root && in_place)
    memcpy(in + (world_size - 1 - root) * kItems, out, (size_t)counts[root] * sizeof(int));
  CHECK(MPI_Gatherv(own, counts[world_rank], MPI_INT, in, counts, places, MPI_INT, root,
                    MPI_COMM_WORLD) == MPI_SUCCESS);
  for (int k = 0; k < world_size * kItems && is_root; ++k) {
    const int rank = world_size - 1 - k / kItems;
    CHECK(in[k] == (k % kItems < counts[rank] ? item(rank, root, k % kItems) : -1));
  }
}

static void scatters(int root, int in_place) {
  const int is_root = world_rank == root;
  void* own = is_root && in_place ? MPI_IN_PLACE : (void*)in;
  for (int k = 0; k < world_size * kItems; ++k) out[k] = item(root, k / kItems, k % kItems);
  memset(in, -1, sizeof in);
  CHECK(MPI_Scatter(out, kItems, MPI_INT, own, kItems, MPI_INT, root, MPI_COMM_WORLD) ==
        MPI_SUCCESS);
  for (int i = 0; i < kItems && own == in; ++i) CHECK(in[i] == item(root, world_rank, i));
  memset(in, -1, sizeof in);
  CHECK(MPI_Scatterv(out, counts, places, MPI_INT, own, kItems, MPI_INT, root, MPI_COMM_WORLD) ==
        MPI_SUCCESS);
  for (int i = 0; i < kItems && own == in; ++i)
    CHECK(in[i] == (i < counts[world_rank] ? item(root, world_size - 1 - world_rank, i) : -1));
}

static void gathers_to_all(int in_place) {
  const void* own = in_place ? MPI_IN_PLACE : (const void*)out;
  for (int i = 0; i < kItems; ++i) out[i] = item(world_rank, 0, i);
  memset(in, -1, sizeof in);
  if (in_place) memcpy(in + world_rank * kItems, out, kItems * sizeof(int));
  CHECK(MPI_Allgather(own, kItems, MPI_INT, in, kItems, MPI_INT, MPI_COMM_WORLD) == MPI_SUCCESS);
  for (int k = 0; k < world_size * kItems; ++k) CHECK(in[k] == item(k / kItems, 0, k % kItems));
  memset(in, -1, sizeof in);
  if (in_place) memcpy(in + places[world_rank], out, (size_t)counts[world_rank] * sizeof(int));
  CHECK(MPI_Allgatherv(own, counts[world_rank], MPI_INT, in, counts, places, MPI_INT,
                       MPI_COMM_WORLD) == MPI_SUCCESS);
  for (int k = 0; k < world_size * kItems; ++k) {
    const int rank = world_size - 1 - k / kItems;
    CHECK(in[k] == (k % kItems < counts[rank] ? item(rank, 0, k % kItems) : -1));
  }
}

static void all_to_all(int in_place) {
  int* const own = in_place ? in : out;
  const void* from = in_place ? MPI_IN_PLACE : (const void*)out;
  memset(in, -1, sizeof in);
  for (int k = 0; k < world_size * kItems; ++k) own[k] = item(world_rank, k / kItems, k % kItems);
  CHECK(MPI_Alltoall(from, kItems, MPI_INT, in, kItems, MPI_INT, MPI_COMM_WORLD) == MPI_SUCCESS);
  for (int k = 0; k < world_size * kItems; ++k)
    CHECK(in[k] == item(k / kItems, world_rank, k % kItems));

  /* Ranks a and b have a + b + 1 items for each other. */
  int pairs[kMost], begins[kMost];
  for (int rank = 0; rank < world_size; ++rank) {
    pairs[rank] = rank + world_rank + 1;
    begins[rank] = rank * kItems;
  }
  memset(in, -1, sizeof in);
  for (int k = 0; k < world_size * kItems; ++k) {
    if (k % kItems < pairs[k / kItems]) own[k] = item(world_rank, k / kItems, k % kItems);
  }
  CHECK(MPI_Alltoallv(from, pairs, begins, MPI_INT, in, pairs, begins, MPI_INT, MPI_COMM_WORLD) ==
        MPI_SUCCESS);
  for (int k = 0; k < world_size * kItems; ++k)
    CHECK(in[k] ==
          (k % kItems < pairs[k / kItems] ? item(k / kItems, world_rank, k % kItems) : -1));
}

int main(void) {
  begin();
  for (int rank = 0; rank < world_size; ++rank) {
    counts[rank] = rank + 1;
    places[rank] = (world_size - 1 - rank) * kItems;
  }
  for (int i = 0; i < 20; ++i) CHECK(MPI_Barrier(MPI_COMM_WORLD) == MPI_SUCCESS);
  broadcasts();
  for (int in_place = 0; in_place < 2; ++in_place) {
    for (int root = 0; root < world_size; ++root) {
      gathers(root, in_place);
      scatters(root, in_place);
    }
    gathers_to_all(in_place);
    all_to_all(in_place);
  }
  MPI_Finalize();
  return 0;
}
