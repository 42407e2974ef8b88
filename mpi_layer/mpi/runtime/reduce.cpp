#include "mpi_layer/mpi/runtime/reduce.h"

#include "mpi_layer/mpi/runtime/collective_limits.h"
#include "mpi_layer/mpi/runtime/halving.h"
#include "mpi_layer/mpi/runtime/impi_collectives.h"

namespace lintel::mpi {

namespace {

// In each step two neighbouring groups are combined into one. The result of a group is in its first
// rank, or in the root if the group contains it.
int reduce_by_tree(const Team& team, int root, Accumulator& items) {
  for (int width = 1; width < team.size(); width *= 2) {
    const int first = team.rank() / (2 * width) * (2 * width);
    const int middle = first + width;
    if (middle >= team.size()) continue;
    const bool root_is_upper = root >= middle && root < middle + width;
    const int lower = root >= first && root < middle ? root : first;
    const int upper = root_is_upper ? root : middle;
    const bool is_upper = team.rank() == upper;
    const int other = is_upper ? lower : upper;
    if (is_upper != root_is_upper) return team.send(other, items.own());
    if (const int error = team.receive(other, items.others()); error != MPI_SUCCESS) return error;
    items.put(is_upper);
  }
  return MPI_SUCCESS;
}

int reduce_in_pieces(const Team& team, int root, Accumulator& items) {
  const Members members(team, root);
  if (const int error = members.fold(items); error != MPI_SUCCESS || members.own() < 0)
    return error;
  const std::vector<std::int64_t> begins = members.cut(items.count());
  if (const int error = members.combine_pieces(items, begins); error != MPI_SUCCESS) return error;
  return members.collect_pieces_at(members.member_of(root), items, begins);
}

int combine_in_pieces(const Team& team, const Members& members, Accumulator& items) {
  const std::vector<std::int64_t> begins = members.cut(items.count());
  TransferBatch sends(team);
  if (const int error = members.combine_pieces(items, begins, sends); error != MPI_SUCCESS)
    return error;
  if (const int error = members.collect_pieces(items, begins); error != MPI_SUCCESS) return error;
  return sends.finish();
}

bool is_long(const ItemBuffer& items) { return items.bytes() >= kLongReduction; }

}  // namespace

bool divides(const Team& team, const ItemBuffer& items) {
  return team.clients() == nullptr && is_long(items);
}

int reduce(const Team& team, int root, Accumulator& items) {
  if (team.clients() != nullptr) return reduce_between_clients(team, root, items);
  return is_long(items.own()) ? reduce_in_pieces(team, root, items)
                              : reduce_by_tree(team, root, items);
}

int reduce_to_all(const Team& team, Accumulator& items) {
  if (team.clients() != nullptr) return reduce_to_all_between_clients(team, items);
  const Members members(team);
  if (const int error = members.fold(items); error != MPI_SUCCESS) return error;
  if (members.own() >= 0) {
    const int error =
        is_long(items.own()) ? combine_in_pieces(team, members, items) : members.combine(items);
    if (error != MPI_SUCCESS) return error;
  }
  return members.unfold(items);
}

}  // namespace lintel::mpi
