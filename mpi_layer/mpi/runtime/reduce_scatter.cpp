#include "mpi_layer/mpi/runtime/reduce_scatter.h"

#include "mpi_layer/mpi/runtime/collective_limits.h"
#include "mpi_layer/mpi/runtime/halving.h"

namespace lintel::mpi {

namespace {

// Halving, with the parts ordered so that each member ends with the parts of its own ranks.
int scatter_by_halving(const Team& team, const BoundReduction& reduction, const Parts& parts,
                       const ItemBuffer& result) {
  const Members members(team);
  std::vector<std::int64_t> begins(static_cast<std::size_t>(members.count()) + 1);
  std::vector<std::int64_t> begin_of(static_cast<std::size_t>(team.size()));  // of each rank's part
  std::vector<int> member_at(static_cast<std::size_t>(members.count()));
  for (int member = 0; member < members.count(); ++member)
    member_at[static_cast<std::size_t>(members.piece_of(member))] = member;
  std::int64_t items = 0;
  for (std::size_t piece = 0; piece < member_at.size(); ++piece) {
    for (const int rank :
         {members.rank_of(member_at[piece]), members.inactive_rank_of(member_at[piece])}) {
      if (rank < 0) continue;
      begin_of[static_cast<std::size_t>(rank)] = items;
      items += parts.at(rank).count;
    }
    begins[piece + 1] = items;
  }

  Accumulator accumulator(reduction, result.type, items);
  const auto part_of = [&](int rank) {
    return accumulator.own(begin_of[static_cast<std::size_t>(rank)], parts.at(rank).count);
  };
  for (int rank = 0; rank < team.size(); ++rank) {
    if (const int error = copy_items(parts.at(rank), part_of(rank)); error != MPI_SUCCESS)
      return error;
  }
  if (const int error = members.fold(accumulator); error != MPI_SUCCESS) return error;
  if (members.own() < 0)
    return team.receive(members.rank_of(members.member_of(team.rank())), result);
  if (const int error = members.combine_pieces(accumulator, begins); error != MPI_SUCCESS)
    return error;
  const int inactive = members.inactive_rank_of(members.own());
  const int given = inactive >= 0 ? team.send(inactive, part_of(inactive)) : MPI_SUCCESS;
  return given != MPI_SUCCESS ? given : copy_items(part_of(team.rank()), result);
}

// Each rank gives each other rank its part, and combines what comes: first from the ranks below, in
// descending order, then from those above, alike.
int scatter_in_pairs(const Team& team, const BoundReduction& reduction, const Parts& parts,
                     const ItemBuffer& result) {
  const int size = team.size();
  const int rank = team.rank();
  Accumulator lower(reduction, result.type, result.count);
  if (const int error = copy_items(parts.at(rank), lower.own()); error != MPI_SUCCESS) return error;
  if (size == 1) return copy_items(lower.own(), result);
  Accumulator upper(reduction, result.type, result.count);
  for (int step = 1; step < size; ++step) {
    const int to = (rank + step) % size;
    const int from = (rank - step + size) % size;
    const bool is_highest = from == size - 1 && from > rank;
    Accumulator& side = from < rank ? lower : upper;
    const ItemBuffer in = is_highest ? upper.own() : side.others();
    if (const int error = team.exchange(to, parts.at(to), from, in); error != MPI_SUCCESS)
      return error;
    if (!is_highest) side.put_before();
  }
  if (rank < size - 1) {
    if (const int error = copy_items(upper.own(), lower.others()); error != MPI_SUCCESS)
      return error;
    lower.put_behind();
  }
  return copy_items(lower.own(), result);
}

}  // namespace

int reduce_scatter(const Team& team, const BoundReduction& reduction, const Parts& parts,
                   const ItemBuffer& result) {
  std::int64_t bytes = 0;
  for (int rank = 0; rank < team.size(); ++rank) bytes += parts.at(rank).bytes();
  return bytes < kLongReduceScatter ? scatter_by_halving(team, reduction, parts, result)
                                    : scatter_in_pairs(team, reduction, parts, result);
}

}  // namespace lintel::mpi
