#include "mpi_layer/mpi/runtime/team.h"

#include <algorithm>
#include <vector>

#include "mpi_layer/mpi/runtime/binomial_tree.h"
#include "mpi_layer/mpi/runtime/doubling.h"
#include "mpi_layer/mpi/runtime/runtime.h"
#include "mpi_layer/mpi/runtime/transfer_error.h"

namespace lintel::mpi {

Team::Team(const CommunicatorRef& communicator)
    : Team(communicator, *communicator->group(), communicator->rank(), kCollectiveTag) {}

Team::Team(const CommunicatorRef& communicator, const Group& group, int rank, std::int32_t tag)
    : communicator_(communicator),
      group_(group),
      rank_(rank),
      context_(communicator->contexts().collectives()),
      tag_(tag),
      clients_(nullptr) {
  // Parts of a communicator only agree on contexts (MPI_Comm_create_group), or are of one client.
  if (const GroupClients* const clients = communicator->clients();
      clients != nullptr && &group == communicator->group().get())
    clients_ = clients->num_masters() > 1 ? clients : nullptr;
}

Team Team::local() const {
  return {communicator_, clients_->local_group(), clients_->local_rank(rank_), tag_};
}

Team Team::between_clients(std::int32_t tag, Traffic traffic) const {
  Team team = *this;
  if (tag_ == kCollectiveTag) team.tag_ = tag;
  if (traffic == Traffic::kMessages) team.context_ = communicator_->contexts().messages();
  return team;
}

ItemBuffer Team::bytes(const void* memory, std::int64_t length) {
  return {find_datatype(MPI_BYTE), reinterpret_cast<std::uintptr_t>(memory), length};
}

ItemBuffer Team::items_of(std::span<std::int64_t> numbers) {
  return {find_datatype(MPI_INT64_T), reinterpret_cast<std::uintptr_t>(numbers.data()),
          static_cast<std::int64_t>(numbers.size())};
}

int Team::begin_send(int to, const ItemBuffer& items, ItemTransfer& transfer) const {
  return transfer.send(runtime().messenger(), items,
                       {nullptr, 0, group_.world_rank(to), context_, tag_, SendMode::kStandard});
}

int Team::begin_receive(int from, const ItemBuffer& items, ItemTransfer& transfer) const {
  return transfer.receive(runtime().messenger(), items,
                          {nullptr, 0, group_.world_rank(from), context_, tag_});
}

int Team::end_of(ItemTransfer& transfer) {
  return error_of(transfer.wait(runtime().messenger()).failure);
}

int Team::send(int to, const ItemBuffer& items) const {
  ItemTransfer transfer;
  const int error = begin_send(to, items, transfer);
  return error == MPI_SUCCESS ? end_of(transfer) : error;
}

int Team::receive(int from, const ItemBuffer& items) const {
  ItemTransfer transfer;
  const int error = begin_receive(from, items, transfer);
  return error == MPI_SUCCESS ? end_of(transfer) : error;
}

int Team::exchange(int to, const ItemBuffer& out, int from, const ItemBuffer& in) const {
  return receive_while([&] { return send(to, out); }, from, in);
}

int Team::barrier() const {
  const ItemBuffer nothing = bytes(nullptr, 0);
  for (int distance = 1; distance < size(); distance *= 2) {
    const int error = exchange(ahead(distance), nothing, behind(distance), nothing);
    if (error != MPI_SUCCESS) return error;
  }
  return MPI_SUCCESS;
}

int Team::broadcast(int root, const ItemBuffer& items) const {
  const BinomialTree tree(root, rank_, size());
  if (!tree.is_root()) {
    if (const int error = receive(tree.parent(), items); error != MPI_SUCCESS) return error;
  }
  for (const BinomialTree::Branch& child : tree.children()) {
    if (const int error = send(child.rank, items); error != MPI_SUCCESS) return error;
  }
  return MPI_SUCCESS;
}

int Team::maximum(std::span<std::int64_t> numbers) const {
  std::vector<std::int64_t> given(numbers.size());
  std::vector<std::int64_t> other(numbers.size());
  for (int distance = 1; distance < size(); distance *= 2) {
    std::ranges::copy(numbers, given.begin());
    if (const int error =
            exchange(ahead(distance), items_of(given), behind(distance), items_of(other));
        error != MPI_SUCCESS)
      return error;
    std::ranges::transform(given, other, numbers.begin(),
                           [](std::int64_t a, std::int64_t b) { return std::max(a, b); });
  }
  return MPI_SUCCESS;
}

int Team::gather_all(std::span<const std::int64_t> own, std::span<std::int64_t> all) const {
  const std::size_t width = own.size();
  std::vector<std::int64_t> gathered(all.size());  // cyclically from this rank
  const auto range_at = [&](int first, int end) {
    return items_of(std::span(gathered).subspan(static_cast<std::size_t>(first) * width,
                                                static_cast<std::size_t>(end - first) * width));
  };
  std::ranges::copy(own, gathered.begin());
  if (const int error = gather_by_doubling(*this, range_at); error != MPI_SUCCESS) return error;
  std::ranges::rotate_copy(
      gathered,
      gathered.end() - static_cast<std::ptrdiff_t>(static_cast<std::size_t>(rank_) * width),
      all.begin());
  return MPI_SUCCESS;
}

}  // namespace lintel::mpi
