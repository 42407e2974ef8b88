#include "mpi_layer/mpi/runtime/gather_to_all.h"

#include <algorithm>
#include <memory>
#include <vector>

#include "mpi_layer/mpi/runtime/collective_limits.h"
#include "mpi_layer/mpi/runtime/ring.h"

namespace lintel::mpi {

namespace {

// Bruck's algorithm: with the parts of so many ranks from its own on, around, each rank gives them to the rank that many before it and gets as many from behind.
int gather_by_doubling(const Team& team, const Parts& parts) {
  const int size = team.size();
  const auto rank_behind = [&](int distance) { return (team.rank() + distance) % size; };
  std::vector<std::int64_t> begins(static_cast<std::size_t>(size) + 1);  // of the part of the rank so many behind, in `packed`
  for (int i = 0; i < size; ++i)
    begins[static_cast<std::size_t>(i) + 1] = begins[static_cast<std::size_t>(i)] + parts.at(rank_behind(i)).bytes();
  const auto packed = std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(begins.back()));
  const auto range = [&](int first, int end) {
    const std::int64_t begin = begins[static_cast<std::size_t>(first)];
    return Team::bytes(packed.get() + begin, begins[static_cast<std::size_t>(end)] - begin);
  };
  if (const int error = copy_items(parts.at(team.rank()), range(0, 1)); error != MPI_SUCCESS) return error;
  for (int have = 1; have < size; have *= 2) {
    const int more = std::min(have, size - have);
    const int error = team.exchange(rank_behind(size - have), range(0, more), rank_behind(have), range(have, have + more));
    if (error != MPI_SUCCESS) return error;
  }
  for (int i = 1; i < size; ++i) {
    if (const int error = copy_items(range(i, i + 1), parts.at(rank_behind(i))); error != MPI_SUCCESS) return error;
  }
  return MPI_SUCCESS;
}

}  // namespace

int gather_to_all(const Team& team, const Parts& parts) {
  std::int64_t bytes = 0;
  for (int rank = 0; rank < team.size(); ++rank) bytes += parts.at(rank).bytes();
  return bytes < kLongGatherToAll ? gather_by_doubling(team, parts) : gather_to_all_in_ring(team, parts);
}

int gather_to_all_in_ring(const Team& team, const Parts& parts) {
  return pass_round(team, 0, [&](int rank) { return parts.at(rank); });
}

}  // namespace lintel::mpi
