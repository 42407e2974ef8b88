// A peer has died or closed: what waits for it ends.

#include "mpi_layer/p2p/messenger.h"

namespace lintel::mpi {

void Messenger::on_peer_lost(ProcessId process) {
  Peer* const peer = peers_.find(process);
  if (peer == nullptr || peer->lost) return;
  peer->lost = true;
  peer->landing = nullptr;  // the session has seen to that
  lose(peer->backlog, nullptr);
  lose(peer->active, nullptr);
  lose(any_source_, nullptr);
  lose(unposted_, peer);
  lose(unpulled_, peer);
}

// Ends those of them that wait for `peer`; null: all. What the engine is moving still ends with that.
void Messenger::lose(RequestList& requests, const Peer* peer) {
  for (auto next = requests.begin(); next != requests.end();) {
    Request& request = *next++;
    if (peer != nullptr && request.peer_ != peer->number && request.peer_ != kAnySource) continue;
    switch (request.state_) {
      case Request::State::kPosted:
        if (interface_->entries.unlink(request.entry_) == portals::Status::kOk) complete(request, Failure::kPeerLost);
        break;
      case Request::State::kSent: end_send(request, Failure::kPeerLost); break;
      case Request::State::kPulling: break;
      default: complete(request, Failure::kPeerLost); break;
    }
  }
}

}  // namespace lintel::mpi
