#include "mpi_layer/mpi/runtime/broadcast.h"

#include <algorithm>

#include "mpi_layer/mpi/runtime/binomial_tree.h"
#include "mpi_layer/mpi/runtime/collective_limits.h"
#include "mpi_layer/mpi/runtime/impi_collectives.h"
#include "mpi_layer/mpi/runtime/packed_items.h"
#include "mpi_layer/mpi/runtime/ring.h"

namespace lintel::mpi {

namespace {

// The root splits the message into one piece per rank. The pieces are scattered by a tree, each to
// the rank of its position. Then all ranks pass them round a ring.
int broadcast_in_pieces(const Team& team, int root, const ItemBuffer& items) {
  const BinomialTree tree(root, team.rank(), team.size());
  const PackedItems packed(items);
  const std::int64_t piece = (packed.size() + team.size() - 1) / team.size();
  const auto pieces = [&](int position, int count) {
    const std::int64_t begin = std::min(position * piece, packed.size());
    const std::int64_t end = std::min((position + count) * piece, packed.size());
    return Team::bytes(packed.bytes() + begin, end - begin);
  };
  if (tree.is_root()) {
    packed.fill();
  } else if (const int error =
                 team.receive(tree.parent(), pieces(tree.own().position, tree.own().span));
             error != MPI_SUCCESS) {
    return error;
  }
  for (const BinomialTree::Branch& child : tree.children()) {
    if (const int error = team.send(child.rank, pieces(child.position, child.span));
        error != MPI_SUCCESS)
      return error;
  }
  if (const int error = pass_round(team, root, [&](int position) { return pieces(position, 1); });
      error != MPI_SUCCESS)
    return error;
  if (!tree.is_root()) packed.spill();
  return MPI_SUCCESS;
}

}  // namespace

int broadcast(const Team& team, int root, const ItemBuffer& items) {
  if (team.clients() != nullptr) return broadcast_between_clients(team, root, items);
  if (items.bytes() < kLongBroadcast || team.size() < kLongBroadcastRanks)
    return team.broadcast(root, items);
  return broadcast_in_pieces(team, root, items);
}

}  // namespace lintel::mpi
