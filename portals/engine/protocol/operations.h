#pragma once
// Operations: all operations under way with peers, by token and by peer.
//
// Owned by the Endpoint. Owns the operations, but not their parts; borrows the transport. Guarded
// by the process' lock.
// OperationPlaces says how many there may be, and how much memory those of other processes may
// take, with each peer and in all.
// Invariants: (1) every operation is in its peer's list; (2) a peer is watched exactly while it has
// operations, so that its death ends them.
// It also counts the answers that this process has asked a peer for, because a peer keeps those
// that it cannot send at once (answer_budget.h), and gives up a process that makes it keep too
// much. So the requests under way to one peer may cause no more than kAnswerCredit; the Outbox
// holds the others.
// The token of an operation begins at a random number for each place in the table, and grows with
// each use of that place. It counts only for its peer.
// Does not: end the parts of an operation, or log events.

#include <boost/intrusive/list.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/process_lock.h"
#include "base/random_numbers.h"
#include "base/slot_pool.h"
#include "portals/engine/protocol/operation.h"
#include "portals/engine/protocol/operation_places.h"
#include "portals/engine/wire/wire_format.h"
#include "transport/transport.h"

namespace lintel::portals {

class Operations {
 public:
  // Bytes that the answers to the requests under way to one peer may cost it. It is the same in all
  // processes, because it must not be more than a peer's part of the smallest LINTEL_MEMORY_LIMIT.
  static constexpr std::size_t kAnswerCredit = std::size_t{1} << 20;
  // What one answer costs the peer, without a copy of its data, and a CLEAR with its segments.
  static constexpr std::size_t kAnswerCost = 1024;
  static constexpr std::size_t kClearCost =
      kAnswerCost + wire::kMostSegments * sizeof(wire::Segment);

  // `others_memory`: bytes for operations that other processes begin. `seed`: of the tokens, see
  // RandomNumbers.
  Operations(transport::Transport& transport, std::size_t max, std::size_t others_memory = SIZE_MAX,
             std::uint64_t seed = 0);

  // Makes an operation, to which the caller gives a part. Null: the peer has its share, or there is
  // no memory. `own`: a request of this process begins it.
  Operation* create(transport::PeerId peer, std::uint8_t interface_kind, bool own)
      LINTEL_REQUIRES(kLock);
  // The parts of `operation` keep so many bytes beside its place. False: another process began it,
  // and that is more than its share; nothing has changed then.
  bool keep(Operation& operation, std::size_t bytes) LINTEL_REQUIRES(kLock);
  // A part of `operation` has ended. Destroys the operation if that was its last part.
  void release(Operation& operation) LINTEL_REQUIRES(kLock);

  Operation* get(SlotId id) LINTEL_REQUIRES(kLock) { return operations_.get(id); }
  // The operation of that token, if its peer is `peer`. This is checked because peers send tokens.
  Operation* find(std::uint64_t token, transport::PeerId peer) LINTEL_REQUIRES(kLock) {
    Operation* const operation = operations_.get(SlotId::unpack(token));
    return operation != nullptr && operation->peer == peer ? operation : nullptr;
  }

  // Whether this process may begin something more with that peer.
  bool has_room(transport::PeerId peer) const LINTEL_REQUIRES(kLock) {
    const bool known = peer.value < by_peer_.size() && by_peer_[peer.value] != nullptr;
    return places_.may_begin(known ? by_peer_[peer.value]->places : OperationPlaces::Held());
  }
  // A request without an operation waits in the Outbox, and waits no longer. make_room() is called
  // before, and takes the memory that is needed.
  void make_room(transport::PeerId peer) LINTEL_REQUIRES(kLock) { of(peer); }
  void begin_wait(transport::PeerId peer) LINTEL_REQUIRES(kLock) {
    places_.take(by_peer_[peer.value]->places, true);
  }
  void end_wait(transport::PeerId peer) LINTEL_REQUIRES(kLock) {
    places_.give_back(by_peer_[peer.value]->places, true);
  }
  // The most that one peer has of a table, and the most requests under way to it.
  std::size_t most_of_peer() const LINTEL_REQUIRES(kLock) { return places_.most_of_peer(); }
  std::size_t size() const LINTEL_REQUIRES(kLock) { return operations_.size(); }

  // Whether the request of an operation of this process may leave now.
  bool may_ask(const Operation& operation) LINTEL_REQUIRES(kLock) {
    const PeerOperations& peer = *by_peer_[operation.peer.value];
    return operation.asked || peer.asked == 0 ||
           (peer.asked < most_of_peer() &&
            peer.answer_bytes + operation.answer_bytes <= kAnswerCredit);
  }
  // It leaves, or nothing but room in the transport delays it. Until the operation ends, its answer
  // counts.
  void ask(Operation& operation) LINTEL_REQUIRES(kLock) {
    if (operation.asked) return;
    PeerOperations& peer = *by_peer_[operation.peer.value];
    operation.asked = true;
    ++peer.asked;
    peer.answer_bytes += operation.answer_bytes;
  }

  // The oldest operation with that peer, or null.
  Operation* first_with(transport::PeerId peer) LINTEL_REQUIRES(kLock);
  bool any_with(transport::PeerId peer) LINTEL_REQUIRES(kLock) {
    return first_with(peer) != nullptr;
  }
  // Calls `visit(Operation&)` for each operation, peer by peer, the oldest first. `visit` may end
  // its operation, and no other.
  template <class Visit>
  void for_each(Visit&& visit) LINTEL_REQUIRES(kLock) {
    for (std::size_t peer = 0; peer < by_peer_.size(); ++peer) {
      if (!by_peer_[peer]) continue;
      for (auto next = by_peer_[peer]->list.begin(); next != by_peer_[peer]->list.end();) {
        Operation& operation = *next++;
        visit(operation);
      }
    }
  }

 private:
  using OfPeerHook = boost::intrusive::member_hook<Operation, boost::intrusive::list_member_hook<>,
                                                   &Operation::peer_link>;
  struct PeerOperations {
    boost::intrusive::list<Operation, OfPeerHook> list;
    OperationPlaces::Held places;
    std::size_t asked = 0;         // of this process, whose request has left
    std::size_t answer_bytes = 0;  // of those
  };

  PeerOperations& of(transport::PeerId peer) LINTEL_REQUIRES(kLock) {
    const bool known = peer.value < by_peer_.size() && by_peer_[peer.value] != nullptr;
    return known ? *by_peer_[peer.value] : add(peer);
  }
  [[gnu::cold]] PeerOperations& add(transport::PeerId peer) LINTEL_REQUIRES(kLock);
  transport::Transport& transport_;
  RandomNumbers numbers_ LINTEL_GUARDED_BY(kLock);
  SlotPool<Operation> operations_ LINTEL_GUARDED_BY(kLock);
  OperationPlaces places_ LINTEL_GUARDED_BY(kLock);
  std::vector<std::unique_ptr<PeerOperations>> by_peer_ LINTEL_GUARDED_BY(kLock);
};

}  // namespace lintel::portals
