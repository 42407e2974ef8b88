#include "mpi_layer/mpi/runtime/gather_to_all.h"

#include <memory>
#include <vector>

#include "mpi_layer/mpi/runtime/collective_limits.h"
#include "mpi_layer/mpi/runtime/doubling.h"
#include "mpi_layer/mpi/runtime/ring.h"

namespace lintel::mpi {

namespace {

// The parts are sent packed, one behind the other.
int gather_packed(const Team& team, const Parts& parts) {
  const int size = team.size();
  // where the part of the rank at that distance begins in `packed`
  std::vector<std::int64_t> begins(static_cast<std::size_t>(size) + 1);
  for (int i = 0; i < size; ++i)
    begins[static_cast<std::size_t>(i) + 1] =
        begins[static_cast<std::size_t>(i)] + parts.at(team.ahead(i)).bytes();
  const auto packed =
      std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(begins.back()));
  const auto range = [&](int first, int end) {
    const std::int64_t begin = begins[static_cast<std::size_t>(first)];
    return Team::bytes(packed.get() + begin, begins[static_cast<std::size_t>(end)] - begin);
  };
  if (const int error = copy_items(parts.at(team.rank()), range(0, 1)); error != MPI_SUCCESS)
    return error;
  if (const int error = gather_by_doubling(team, range); error != MPI_SUCCESS) return error;
  for (int i = 1; i < size; ++i) {
    if (const int error = copy_items(range(i, i + 1), parts.at(team.ahead(i)));
        error != MPI_SUCCESS)
      return error;
  }
  return MPI_SUCCESS;
}

}  // namespace

int gather_to_all(const Team& team, const Parts& parts) {
  std::int64_t bytes = 0;
  for (int rank = 0; rank < team.size(); ++rank) bytes += parts.at(rank).bytes();
  return bytes < kLongGatherToAll ? gather_packed(team, parts) : gather_to_all_in_ring(team, parts);
}

int gather_to_all_in_ring(const Team& team, const Parts& parts) {
  return pass_round(team, 0, [&](int rank) { return parts.at(rank); });
}

}  // namespace lintel::mpi
