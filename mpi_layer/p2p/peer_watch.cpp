#include "mpi_layer/p2p/peer_watch.h"

#include <utility>

namespace lintel::mpi {

void PeerWatch::watch(Peer& peer) {
  if (peer.outside) return;
  if (peer.watch.watchers++ > 0) return;
  engine_.watch(peer.process, true);
  if (!any_counts_ || peer.has_session() || std::exchange(peer.watch.listed, true)) return;
  without_session_.push_back(&peer);
}

void PeerWatch::unwatch(Peer& peer) {
  if (peer.watch.watchers > 0 && --peer.watch.watchers == 0) engine_.watch(peer.process, false);
}

void PeerWatch::watch(MessageRequest& request, Peer& peer) {
  if (request.watched_ != nullptr) return;
  request.watched_ = &peer;
  watch(peer);
}

void PeerWatch::unwatch(MessageRequest& request) {
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

bool PeerWatch::contact_if_due(Peer& peer) {
  if (peer.has_session() || peer.lost) return false;
  const TimePoint now = engine_.now();
  if (peer.watch.waited_since == kNever) peer.watch.waited_since = now;
  if (now - peer.watch.waited_since < contact_after_) return true;
  contact(peer);
  return false;
}

bool PeerWatch::contact_if_due(const MessageRequest& request) {
  if (request.direction() == MessageRequest::Direction::kSend || !request.under_way()) return false;
  Peer* const source = peers_.at(static_cast<const ReceiveRequest&>(request).asked_source_);
  return source != nullptr && contact_if_due(*source);
}

bool PeerWatch::contact_if_due(std::span<MessageRequest* const> requests) {
  bool unmet = false;
  for (const MessageRequest* request : requests) {
    unmet = (request != nullptr && contact_if_due(*request)) || unmet;
  }
  return unmet;
}

void PeerWatch::contact_all_due() {
  if (without_session_.empty()) return;
  const TimePoint now = engine_.now();
  if (without_session_since_ == kNever) without_session_since_ = now;
  if (now - without_session_since_ < contact_after_) return;
  without_session_since_ = kNever;
  for (Peer* peer : std::exchange(without_session_, {})) {
    peer->watch.listed = false;
    if (peer->watch.watchers > 0 && !peer->has_session() && !peer->lost) contact(*peer);
  }
}

void PeerWatch::contact(Peer& peer) {
  peer.watch.contacted = true;
  controls_.send_credit(peer, {});
  engine_.after_call();
}

}  // namespace lintel::mpi
