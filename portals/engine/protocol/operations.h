#pragma once
// Operations: all operations under way with peers, by token and by peer.
//
// Owned by the Endpoint. Owns the operations, but not their parts; borrows the transport. Guarded
// by the process' lock.
// Invariants: (1) every operation is in its peer's list; (2) a peer is watched exactly while it has
// operations, so that its death ends them; (3) at most `max` operations are this process' own, and
// at most as many are of other processes; (4) one other process has at most a quarter of the
// latter, and takes no more than half of what the others have left.
// It also counts the answers that this process has asked a peer for, because a peer keeps those
// that it cannot send at once (answer_budget.h), and gives up who makes it keep too much. So the
// requests under way to one peer may cause no more than kAnswerCredit; the Outbox holds the others.
// Does not: end the parts of an operation, or log events.

#include <algorithm>
#include <boost/intrusive/list.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/process_lock.h"
#include "base/slot_pool.h"
#include "portals/engine/protocol/operation.h"
#include "transport/transport.h"

namespace lintel::portals {

// for own operations and others' together
inline constexpr std::size_t kMaxOperationLimit = std::size_t{1} << 19;

class Operations {
 public:
  // Bytes that the answers to the requests under way to one peer may cost it. It is the same in all
  // processes, because it must not be more than a peer's part of the smallest LINTEL_MEMORY_LIMIT.
  static constexpr std::size_t kAnswerCredit = std::size_t{1} << 20;
  // What one answer costs the peer, without a copy of its data.
  static constexpr std::size_t kAnswerCost = 1024;

  Operations(transport::Transport& transport, std::size_t max);

  // Makes an operation, to which the caller gives a part. Null: there are too many, of this
  // process, of the peer or of all others, or there is no memory. `own`: a request of this process
  // begins it.
  Operation* create(transport::PeerId peer, std::uint8_t interface_kind, bool own)
      LINTEL_REQUIRES(kLock);
  // A part of `operation` has ended. Destroys the operation if that was its last part.
  void release(Operation& operation) LINTEL_REQUIRES(kLock);

  Operation* get(SlotId id) LINTEL_REQUIRES(kLock) { return operations_.get(id); }
  // The operation of that token, if its peer is `peer`. This is checked because peers send tokens.
  Operation* find(std::uint64_t token, transport::PeerId peer) LINTEL_REQUIRES(kLock) {
    Operation* const operation = operations_.get(SlotId::unpack(token));
    return operation != nullptr && operation->peer == peer ? operation : nullptr;
  }

  // Whether fewer than max() operations of this process are under way.
  bool has_room() const LINTEL_REQUIRES(kLock) { return own_ < max_; }
  std::size_t max() const { return max_; }
  // The most that one other process may have, and the most requests under way to one peer.
  std::size_t most_of_peer() const { return std::max<std::size_t>(max_ / 4, 1); }
  std::size_t size() const LINTEL_REQUIRES(kLock) { return operations_.size(); }

  // Whether the request of an operation of this process may leave now.
  bool may_ask(const Operation& operation) LINTEL_REQUIRES(kLock) {
    const OfPeer& peer = *by_peer_[operation.peer.value];
    return operation.asked || peer.asked == 0 ||
           (peer.asked < most_of_peer() &&
            peer.answer_bytes + operation.answer_bytes <= kAnswerCredit);
  }
  // It leaves, or nothing but room in the transport delays it. Until the operation ends, its answer
  // counts.
  void ask(Operation& operation) LINTEL_REQUIRES(kLock) {
    if (operation.asked) return;
    OfPeer& peer = *by_peer_[operation.peer.value];
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
  using PeerHook = boost::intrusive::member_hook<Operation, boost::intrusive::list_member_hook<>,
                                                 &Operation::peer_link>;
  struct OfPeer {
    boost::intrusive::list<Operation, PeerHook> list;
    std::size_t others = 0;        // that requests of the peer began
    std::size_t asked = 0;         // of this process, whose request has left
    std::size_t answer_bytes = 0;  // of those
  };

  OfPeer& of(transport::PeerId peer) LINTEL_REQUIRES(kLock);
  bool may_have_another(const OfPeer& peer) const LINTEL_REQUIRES(kLock);

  transport::Transport& transport_;
  std::size_t max_;
  SlotPool<Operation> operations_ LINTEL_GUARDED_BY(kLock);
  std::size_t own_ LINTEL_GUARDED_BY(kLock) = 0;  // own ones among them
  std::vector<std::unique_ptr<OfPeer>> by_peer_ LINTEL_GUARDED_BY(kLock);
};

}  // namespace lintel::portals
