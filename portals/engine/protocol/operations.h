#pragma once
// Operations: all operations under way with peers, by token and by peer.
//
// Owned by the Endpoint. Owns the operations, but not their parts; borrows the transport. Guarded
// by the process' lock.
// There are two tables of `max` places: one for what this process begins, operations and messages
// that wait without one, and one for operations of other processes. A peer that answers nothing
// keeps its places until it is given up. So each peer has a share of each table, and what is begun
// with one peer never waits for another one. While nothing is begun with any other peer, one may
// have more of the first table; that more is not counted against the others.
// Invariants: (1) every operation is in its peer's list; (2) a peer is watched exactly while it has
// operations, so that its death ends them; (3) a peer has at most a quarter of a table, and takes
// no more than half of what the others have left, but for (4): of the first table a peer with which
// alone something is begun may have all, and each gets kInAnyCase places even if nothing is left:
// the table then grows beyond `max`.
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
#include "portals/engine/wire/wire_format.h"
#include "transport/transport.h"

namespace lintel::portals {

// The largest `max`, and the slots for both tables: one for the others' table; one for a peer with
// all places of the first, and one for the shares of the others beside it.
inline constexpr std::size_t kMostOfTable = std::size_t{1} << 18;
inline constexpr std::size_t kMostOperations = 3 * kMostOfTable;

class Operations {
 public:
  // Bytes that the answers to the requests under way to one peer may cost it. It is the same in all
  // processes, because it must not be more than a peer's part of the smallest LINTEL_MEMORY_LIMIT.
  static constexpr std::size_t kAnswerCredit = std::size_t{1} << 20;
  // What one answer costs the peer, without a copy of its data, and a CLEAR with its segments.
  static constexpr std::size_t kAnswerCost = 1024;
  static constexpr std::size_t kClearCost =
      kAnswerCost + wire::kMostSegments * sizeof(wire::Segment);

  // What this process may begin with a peer even if others have the whole table.
  static constexpr std::size_t kInAnyCase = 4;

  Operations(transport::Transport& transport, std::size_t max);

  // Makes an operation, to which the caller gives a part. Null: the peer has its share, or there is
  // no memory. `own`: a request of this process begins it.
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

  // Whether this process may begin something more with that peer.
  bool has_room(transport::PeerId peer) const LINTEL_REQUIRES(kLock) {
    const bool known = peer.value < by_peer_.size() && by_peer_[peer.value] != nullptr;
    return may_begin(known ? by_peer_[peer.value]->own : 0);
  }
  // A request without an operation waits in the Outbox, and waits no longer. make_room() is called
  // before, and takes the memory that is needed.
  void make_room(transport::PeerId peer) LINTEL_REQUIRES(kLock) { of(peer); }
  void begin_wait(transport::PeerId peer) LINTEL_REQUIRES(kLock) {
    take_place(*by_peer_[peer.value]);
  }
  void end_wait(transport::PeerId peer) LINTEL_REQUIRES(kLock) {
    give_place_back(*by_peer_[peer.value]);
  }
  // The most that one peer has of a table, and the most requests under way to it.
  std::size_t most_of_peer() const { return most_of_peer_; }
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
    std::size_t own = 0;           // that this process began, and messages that wait without one
    std::size_t others = 0;        // that requests of the peer began
    std::size_t asked = 0;         // of this process, whose request has left
    std::size_t answer_bytes = 0;  // of those
  };

  OfPeer& of(transport::PeerId peer) LINTEL_REQUIRES(kLock) {
    const bool known = peer.value < by_peer_.size() && by_peer_[peer.value] != nullptr;
    return known ? *by_peer_[peer.value] : add(peer);
  }
  [[gnu::cold]] OfPeer& add(transport::PeerId peer) LINTEL_REQUIRES(kLock);
  // Whether a peer that has `held` places of a table may have another one. `all`: places that are
  // taken.
  bool in_share(std::size_t held, std::size_t all) const {
    const std::size_t free = all < max_ ? max_ - all : 0;
    return held == 0 ? free > 0 : held < std::min(most_of_peer(), free / 2);
  }
  // The same for the table of this process.
  bool may_begin(std::size_t held) const LINTEL_REQUIRES(kLock) {
    return held == own_ ? held < max_
                        : in_share(held, own_in_share_) ||
                              (held < std::min(kInAnyCase, max_) && own_ < most_own_);
  }
  void take_place(OfPeer& peer) LINTEL_REQUIRES(kLock) {
    ++own_;
    if (++peer.own <= most_of_peer()) ++own_in_share_;
  }
  void give_place_back(OfPeer& peer) LINTEL_REQUIRES(kLock) {
    --own_;
    if (peer.own-- <= most_of_peer()) --own_in_share_;
  }

  transport::Transport& transport_;
  std::size_t max_;
  std::size_t most_of_peer_;
  std::size_t most_own_;  // slots that the others' table leaves, at least twice max_
  SlotPool<Operation> operations_ LINTEL_GUARDED_BY(kLock);
  std::size_t own_ LINTEL_GUARDED_BY(kLock) = 0;           // places taken of this process' table
  std::size_t own_in_share_ LINTEL_GUARDED_BY(kLock) = 0;  // without those beyond a quarter
  std::size_t others_ LINTEL_GUARDED_BY(kLock) = 0;        // and of the others' table
  std::vector<std::unique_ptr<OfPeer>> by_peer_ LINTEL_GUARDED_BY(kLock);
};

}  // namespace lintel::portals
