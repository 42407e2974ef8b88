#pragma once
// Team: the processes that carry out one collective function, and the blocking transfers that it is
// made of.
//
// Where they belong to several clients of IMPI, functions that IMPI specifies move what it says
// (impi_collectives.h); all others are made of the same transfers as ever, with tags that no other
// implementation of IMPI has, and move items, never packed bytes: those may be converted on the
// way.
//
// A short-lived value of the calling thread. Its messages go in the communicator's context for
// collectives with one tag, below 0: between two processes they are matched in the order of the
// calls, which all members make in the same order. Errors are those of the first transfer that
// failed, as error classes; what else was under way has ended when a call returns.

#include <cstdint>
#include <span>

#include "mpi_layer/mpi/runtime/communicator.h"
#include "mpi_layer/mpi/runtime/item_transfer.h"

namespace lintel::mpi {

class Team {
 public:
  static constexpr std::int32_t kCollectiveTag = -1;

  // All of a communicator.
  explicit Team(const CommunicatorRef& communicator);
  // Some of it: `group`, in which this process is `rank`. `tag` is below 0 and not kCollectiveTag.
  Team(const CommunicatorRef& communicator, const Group& group, int rank, std::int32_t tag);

  int rank() const { return rank_; }
  int size() const { return group_.size(); }
  // The rank so far after this one, and before it, around. REQUIRES: 0 <= distance <= size().
  int ahead(int distance) const { return (rank_ + distance) % size(); }
  int behind(int distance) const { return (rank_ - distance + size()) % size(); }

  // What the clients of IMPI are that its processes belong to, if they are several; else null.
  const GroupClients* clients() const { return clients_; }
  // ---- REQUIRES of these two: clients().
  // Its processes of this one's client, for the local phases of a function; their order is the
  // same.
  Team local() const;
  // The same processes, for a global phase: with IMPI's `tag`, unless this team has a tag of its
  // own since its function goes on beside others.
  enum class Traffic : std::uint8_t { kCollectives, kMessages };
  Team between_clients(std::int32_t tag, Traffic traffic = Traffic::kCollectives) const;

  // `length` bytes at `memory`, as items.
  static ItemBuffer bytes(const void* memory, std::int64_t length);

  int send(int to, const ItemBuffer& items) const;
  int receive(int from, const ItemBuffer& items) const;
  // Both at once, so that all may do it at the same time.
  int exchange(int to, const ItemBuffer& out, int from, const ItemBuffer& in) const;

  // The same in two halves: begin, and block until it has ended. What did not begin, because of the
  // error that is returned, has ended.
  int begin_send(int to, const ItemBuffer& items, ItemTransfer& transfer) const;
  int begin_receive(int from, const ItemBuffer& items, ItemTransfer& transfer) const;
  static int end_of(ItemTransfer& transfer);

  // Dissemination: in round k each tells the one 2^k further.
  int barrier() const;
  // Binomial tree, whatever the length; broadcast.h chooses.
  int broadcast(int root, const ItemBuffer& items) const;
  // Numbers, the same for all at the end: the greatest of each. Dissemination, as the barrier.
  int maximum(std::span<std::int64_t> numbers) const;
  // Numbers of all ranks, `own.size()` of each, in the order of ranks (doubling.h).
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
