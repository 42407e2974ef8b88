#include "mpi_layer/p2p/peer_watch.h"

#include <utility>

namespace lintel::mpi {

void PeerWatch::watch(Peer& peer) {
  if (peer.outside) return;
  if (peer.watch.watchers++ > 0) return;
  engine_.watch(peer.process, true);
  if (!any_counts_ || peer.met() || std::exchange(peer.watch.stranger, true)) return;
  strangers_.push_back(&peer);
}

void PeerWatch::unwatch(Peer& peer) {
  if (peer.watch.watchers > 0 && --peer.watch.watchers == 0) engine_.watch(peer.process, false);
}

void PeerWatch::watch(Request& request, Peer& peer) {
  if (request.watched_ != nullptr) return;
  request.watched_ = &peer;
  watch(peer);
}

void PeerWatch::unwatch(Request& request) {
  if (Peer* const peer = std::exchange(request.watched_, nullptr); peer != nullptr) unwatch(*peer);
}

void PeerWatch::watch_probed(Peer& source) {
  if (!std::exchange(source.watch.probed, true)) watch(source);
}

void PeerWatch::end_probed(Peer& source) {
  source.watch.probed = false;
  unwatch(source);
}

void PeerWatch::release_all() {
  peers_.for_each([this](Peer& peer) LINTEL_REQUIRES(kLock) {
    if (std::exchange(peer.watch.watchers, 0) > 0) engine_.watch(peer.process, false);
  });
}

bool PeerWatch::seek(Peer& peer) {
  if (peer.met() || peer.lost) return false;
  const TimePoint now = engine_.now();
  if (peer.watch.sought_since == kNever) peer.watch.sought_since = now;
  if (now - peer.watch.sought_since < contact_after_) return true;
  greet(peer);
  return false;
}

bool PeerWatch::seek(const Request& request) {
  if (request.direction() == Request::Direction::kSend || !request.under_way()) return false;
  Peer* const source = peers_.at(static_cast<const ReceiveRequest&>(request).asked_source_);
  return source != nullptr && seek(*source);
}

bool PeerWatch::seek(std::span<Request* const> requests) {
  bool unmet = false;
  for (const Request* request : requests) {
    unmet = (request != nullptr && seek(*request)) || unmet;
  }
  return unmet;
}

void PeerWatch::seek_strangers() {
  if (strangers_.empty()) return;
  const TimePoint now = engine_.now();
  if (strangers_since_ == kNever) strangers_since_ = now;
  if (now - strangers_since_ < contact_after_) return;
  strangers_since_ = kNever;
  for (Peer* peer : std::exchange(strangers_, {})) {
    peer->watch.stranger = false;
    if (peer->watch.watchers > 0 && !peer->met() && !peer->lost) greet(*peer);
  }
}

void PeerWatch::greet(Peer& peer) {
  peer.watch.greeted = true;
  controls_.tell_credit(peer, {});
  engine_.after_call();
}

}  // namespace lintel::mpi
