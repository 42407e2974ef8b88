// Collective functions that compute, on both sides of every limit between algorithms, in teams of
// all sizes, with all roots and in place: a sum and an operation that does not commute, on items
// with and without holes, each compared with a serial computation.
#include "collective_items.h"
#include "mpi_layer/mpi/runtime/collective_limits.h"

namespace {

using namespace lintel::mpi;

// x -> a x + b, modulo 2^32: two neighbouring values. The composition of two does not commute.
struct Affine {
  unsigned a, b;
  Affine then(Affine next) const { return {a * next.a, next.a * b + next.b}; }
};

void compose(void* in, void* inout, int* count, MPI_Datatype* type) {
  MPI_Aint low, extent;
  MPI_Type_get_extent(*type, &low, &extent);
  const auto stride =
      static_cast<std::ptrdiff_t>(extent) / static_cast<std::ptrdiff_t>(sizeof(unsigned));
  const std::ptrdiff_t second = stride / 2;
  auto *first = static_cast<unsigned*>(in), *then = static_cast<unsigned*>(inout);
  for (int i = 0; i < *count; ++i, first += stride, then += stride) {
    const Affine both = Affine{first[0], first[second]}.then({then[0], then[second]});
    then[0] = both.a;
    then[second] = both.b;
  }
}

// The sum of all values of an item, for a datatype of integers at equal distances.
void add(void* in, void* inout, int* count, MPI_Datatype* type) {
  MPI_Aint low, extent;
  int bytes;
  MPI_Type_get_extent(*type, &low, &extent);
  MPI_Type_size(*type, &bytes);
  const int values = bytes / static_cast<int>(sizeof(int));
  const auto stride = static_cast<std::ptrdiff_t>(extent) / bytes;
  auto *first = static_cast<int*>(in), *second = static_cast<int*>(inout);
  for (std::ptrdiff_t i = 0; i < std::ptrdiff_t{*count} * values; ++i)
    second[i * stride] += first[i * stride];
}

// An operation, with the number of values that make one item, as the library knows it.
struct Operation {
  MPI_Op op;
  MPI_Datatype type;
  bool with_holes;
  int values;  // of an item
  bool is_sum = true;

