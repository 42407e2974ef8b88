#pragma once
// Operations: everything that is under way with peers, by token and by peer.
//
// Owned by the Endpoint; owns the operations, not their parts; borrows the transport. Guarded by
// the process' lock.
// Invariants: (1) every operation is in its peer's list; (2) a peer is watched exactly while it has
//             operations, so that its death ends them; (3) at most `max` operations are this
//             process' own, and apart at most as many are others'.
// Does not: end the parts of an operation, or log events.

#include <boost/intrusive/list.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/slot_pool.h"
#include "portals/engine/operation.h"
#include "transport/transport.h"

namespace lintel::portals {

// Transfers name their receiver in 31 bits of a write's immediate: 19 for the slot, 12 for the
// generation.
inline constexpr unsigned kOperationSlotBits = 19;
// of both sorts together
inline constexpr std::size_t kMaxOperationLimit = std::size_t{1} << kOperationSlotBits;

class Operations {
 public:
  Operations(transport::Transport& transport, std::size_t max);

  // A new one, which is to get a part. Null: there are too many. `own`: a request of this process
  // begins it.
  Operation* create(transport::PeerId peer, std::uint8_t interface_kind, bool own);
  // One of its parts has ended: it goes if that was the last.
  void release(Operation& operation);

  Operation* get(SlotId id) { return operations_.get(id); }
  // The operation of that token, if it is one with that peer: tokens come from peers.
  Operation* find(std::uint64_t token, transport::PeerId peer) {
    Operation* const operation = operations_.get(SlotId::unpack(token));
    return operation != nullptr && operation->peer == peer ? operation : nullptr;
  }
  // The one that lives in that slot now.
  Operation* find_slot(std::uint32_t slot) { return operations_.find_slot(slot); }

  // max() of this process are not under way.
  bool has_room() const { return own_ < max_; }
  std::size_t max() const { return max_; }
  std::size_t size() const { return operations_.size(); }

  // The one that has been under way longest with that peer, or null.
  Operation* first_with(transport::PeerId peer);
  bool any_with(transport::PeerId peer) { return first_with(peer) != nullptr; }
  // Calls `visit(Operation&)` for each, peer by peer, oldest first; `visit` may end the one that it
  // is given, and no other.
  template <class Visit>
  void for_each(Visit&& visit) {
    for (std::size_t peer = 0; peer < by_peer_.size(); ++peer) {
      if (!by_peer_[peer]) continue;
      for (auto next = by_peer_[peer]->begin(); next != by_peer_[peer]->end();) {
        Operation& operation = *next++;
        visit(operation);
      }
    }
  }

 private:
  using PeerHook = boost::intrusive::member_hook<Operation, boost::intrusive::list_member_hook<>,
                                                 &Operation::peer_link>;
  using List = boost::intrusive::list<Operation, PeerHook>;

  List& list_of(transport::PeerId peer);

  transport::Transport& transport_;
  std::size_t max_;
  SlotPool<Operation> operations_;
  std::size_t own_ = 0;  // of them
  std::vector<std::unique_ptr<List>> by_peer_;
};

}  // namespace lintel::portals
