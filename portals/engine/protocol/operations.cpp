#include "portals/engine/protocol/operations.h"

#include <algorithm>
#include <new>

namespace lintel::portals {

Operations::Operations(transport::Transport& transport, std::size_t max)
    : transport_(transport), max_(std::min(max, kMaxOperationLimit / 2)), operations_(2 * max_) {}

Operations::OfPeer& Operations::of(transport::PeerId peer) {
  if (peer.value >= by_peer_.size()) by_peer_.resize(std::size_t{peer.value} + 1);
  if (!by_peer_[peer.value]) by_peer_[peer.value] = std::make_unique<OfPeer>();
  return *by_peer_[peer.value];
}

// Whether a request of that peer may begin an operation. Peers whose operations never end take less
// and less, and leave room to the others.
bool Operations::may_have_another(const OfPeer& peer) const {
  const std::size_t others = operations_.size() - own_;
  const std::size_t free = max_ - others;
  return free > 0 && (peer.others == 0 || peer.others < std::min(most_of_peer(), free / 2));
}

Operation* Operations::create(transport::PeerId peer, std::uint8_t interface_kind, bool own) {
  try {
    OfPeer& with = of(peer);
    // Own operations and those of others have room of their own, so that many own operations do not
    // make those of others fail.
    if (own ? own_ >= max_ : !may_have_another(with)) return nullptr;
    const auto [operation, id] = operations_.create(peer, interface_kind, own);
    if (operation == nullptr) return nullptr;
    operation->id = id;
    ++(own ? own_ : with.others);
    if (with.list.empty()) transport_.watch(peer, true);
    with.list.push_back(*operation);
    return operation;
  } catch (const std::bad_alloc&) {
    return nullptr;  // as if there were too many
  }
}

void Operations::release(Operation& operation) {
  if (!operation.is_bare()) return;
  OfPeer& with = *by_peer_[operation.peer.value];
  with.list.erase(with.list.iterator_to(operation));
  if (with.list.empty()) transport_.watch(operation.peer, false);
  --(operation.own ? own_ : with.others);
  if (operation.asked) {
    --with.asked;
    with.answer_bytes -= operation.answer_bytes;
  }
  operations_.destroy(operation.id);
}

Operation* Operations::first_with(transport::PeerId peer) {
  if (peer.value >= by_peer_.size() || !by_peer_[peer.value] || by_peer_[peer.value]->list.empty())
    return nullptr;
  return &by_peer_[peer.value]->list.front();
}

}  // namespace lintel::portals
