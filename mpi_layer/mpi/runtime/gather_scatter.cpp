#include "mpi_layer/mpi/runtime/gather_scatter.h"

#include <memory>

#include "mpi_layer/mpi/runtime/binomial_tree.h"
#include "mpi_layer/mpi/runtime/collective_limits.h"
#include "mpi_layer/mpi/runtime/transfer_batch.h"

namespace lintel::mpi {

namespace {

// The packed parts of the subtree of a rank, in the order of positions, its own part first.
class Carried {
 public:
  Carried(const BinomialTree& tree, std::int64_t part)
      : first_(tree.own().position),
        part_(part),
        bytes_(std::make_unique_for_overwrite<std::byte[]>(
            static_cast<std::size_t>(tree.own().span * part))) {}

  // The parts of `branch`, which is in the subtree.
  ItemBuffer of(const BinomialTree::Branch& branch) const {
    return Team::bytes(bytes_.get() + (branch.position - first_) * part_, branch.span * part_);
  }
  ItemBuffer at(int position) const { return of({0, position, 1}); }

 private:
  int first_;
  std::int64_t part_;
  std::unique_ptr<std::byte[]> bytes_;
};

std::int64_t part_of(const std::optional<ItemBuffer>& own, const Parts& parts) {
  return own ? own->bytes() : parts.at(0).bytes();
}

// Copies all parts but the root's own between the packed parts and the buffer of the program.
// `move` copies one part.
template <class Move>
int for_others(const Team& team, int root, const Carried& carried, const Parts& parts, Move move) {
  for (int position = 1; position < team.size(); ++position) {
    if (const int error = move(carried.at(position), parts.at((position + root) % team.size()));
        error != MPI_SUCCESS)
      return error;
  }
  return MPI_SUCCESS;
}

int gather_by_tree(const Team& team, int root, const std::optional<ItemBuffer>& own,
                   const Parts& parts) {
  const BinomialTree tree(root, team.rank(), team.size());
  if (!tree.is_root() && tree.children().empty()) return team.send(tree.parent(), *own);
  const Carried carried(tree, part_of(own, parts));
  // small subtrees are complete first
  for (auto child = tree.children().rbegin(); child != tree.children().rend(); ++child) {
    if (const int error = team.receive(child->rank, carried.of(*child)); error != MPI_SUCCESS)
      return error;
  }
  if (!tree.is_root()) {
    if (const int error = copy_items(*own, carried.at(tree.own().position)); error != MPI_SUCCESS)
      return error;
    return team.send(tree.parent(), carried.of(tree.own()));
  }
  if (const int error = own ? copy_items(*own, parts.at(root)) : MPI_SUCCESS; error != MPI_SUCCESS)
    return error;
  return for_others(
      team, root, carried, parts,
      [](const ItemBuffer& packed, const ItemBuffer& part) { return copy_items(packed, part); });
}

int scatter_by_tree(const Team& team, int root, const std::optional<ItemBuffer>& own,
                    const Parts& parts) {
  const BinomialTree tree(root, team.rank(), team.size());
  if (!tree.is_root() && tree.children().empty()) return team.receive(tree.parent(), *own);
  const Carried carried(tree, part_of(own, parts));
  const int begun = tree.is_root()
                        ? for_others(team, root, carried, parts,
                                     [](const ItemBuffer& packed, const ItemBuffer& part) {
                                       return copy_items(part, packed);
                                     })
                        : team.receive(tree.parent(), carried.of(tree.own()));
  if (begun != MPI_SUCCESS) return begun;
  for (const BinomialTree::Branch& child : tree.children()) {
    if (const int error = team.send(child.rank, carried.of(child)); error != MPI_SUCCESS)
      return error;
  }
  if (!own) return MPI_SUCCESS;
  return copy_items(tree.is_root() ? parts.at(root) : carried.at(tree.own().position), *own);
}

}  // namespace

int gather_various(const Team& team, int root, const std::optional<ItemBuffer>& own,
                   const Parts& parts) {
  if (team.rank() != root) return team.send(root, *own);
  TransferBatch batch(team);
  for (int rank = 0; rank < team.size(); ++rank) {
    if (rank != root) batch.receive(rank, parts.at(rank));
  }
  const int copied = own ? copy_items(*own, parts.at(root)) : MPI_SUCCESS;
  const int received = batch.finish();
  return received != MPI_SUCCESS ? received : copied;
}

int scatter_various(const Team& team, int root, const std::optional<ItemBuffer>& own,
                    const Parts& parts) {
  if (team.rank() != root) return team.receive(root, *own);
  TransferBatch batch(team);
  for (int rank = 0; rank < team.size(); ++rank) {
    if (rank != root) batch.send(rank, parts.at(rank));
  }
  const int copied = own ? copy_items(parts.at(root), *own) : MPI_SUCCESS;
  const int sent = batch.finish();
  return sent != MPI_SUCCESS ? sent : copied;
}

int gather(const Team& team, int root, const std::optional<ItemBuffer>& own, const Parts& parts) {
  return part_of(own, parts) < kLongPart ? gather_by_tree(team, root, own, parts)
                                         : gather_various(team, root, own, parts);
}

int scatter(const Team& team, int root, const std::optional<ItemBuffer>& own, const Parts& parts) {
  return part_of(own, parts) < kLongPart ? scatter_by_tree(team, root, own, parts)
                                         : scatter_various(team, root, own, parts);
}

}  // namespace lintel::mpi
