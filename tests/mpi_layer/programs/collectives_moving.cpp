// Collective functions that move items, on both sides of every limit between algorithms, in teams
// of all sizes, with all roots, in place, and with ranks whose types have the same signature but
// differ. What is received must be what was sent, and nothing else may change.
#include "collective_items.h"
#include "mpi_layer/mpi/runtime/collective_limits.h"

namespace {

using namespace lintel::mpi;

// What rank `from` sends to rank `to` at place `i`.
int value(int from, int to, int i) { return from * 1000003 + to * 1009 + i * 7; }

// Odd ranks have holes where the number of values allows it.
bool has_holes(int at, int values) { return at % 2 == 1 && values % 2 == 0; }

void broadcasts(int values) {
  with_roots(values, [=](int root) {
    Items items(values, has_holes(rank, values));
    for (int i = 0; i < values && rank == root; ++i) items[i] = value(root, 0, i);
    CHECK(MPI_Bcast(items.data(), items.count_of(values), items.type(), root, team) == MPI_SUCCESS);
    for (int i = 0; i < values; ++i) CHECK(items[i] == value(root, 0, i));
  });
}

void gathers(int values, bool in_place) {
  with_roots(values, [=](int root) {
    Items own(values, has_holes(rank, values)), all(size * values, has_holes(rank + 1, values));
    for (int i = 0; i < values; ++i) own[i] = value(rank, root, i);
    for (int i = 0; i < values; ++i) all[rank * values + i] = own[i];
    void* const from = in_place && rank == root ? MPI_IN_PLACE : own.data();
    if (!in_place) all.clear();
    CHECK(MPI_Gather(from, own.count_of(values), own.type(), all.data(), all.count_of(values),
                     all.type(), root, team) == MPI_SUCCESS);
    for (int k = 0; k < size * values && rank == root; ++k)
      CHECK(all[k] == value(k / values, root, k % values));
  });
}

void scatters(int values, bool in_place) {
  with_roots(values, [=](int root) {
    Items own(values, has_holes(rank, values)), all(size * values, has_holes(rank + 1, values));
    for (int k = 0; k < size * values; ++k) all[k] = value(root, k / values, k % values);
    const bool stays = in_place && rank == root;
    void* const to = stays ? MPI_IN_PLACE : own.data();
    CHECK(MPI_Scatter(all.data(), all.count_of(values), all.type(), to, own.count_of(values),
                      own.type(), root, team) == MPI_SUCCESS);
    for (int i = 0; i < values; ++i) CHECK(own[i] == (stays ? Items::kHole : value(root, rank, i)));
    for (int k = 0; k < size * values; ++k) CHECK(all[k] == value(root, k / values, k % values));
  });
}

void gathers_to_all(int values, bool in_place) {
  Items own(values, has_holes(rank, values)), all(size * values, has_holes(rank + 1, values));
  for (int i = 0; i < values; ++i) own[i] = value(rank, 0, i);
  for (int i = 0; i < values && in_place; ++i) all[rank * values + i] = own[i];
  void* const from = in_place ? MPI_IN_PLACE : own.data();
  CHECK(MPI_Allgather(from, own.count_of(values), own.type(), all.data(), all.count_of(values),
                      all.type(), team) == MPI_SUCCESS);
  for (int k = 0; k < size * values; ++k) CHECK(all[k] == value(k / values, 0, k % values));
}

void all_to_all(int values, bool in_place) {
  Items out(size * values, has_holes(rank, values)), in(size * values, has_holes(rank + 1, values));
  Items& own = in_place ? in : out;
  for (int k = 0; k < size * values; ++k) own[k] = value(rank, k / values, k % values);
  void* const from = in_place ? MPI_IN_PLACE : out.data();
  CHECK(MPI_Alltoall(from, out.count_of(values), out.type(), in.data(), in.count_of(values),
                     in.type(), team) == MPI_SUCCESS);
  for (int k = 0; k < size * values; ++k) CHECK(in[k] == value(k / values, rank, k % values));
}

// Numbers that differ from rank to rank, one of them 0. Their places have gaps and are in reverse
// order.
struct Various {
  // The number of each rank is `of(rank)`.
  template <class Of>
  explicit Various(Of of) : counts(static_cast<size_t>(size)), places(static_cast<size_t>(size)) {
    for (int at = size - 1; at >= 0; --at) {
      counts[static_cast<size_t>(at)] = of(at);
      places[static_cast<size_t>(at)] = room;
      room += of(at) + 3;
    }
  }
  int count(int at) const { return counts[static_cast<size_t>(at)]; }
  int place(int at) const { return places[static_cast<size_t>(at)]; }
  std::vector<int> counts, places;
  int room = 0;
};

// `items` hold `value_of(rank, i)` for each rank, and nothing between is changed.
template <class ValueOf>
void check_various(Items& items, const Various& various, ValueOf value_of) {
  std::vector<int> expected(static_cast<size_t>(various.room), Items::kHole);
  for (int at = 0; at < size; ++at) {
    for (int i = 0; i < various.count(at); ++i)
      expected[static_cast<size_t>(various.place(at) + i)] = value_of(at, i);
  }
  for (int k = 0; k < various.room; ++k) CHECK(items[k] == expected[static_cast<size_t>(k)]);
}

void various_with_root(int values, bool in_place) {
  const Various parts([=](int at) { return at % 3 == 2 ? 0 : values + at; });
  const int mine = parts.count(rank);
  with_roots(values, [&](int root) {
    void* const own_place = in_place && rank == root ? MPI_IN_PLACE : nullptr;
    Items own(mine, false), all(parts.room, false);
    for (int i = 0; i < mine; ++i) own[i] = value(rank, root, i);
    for (int i = 0; i < mine && own_place == MPI_IN_PLACE; ++i) all[parts.place(rank) + i] = own[i];
    CHECK(MPI_Gatherv(own_place ? own_place : own.data(), mine, MPI_INT, all.data(),
                      parts.counts.data(), parts.places.data(), MPI_INT, root,
                      team) == MPI_SUCCESS);
    if (rank == root) check_various(all, parts, [=](int at, int i) { return value(at, root, i); });
    for (int at = 0; at < size; ++at) {
      for (int i = 0; i < parts.count(at); ++i) all[parts.place(at) + i] = value(root, at, i);
    }
    own.clear();
    CHECK(MPI_Scatterv(all.data(), parts.counts.data(), parts.places.data(), MPI_INT,
                       own_place ? own_place : own.data(), mine, MPI_INT, root,
                       team) == MPI_SUCCESS);
    for (int i = 0; i < mine; ++i)
      CHECK(own[i] == (own_place ? Items::kHole : value(root, rank, i)));
  });
}

void various_to_all(int values, bool in_place) {
  const Various parts([=](int at) { return at % 3 == 2 ? 0 : values + at; });
  Items own(parts.count(rank), false), all(parts.room, false);
  for (int i = 0; i < parts.count(rank); ++i)
    (in_place ? all[parts.place(rank) + i] : own[i]) = value(rank, 0, i);
  CHECK(MPI_Allgatherv(in_place ? MPI_IN_PLACE : own.data(), parts.count(rank), MPI_INT, all.data(),
                       parts.counts.data(), parts.places.data(), MPI_INT, team) == MPI_SUCCESS);
  check_various(all, parts, [](int at, int i) { return value(at, 0, i); });
}

void various_between_all(int values, bool in_place) {
  const Various pairs([=](int at) { return (at + rank) % 3 == 2 ? 0 : values + at + rank; });
  Items out(pairs.room, false), in(pairs.room, false);
  Items& own = in_place ? in : out;
  for (int at = 0; at < size; ++at) {
    for (int i = 0; i < pairs.count(at); ++i) own[pairs.place(at) + i] = value(rank, at, i);
  }
  CHECK(MPI_Alltoallv(in_place ? MPI_IN_PLACE : out.data(), pairs.counts.data(),
                      pairs.places.data(), MPI_INT, in.data(), pairs.counts.data(),
                      pairs.places.data(), MPI_INT, team) == MPI_SUCCESS);
  check_various(in, pairs, [](int at, int i) { return value(at, rank, i); });
}

void all() {
  constexpr std::int64_t kInt = sizeof(int);
  if (!kTwoJobs) around(kLongBroadcast, kInt, broadcasts);  // IMPI has another limit
  for (const bool in_place : {false, true}) {
    around(kLongPart, kInt, [=](int values) { gathers(values, in_place); });
    around(kLongPart, kInt, [=](int values) { scatters(values, in_place); });
    around(kLongGatherToAll, size * kInt, [=](int values) { gathers_to_all(values, in_place); });
    around(kLongExchange, kInt, [=](int values) { all_to_all(values, in_place); });
    around(kPairedExchange, kInt, [=](int values) { all_to_all(values, in_place); });
    for (const int values : {0, 5, 5000}) various_with_root(values, in_place);
    around(kLongGatherToAll, size * kInt, [=](int values) { various_to_all(values, in_place); });
    for (const int values : {0, 5, 5000}) various_between_all(values, in_place);
  }
}

}  // namespace

int main() {
  begin();
  divide();
  in_teams_of_all_sizes(all);
  return MPI_Finalize();
}
