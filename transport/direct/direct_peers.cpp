#include "transport/direct/direct_peers.h"

namespace lintel::transport {

PeerId DirectPeers::find(ProcessId name) const {
  const auto known = ids_.find(name);
  return known == ids_.end() ? kNoPeer : known->second;
}

void DirectPeers::forget(PeerId id) {
  DirectPeer& peer = *peers_[id.value];
  if (!peer.is_named) return;
  ids_.erase(peer.name);
  const bool is_listed = peer.left.is_listed;  // in LeftMessages
  peer = DirectPeer();
  peer.left.is_listed = is_listed;
  peer.is_named = false;
  reusable_.give_back(id);
}

}  // namespace lintel::transport
