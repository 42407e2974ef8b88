#pragma once
// Team: the processes that perform one collective function, and the blocking transfers of which it
// consists.
//
// If they belong to several clients of IMPI, functions that IMPI specifies use its messages
// (impi_collectives.h). All other functions use the usual transfers, with tags that no other
// implementation of IMPI uses, and send items, never packed bytes, because items may be converted
// on their way.
//
// A short-lived value of the calling thread. Its messages use the communicator's context for
// collective functions and one negative tag. Between two processes they match in the order of the
// calls, which all members make in the same order. Errors are error classes of the first transfer
// that failed. All transfers have ended when a call returns.

#include <cstdint>
#include <span>

#include "mpi_layer/mpi/runtime/communicator.h"
#include "mpi_layer/mpi/runtime/item_transfer.h"

namespace lintel::mpi {

class Team {
 public:
  static constexpr std::int32_t kCollectiveTag = -1;

  // All processes of a communicator.
  explicit Team(const CommunicatorRef& communicator);
  // The processes of `group`, which is a part of the communicator. This process is `rank` of the
  // group. `tag` is negative and not kCollectiveTag.
  Team(const CommunicatorRef& communicator, const Group& group, int rank, std::int32_t tag);

  int rank() const { return rank_; }
  int size() const { return group_.size(); }
  // The rank at this distance after this one, and before it, cyclically. REQUIRES: 0 <= distance <=
  // size().
  int ahead(int distance) const { return (rank_ + distance) % size(); }
  int behind(int distance) const { return (rank_ - distance + size()) % size(); }

  // The clients of IMPI of its processes, if there are several; else null.
  const GroupClients* clients() const { return clients_; }
  // ---- REQUIRES of these two: clients().
  // The processes of the team that belong to this client, in the same order, for local phases.
  Team local() const;
  // The same processes, for a global phase: with `tag` of IMPI, unless this team has a tag of its
  // own because its function runs at the same time as others.
  enum class Traffic : std::uint8_t { kCollectives, kMessages };
  Team between_clients(std::int32_t tag, Traffic traffic = Traffic::kCollectives) const;

  // `length` bytes at `memory` as items.
  static ItemBuffer bytes(const void* memory, std::int64_t length);

  int send(int to, const ItemBuffer& items) const;
  int receive(int from, const ItemBuffer& items) const;
  // Sends and receives at the same time, so that all ranks may call it at the same time.
  int exchange(int to, const ItemBuffer& out, int from, const ItemBuffer& in) const;
  // The same for a caller that sends otherwise: `send()` returns its error.
  template <class Send>
  int receive_while(Send send, int from, const ItemBuffer& in) const {
    ItemTransfer incoming;
    if (const int error = begin_receive(from, in, incoming); error != MPI_SUCCESS) return error;
    const int sent = send();
    // Waits for the receive even if the send failed, because nothing else would free it. Its
    // message arrives: the sender has made the same call.
    const int received = end_of(incoming);
    return sent != MPI_SUCCESS ? sent : received;
  }

  // The same in two halves: begin a transfer, and block until it has ended. A transfer that could
  // not begin, as the returned error says, counts as ended.
  int begin_send(int to, const ItemBuffer& items, ItemTransfer& transfer) const;
  int begin_receive(int from, const ItemBuffer& items, ItemTransfer& transfer) const;
  static int end_of(ItemTransfer& transfer);

  // Dissemination: in round k each rank sends to the rank at distance 2^k.
  int barrier() const;
  // Binomial tree, for any length; broadcast.h chooses the algorithm.
  int broadcast(int root, const ItemBuffer& items) const;
  // Replaces each number by its maximum over all ranks. Dissemination, as the barrier.
  int maximum(std::span<std::int64_t> numbers) const;
  // Gathers the numbers of all ranks, `own.size()` of each, in the order of ranks (doubling.h).
  int gather_all(std::span<const std::int64_t> own, std::span<std::int64_t> all) const;

 private:
  static ItemBuffer items_of(std::span<std::int64_t> numbers);

  CommunicatorRef communicator_;
  const Group& group_;
  int rank_;
  std::uint32_t context_;
  std::int32_t tag_;
  const GroupClients* clients_;
};

}  // namespace lintel::mpi
