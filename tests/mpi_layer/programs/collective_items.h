#pragma once
// What the tests of collective functions at their limits share: numbers in memory with or without
// holes, and teams of all sizes.

#include <cstdint>
#include <initializer_list>
#include <vector>

#include "check.h"
#ifdef LINTEL_TEST_JOBS
#include "as_jobs.h"
#endif

// `values` numbers as items of MPI_INT or, `with_holes`, as half as many items of two numbers with
// a hole behind each. The holes are checked.
class Items {
 public:
  // REQUIRES: an even number of values if they have holes.
  Items(int values, bool with_holes)
      : with_holes_(with_holes),
        values_(values),
        ints_(static_cast<size_t>(values * (with_holes ? 2 : 1)) + 2, kHole) {}
  Items(const Items&) = delete;
  Items& operator=(const Items&) = delete;
  ~Items() {
    for (int i = 0; i < values_ && with_holes_; ++i) CHECK(ints_[place(i) + 1] == kHole);
    CHECK(ints_.back() == kHole);
  }

  void* data() { return ints_.data(); }
  int count_of(int values) const { return with_holes_ ? values / 2 : values; }
  MPI_Datatype type() const { return with_holes_ ? holed() : MPI_INT; }
  int& operator[](int i) { return ints_[place(i)]; }
  void clear() {
    for (int i = 0; i < values_; ++i) (*this)[i] = kHole;
  }

  // Two numbers, each with a hole of its size behind it.
  static MPI_Datatype holed() {
    static const MPI_Datatype type = [] {
      MPI_Datatype vector, resized;
      MPI_Type_vector(2, 1, 2, MPI_INT, &vector);
      MPI_Type_create_resized(vector, 0, 4 * sizeof(int), &resized);
      MPI_Type_commit(&resized);
      MPI_Type_free(&vector);
      return resized;
    }();
    return type;
  }

  static constexpr int kHole = -7;

 private:
  size_t place(int i) const { return static_cast<size_t>(with_holes_ ? 2 * i : i); }

  bool with_holes_;
  int values_;
  std::vector<int> ints_;
};

// The communicator of a test, and its size and rank there.
static MPI_Comm team;
static int size, rank;

// Whether ranks with odd and even numbers are made to exchange external32, as if they were of two
// jobs.
#ifdef LINTEL_TEST_JOBS
constexpr bool kTwoJobs = true;
inline void divide() {
  set_external_ranks([](int other, int own) { return other % 2 != own % 2; });
}
#else
constexpr bool kTwoJobs = false;
inline void divide() {}
#endif

// Runs `body` in teams of the first 1, 2, 3, 4, 5, 7 and 8 ranks, as far as there are that many.
template <class Body>
void in_teams_of_all_sizes(Body body) {
  for (const int wanted : {1, 2, 3, 4, 5, 7, 8}) {
    if (wanted > world_size) break;
    MPI_Comm_split(MPI_COMM_WORLD, world_rank < wanted ? 0 : MPI_UNDEFINED, 0, &team);
    if (team == MPI_COMM_NULL) continue;
    MPI_Comm_size(team, &size);
    MPI_Comm_rank(team, &rank);
    body();
    MPI_Comm_free(&team);
  }
}

// Runs `body(values)` with no values, with few, and with as many values of `bytes` as are just
// below and just above `limit`, odd and even numbers.
template <class Body>
void around(std::int64_t limit, std::int64_t bytes, Body body) {
  const int most = static_cast<int>(limit / bytes);
  for (const int values : {0, 1, 6, most - 2, most - 1, most, most + 1, most + 2}) {
    if (values >= 0) body(values);
  }
}

// Runs `body(root)` with every root, or, where much is moved, with the first, a middle and the last
// one.
template <class Body>
void with_roots(int values, Body body) {
  for (int root = 0; root < size; ++root) {
    if (values < 1000 || root == 0 || root == size / 2 || root == size - 1) body(root);
  }
}
