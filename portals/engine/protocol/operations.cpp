#include "portals/engine/protocol/operations.h"

#include <algorithm>
#include <new>

namespace lintel::portals {

Operations::Operations(transport::Transport& transport, std::size_t max)
    : transport_(transport), max_(std::min(max, kMaxOperationLimit / 2)), operations_(2 * max_) {}

Operations::List& Operations::list_of(transport::PeerId peer) {
  if (peer.value >= by_peer_.size()) by_peer_.resize(std::size_t{peer.value} + 1);
  if (!by_peer_[peer.value]) by_peer_[peer.value] = std::make_unique<List>();
  return *by_peer_[peer.value];
}

Operation* Operations::create(transport::PeerId peer, std::uint8_t interface_kind, bool own) {
  // Own operations and those of others have room of their own, so that many own operations do not
  // make those of others fail.
  if ((own ? own_ : operations_.size() - own_) >= max_) return nullptr;
  try {
    List& list = list_of(peer);
    const auto [operation, id] = operations_.create(peer, interface_kind, own);
    if (operation == nullptr) return nullptr;
    operation->id = id;
    if (own) ++own_;
    if (list.empty()) transport_.watch(peer, true);
    list.push_back(*operation);
    return operation;
  } catch (const std::bad_alloc&) {
    return nullptr;  // as if there were too many
  }
}

void Operations::release(Operation& operation) {
  if (!operation.is_bare()) return;
  List& list = list_of(operation.peer);
  list.erase(list.iterator_to(operation));
  if (list.empty()) transport_.watch(operation.peer, false);
  if (operation.own) --own_;
  operations_.destroy(operation.id);
}

Operation* Operations::first_with(transport::PeerId peer) {
  if (peer.value >= by_peer_.size() || !by_peer_[peer.value] || by_peer_[peer.value]->empty())
    return nullptr;
  return &by_peer_[peer.value]->front();
}

}  // namespace lintel::portals
