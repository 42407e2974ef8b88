#include "portals/engine/protocol/operations.h"

#include <algorithm>
#include <new>

namespace lintel::portals {

Operations::Operations(transport::Transport& transport, std::size_t max)
    : transport_(transport),
      max_(std::min(max, kMostOfTable)),
      most_of_peer_(std::max<std::size_t>(max_ / 4, 1)),
      most_own_(kMostOperations - max_),
      operations_(kMostOperations) {}

Operations::OfPeer& Operations::add(transport::PeerId peer) {
  if (peer.value >= by_peer_.size()) by_peer_.resize(std::size_t{peer.value} + 1);
  by_peer_[peer.value] = std::make_unique<OfPeer>();
  return *by_peer_[peer.value];
}

Operation* Operations::create(transport::PeerId peer, std::uint8_t interface_kind, bool own) {
  try {
    OfPeer& with = of(peer);
    if (own ? !may_begin(with.own) : !in_share(with.others, others_)) return nullptr;
    const auto [operation, id] = operations_.create(peer, interface_kind, own);
    if (operation == nullptr) return nullptr;
    operation->id = id;
    if (own) {
      take_place(with);
    } else {
      ++with.others;
      ++others_;
    }
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
  if (operation.own) {
    give_place_back(with);
  } else {
    --with.others;
    --others_;
  }
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
