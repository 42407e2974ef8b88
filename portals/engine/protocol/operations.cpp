#include "portals/engine/protocol/operations.h"

#include <new>

namespace lintel::portals {

Operations::Operations(transport::Transport& transport, std::size_t max, std::size_t others_memory,
                       std::uint64_t seed)
    : transport_(transport),
      numbers_(seed),
      operations_(kMostOperations, numbers_),
      places_(max, others_memory) {}

Operations::PeerOperations& Operations::add(transport::PeerId peer) {
  if (peer.value >= by_peer_.size()) by_peer_.resize(std::size_t{peer.value} + 1);
  by_peer_[peer.value] = std::make_unique<PeerOperations>();
  return *by_peer_[peer.value];
}

Operation* Operations::create(transport::PeerId peer, std::uint8_t interface_kind, bool own) {
  try {
    PeerOperations& with = of(peer);
    if (!(own ? places_.may_begin(with.places) : places_.may_accept(with.places))) return nullptr;
    const auto [operation, id] = operations_.create(peer, interface_kind, own);
    if (operation == nullptr) return nullptr;
    operation->id = id;
    places_.take(with.places, own);
    if (with.list.empty()) transport_.watch(peer, true);
    with.list.push_back(*operation);
    return operation;
  } catch (const std::bad_alloc&) {
    return nullptr;  // as if there were too many
  }
}

void Operations::release(Operation& operation) {
  if (!operation.is_bare()) return;
  PeerOperations& with = *by_peer_[operation.peer.value];
  with.list.erase(with.list.iterator_to(operation));
  if (with.list.empty()) transport_.watch(operation.peer, false);
  places_.resize(with.places, operation.memory, 0);
  places_.give_back(with.places, operation.own);
  if (operation.asked) {
    --with.asked;
    with.answer_bytes -= operation.answer_bytes;
  }
  operations_.destroy(operation.id);
}

bool Operations::keep(Operation& operation, std::size_t bytes) {
  if (operation.own) return true;
  OperationPlaces::Held& held = by_peer_[operation.peer.value]->places;
  if (bytes > operation.memory && !places_.may_keep(held, bytes - operation.memory)) return false;
  places_.resize(held, operation.memory, bytes);
  operation.memory = bytes;
  return true;
}

Operation* Operations::first_with(transport::PeerId peer) {
  if (peer.value >= by_peer_.size() || !by_peer_[peer.value] || by_peer_[peer.value]->list.empty())
    return nullptr;
  return &by_peer_[peer.value]->list.front();
}

}  // namespace lintel::portals