  static int own(int at, int i) { return (at + 2) * 31 + i % 1009; }
};

// Values [first, first + count) of ranks 0 to `last` combined.
std::vector<int> combined(const Operation& operation, int last, int first, int count) {
  std::vector<int> results;
  for (int i = first; i < first + count; i += operation.is_sum ? 1 : 2) {
    if (operation.is_sum) {
      int sum = 0;
      for (int at = 0; at <= last; ++at) sum += Operation::own(at, i);
      results.push_back(sum);
      continue;
    }
    Affine all{1, 0};
    for (int at = 0; at <= last; ++at)
      all = all.then({static_cast<unsigned>(Operation::own(at, i)),
                      static_cast<unsigned>(Operation::own(at, i + 1))});
    results.insert(results.end(), {static_cast<int>(all.a), static_cast<int>(all.b)});
  }
  return results;
}

void check_values(Items& items, const std::vector<int>& expected) {
  for (size_t i = 0; i < expected.size(); ++i) CHECK(items[static_cast<int>(i)] == expected[i]);
}

// A call's two buffers: `in` has this rank's values. `out` has them too if the call is in place.
struct Buffers {
  Buffers(const Operation& operation, int items, bool is_in_place)
      : values(items * operation.values),
        in(values, operation.with_holes),
        out(values, operation.with_holes),
        in_place(is_in_place) {
    for (int i = 0; i < values; ++i) (in_place ? out[i] : in[i]) = Operation::own(rank, i);
  }
  const void* from() { return in_place ? MPI_IN_PLACE : in.data(); }
  // The call only reads what is sent.
  void check_sent() {
    for (int i = 0; !in_place && i < values; ++i) CHECK(in[i] == Operation::own(rank, i));
  }
  int values;
  Items in, out;
  bool in_place;
};

void reductions(const Operation& operation, int items, bool in_place) {
  const int values = items * operation.values;
  const std::vector<int> expected = combined(operation, size - 1, 0, values);
  const std::vector<int> untouched(static_cast<size_t>(values), Items::kHole);
  with_roots(items, [&](int root) {
    Buffers buffers(operation, items, in_place && rank == root);
    CHECK(MPI_Reduce(buffers.from(), buffers.out.data(), items, operation.type, operation.op, root,
                     team) == MPI_SUCCESS);
    check_values(buffers.out, rank == root ? expected : untouched);
    buffers.check_sent();
  });
  Buffers buffers(operation, items, in_place);
  CHECK(MPI_Allreduce(buffers.from(), buffers.out.data(), items, operation.type, operation.op,
                      team) == MPI_SUCCESS);
  check_values(buffers.out, expected);
  buffers.check_sent();
  Buffers in_background(operation, items, in_place);
  MPI_Request request;
  CHECK(MPI_Iallreduce(in_background.from(), in_background.out.data(), items, operation.type,
                       operation.op, team, &request) == MPI_SUCCESS);
  CHECK(MPI_Wait(&request, MPI_STATUS_IGNORE) == MPI_SUCCESS);
  check_values(in_background.out, expected);
  in_background.check_sent();
}

void scans(const Operation& operation, int items, bool in_place) {
  const int values = items * operation.values;
  Buffers inclusive(operation, items, in_place), exclusive(operation, items, in_place);
  CHECK(MPI_Scan(inclusive.from(), inclusive.out.data(), items, operation.type, operation.op,
                 team) == MPI_SUCCESS);
  CHECK(MPI_Exscan(exclusive.from(), exclusive.out.data(), items, operation.type, operation.op,
                   team) == MPI_SUCCESS);
  check_values(inclusive.out, combined(operation, rank, 0, values));
  if (rank > 0) check_values(exclusive.out, combined(operation, rank - 1, 0, values));
}

// `items` for each rank.
void scattered_blocks(const Operation& operation, int items, bool in_place) {
  const int values = items * operation.values;
  Buffers buffers(operation, size * items, in_place);
  CHECK(MPI_Reduce_scatter_block(buffers.from(), buffers.out.data(), items, operation.type,
                                 operation.op, team) == MPI_SUCCESS);
  check_values(buffers.out, combined(operation, size - 1, rank * values, values));
}

// About that many for each rank, none for some.
void scattered_parts(const Operation& operation, int items, bool in_place) {
  std::vector<int> counts;
  int before = 0, all = 0;
  for (int at = 0; at < size; ++at) {
    counts.push_back(at % 3 == 1 ? 0 : items + at);
    if (at < rank) before += counts.back();
    all += counts.back();
  }
  Buffers buffers(operation, all, in_place);
  CHECK(MPI_Reduce_scatter(buffers.from(), buffers.out.data(), counts.data(), operation.type,
                           operation.op, team) == MPI_SUCCESS);
  const int mine = counts[static_cast<size_t>(rank)] * operation.values;
  check_values(buffers.out, combined(operation, size - 1, before * operation.values, mine));
}

void all(const Operation& operation) {
  const std::int64_t bytes = operation.values * static_cast<std::int64_t>(sizeof(int));
  for (const bool in_place : {false, true}) {
    around(kLongReduction, bytes, [&](int items) { reductions(operation, items, in_place); });
    for (const int items : {0, 1, 6, 3001}) scans(operation, items, in_place);
    around(kLongReduceScatter, size * bytes, [&](int items) {
      scattered_blocks(operation, items, in_place);
      scattered_parts(operation, items, in_place);
    });
  }
}

}  // namespace

int main() {
  begin();
  divide();
  MPI_Op in_order, sum;
  MPI_Datatype pair, block;
  MPI_Op_create(compose, 0, &in_order);
  MPI_Op_create(add, 1, &sum);
  MPI_Type_contiguous(2, MPI_INT, &pair);
  MPI_Type_commit(&pair);
  constexpr int kBlock = 16 * 1024;  // values; one block is long
  MPI_Type_contiguous(kBlock, MPI_INT, &block);
  MPI_Type_commit(&block);
  in_teams_of_all_sizes([&] {
    all({MPI_SUM, MPI_INT, false, 1});
    all({in_order, pair, false, 2, false});
    all({in_order, Items::holed(), true, 2, false});
    around(kLongReduction, 2 * sizeof(int), [&](int items) {
      reductions({sum, Items::holed(), true, 2}, items, false);
    });
    // Some ranks have nothing to combine.
    for (const int items : {1, 2, 3}) reductions({sum, block, false, kBlock}, items, false);
    // Sends of a half and of a quarter end only when the other side has received them.
    reductions({MPI_SUM, MPI_INT, false, 1}, 128 * 1024, false);
  });
  return MPI_Finalize();
}
