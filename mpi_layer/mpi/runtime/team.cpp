#include "mpi_layer/mpi/runtime/team.h"

#include <algorithm>
#include <vector>

#include "mpi_layer/mpi/runtime/runtime.h"
#include "mpi_layer/mpi/runtime/transfer_error.h"

namespace lintel::mpi {

namespace {

int end_of(ItemTransfer& transfer) { return error_of(transfer.wait(runtime().messenger()).failure); }

}  // namespace

Team::Team(const CommunicatorRef& communicator)
    : communicator_(communicator), group_(*communicator->group()), rank_(communicator->rank()), tag_(kCollectiveTag) {}

Team::Team(const CommunicatorRef& communicator, const Group& group, int rank, std::int32_t tag)
    : communicator_(communicator), group_(group), rank_(rank), tag_(tag) {}

ItemBuffer Team::bytes(const void* memory, std::size_t length) const {
  return {find_datatype(MPI_BYTE), reinterpret_cast<std::uintptr_t>(memory), static_cast<std::int64_t>(length)};
}

int Team::send(int to, const ItemBuffer& items) const {
  ItemTransfer transfer;
  const Refusal refusal =
      transfer.send(runtime().messenger(), items,
                    {nullptr, 0, group_.world_rank(to), communicator_->contexts().collectives(), tag_, SendMode::kStandard});
  return refusal == Refusal::kNone ? end_of(transfer) : error_of(refusal);
}

Refusal Team::begin_receive(int from, const ItemBuffer& items, ItemTransfer& transfer) const {
  return transfer.receive(runtime().messenger(), items,
                          {nullptr, 0, group_.world_rank(from), communicator_->contexts().collectives(), tag_});
}

int Team::receive(int from, const ItemBuffer& items) const {
  ItemTransfer transfer;
  const Refusal refusal = begin_receive(from, items, transfer);
  return refusal == Refusal::kNone ? end_of(transfer) : error_of(refusal);
}

int Team::exchange(int to, const ItemBuffer& out, int from, const ItemBuffer& in) const {
  ItemTransfer incoming;
  const Refusal refusal = begin_receive(from, in, incoming);
  if (refusal != Refusal::kNone) return error_of(refusal);
  const int sent = send(to, out);
  // A send that was refused is no reason to leave a receive behind that nobody may free: its message comes, as its sender has made the same call.
  const int received = end_of(incoming);
  return sent != MPI_SUCCESS ? sent : received;
}

int Team::barrier() const {
  const ItemBuffer nothing = bytes(nullptr, 0);
  for (int distance = 1; distance < size(); distance *= 2) {
    const int error = exchange((rank_ + distance) % size(), nothing, (rank_ - distance + size()) % size(), nothing);
    if (error != MPI_SUCCESS) return error;
  }
  return MPI_SUCCESS;
}

int Team::broadcast(int root, const ItemBuffer& items) const {
  const int position = (rank_ - root + size()) % size();
  int bit = 1;
  while (bit < size() && (position & bit) == 0) bit *= 2;
  if (position != 0) {
    if (const int error = receive((position - bit + root) % size(), items); error != MPI_SUCCESS) return error;
  }
  for (bit /= 2; bit > 0; bit /= 2) {
    if (position + bit >= size()) continue;
    if (const int error = send((position + bit + root) % size(), items); error != MPI_SUCCESS) return error;
  }
  return MPI_SUCCESS;
}

int Team::maximum(std::span<std::int64_t> numbers) const {
  std::vector<std::int64_t> other(numbers.size());
  const ItemBuffer own = bytes(numbers.data(), numbers.size_bytes());
  for (int bit = 1; bit < size(); bit *= 2) {
    if ((rank_ & bit) != 0) {
      if (const int error = send(rank_ - bit, own); error != MPI_SUCCESS) return error;
      break;
    }
    if (rank_ + bit >= size()) continue;
    if (const int error = receive(rank_ + bit, bytes(other.data(), numbers.size_bytes())); error != MPI_SUCCESS) return error;
    std::ranges::transform(numbers, other, numbers.begin(), [](std::int64_t a, std::int64_t b) { return std::max(a, b); });
  }
  return broadcast(0, own);
}

int Team::gather_all(std::span<const std::int64_t> own, std::span<std::int64_t> all) const {
  const std::size_t width = own.size();
  const auto part = [&](int rank) { return bytes(all.data() + static_cast<std::size_t>(rank) * width, own.size_bytes()); };
  std::ranges::copy(own, all.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(rank_) * width));
  const int next = (rank_ + 1) % size();
  const int previous = (rank_ - 1 + size()) % size();
  for (int step = 0; step + 1 < size(); ++step) {
    const int error = exchange(next, part((rank_ - step + size()) % size()), previous, part((rank_ - step - 1 + size()) % size()));
    if (error != MPI_SUCCESS) return error;
  }
  return MPI_SUCCESS;
}

}  // namespace lintel::mpi
