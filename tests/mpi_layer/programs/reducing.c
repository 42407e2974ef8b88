/* Reductions and scans compared with serial ones, also with an operation that depends on the order
 * of ranks. */
#include <string.h>

#include "check.h"

enum { kCount = 5000 };
typedef struct {
  unsigned a, b;
} affine; /* x -> a x + b, which does not commute */

static int numbers[8 * kCount], results[8 * kCount];
static affine maps[kCount], composed[kCount];

static void compose(void* in, void* inout, int* count, MPI_Datatype* type) {
  (void)type;
  for (int i = 0; i < *count; ++i) {
    const affine first = ((affine*)in)[i], then = ((affine*)inout)[i];
    ((affine*)inout)[i] = (affine){first.a * then.a, then.a * first.b + then.b};
  }
}

static int number(int rank, int i) { return (rank + 2) * 31 + i % 1000; }
static int sum_of(int ranks, int i) {
  int sum = 0;
  for (int rank = 0; rank < ranks; ++rank) sum += number(rank, i);
  return sum;
}
static affine map(int rank, int i) {
  return (affine){(unsigned)(rank + 2), (unsigned)(rank * 7 + i)};
}
static affine composition(int ranks, int i) {
  affine result = map(0, i);
  for (int rank = 1; rank < ranks; ++rank) {
    affine next = map(rank, i);
    int one = 1;
    compose(&result, &next, &one, NULL);
    result = next;
  }
  return result;
}

static void sums(int in_place) {
  const int whole = world_size * (kCount / 8);
  for (int root = 0; root < world_size; ++root) {
    for (int i = 0; i < kCount; ++i) numbers[i] = results[i] = number(world_rank, i);
    const void* own = in_place && world_rank == root ? MPI_IN_PLACE : (const void*)numbers;
    CHECK(MPI_Reduce(own, results, kCount, MPI_INT, MPI_SUM, root, MPI_COMM_WORLD) == MPI_SUCCESS);
    for (int i = 0; i < kCount; ++i)
      CHECK(results[i] == (world_rank == root ? sum_of(world_size, i) : number(world_rank, i)));
  }
  const void* own = in_place ? MPI_IN_PLACE : (const void*)numbers;
  for (int i = 0; i < kCount; ++i) results[i] = number(world_rank, i);
  CHECK(MPI_Allreduce(own, results, kCount, MPI_INT, MPI_SUM, MPI_COMM_WORLD) == MPI_SUCCESS);
  for (int i = 0; i < kCount; ++i) CHECK(results[i] == sum_of(world_size, i));
  for (int i = 0; i < kCount; ++i) results[i] = number(world_rank, i);
  CHECK(MPI_Scan(own, results, kCount, MPI_INT, MPI_SUM, MPI_COMM_WORLD) == MPI_SUCCESS);
  for (int i = 0; i < kCount; ++i) CHECK(results[i] == sum_of(world_rank + 1, i));
  for (int i = 0; i < kCount; ++i) results[i] = number(world_rank, i);
  CHECK(MPI_Exscan(own, results, kCount, MPI_INT, MPI_SUM, MPI_COMM_WORLD) == MPI_SUCCESS);
  for (int i = 0; i < kCount && world_rank > 0; ++i) CHECK(results[i] == sum_of(world_rank, i));

  for (int i = 0; i < whole; ++i) numbers[i] = results[i] = number(world_rank, i);
  CHECK(MPI_Reduce_scatter_block(own, results, kCount / 8, MPI_INT, MPI_SUM, MPI_COMM_WORLD) ==
        MPI_SUCCESS);
  for (int i = 0; i < kCount / 8; ++i)
    CHECK(results[i] == sum_of(world_size, world_rank * (kCount / 8) + i));
  int counts[64], begin_of_own = 0, total = 0;
  for (int rank = 0; rank < world_size; ++rank) {
    counts[rank] = 10 * rank + 1;
    if (rank < world_rank) begin_of_own += counts[rank];
    total += counts[rank];
  }
  for (int i = 0; i < total; ++i) numbers[i] = results[i] = number(world_rank, i);
  CHECK(MPI_Reduce_scatter(own, results, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD) == MPI_SUCCESS);
  for (int i = 0; i < counts[world_rank]; ++i)
    CHECK(results[i] == sum_of(world_size, begin_of_own + i));
}

static int same(affine x, affine y) { return x.a == y.a && x.b == y.b; }

static void compositions(void) {
  MPI_Datatype type;
  MPI_Op op;
  MPI_Type_contiguous(2, MPI_UNSIGNED, &type);
  MPI_Type_commit(&type);
  MPI_Op_create(compose, 0, &op);
  for (int i = 0; i < kCount; ++i) maps[i] = map(world_rank, i);
  for (int root = 0; root < world_size; ++root) {
    CHECK(MPI_Reduce(maps, composed, kCount, type, op, root, MPI_COMM_WORLD) == MPI_SUCCESS);
    for (int i = 0; i < kCount && world_rank == root; ++i)
      CHECK(same(composed[i], composition(world_size, i)));
  }
  CHECK(MPI_Allreduce(maps, composed, kCount, type, op, MPI_COMM_WORLD) == MPI_SUCCESS);
  for (int i = 0; i < kCount; ++i) CHECK(same(composed[i], composition(world_size, i)));
  CHECK(MPI_Scan(maps, composed, kCount, type, op, MPI_COMM_WORLD) == MPI_SUCCESS);
  for (int i = 0; i < kCount; ++i) CHECK(same(composed[i], composition(world_rank + 1, i)));
  MPI_Op_free(&op);
  MPI_Type_free(&type);
}

static void locations(void) {
  struct {
    double value;
    int rank;
  } own = {100.0 - world_rank, world_rank}, least = {0, -1};
  CHECK(MPI_Allreduce(&own, &least, 1, MPI_DOUBLE_INT, MPI_MINLOC, MPI_COMM_WORLD) == MPI_SUCCESS);
  CHECK(least.rank == world_size - 1 && least.value == 100.0 - (world_size - 1));
}

int main(void) {
  begin();
  sums(0);
  sums(1);
  compositions();
  locations();
  MPI_Finalize();
  return 0;
}
