// SessionHandshakes: handshakes that come to nothing, or are tried again.

#include "transport/session/session_handshakes.h"

namespace lintel::transport {

// The peer is kWelcoming and nobody here waits for it.
void SessionHandshakes::note_caller(PeerSession& peer) {
  PeerSession* const displaced = tables_.callers.add(peer);
  if (displaced == nullptr) return;
  ++tables_.counters.callers_dropped;
  drop_handshake(*displaced);
}

bool SessionHandshakes::on_timer(PeerSession& peer) {
  if (tables_.turn.now() >= peer.connect_deadline) {
    if (peer.wanted) {
      states_.give_up(peer, Error(Loss::kPeer, "session",
                                  "the peer could not be reached within the connect deadline",
                                  peer.not_reached.code()));
    } else if (answered_candidate(peer) != nullptr) {
      take_candidate(peer);
      welcome_again(peer);
    } else {
      // Nothing here waits for a caller that has never proved that it is the peer.
      drop_handshake(peer);
    }
    return false;
  }
  if (peer.hello_unanswered && ++peer.silent_quarters == kDeadlineQuarters &&
      tables_.lower.binding(peer.lower).made_by_peer) {
    connect_again(peer, Error(Loss::kPeer, "session", "the peer has not answered"));
    return false;
  }
  // Our welcome or the confirmation may be lost. The hello was perhaps not of the peer: then the
  // peer still has to get ours.
  peer.due.welcome = peer.state == PeerState::kWelcoming && !peer.due.confirm;
  peer.due.hello = peer.wanted && !peer.due.confirm;
  tables_.pending.add(peer);
  return true;
}

bool SessionHandshakes::on_connection_lost(PeerSession& peer, Error error) {
  if (peer.state == PeerState::kConnecting) {
    try_later(peer, error);
    return true;
  }
  if (peer.hello_unanswered && peer.handshake.connection == connection_of(peer) &&
      (peer.state == PeerState::kWelcoming || !tables_.lower.attributes().knows_source)) {
    // The failure may belong to our hello, which was sent before the peer existed: nothing shows
    // that this connection has ended. If it has, the sequence numbers will show the loss.
    peer.hello_unanswered = false;
    peer.due.welcome = true;
    if (peer.wanted) tables_.timers.retry_soon(peer, tables_.turn.now());
    tables_.pending.add(peer);
    return true;
  }
  if (peer.state == PeerState::kOpen) return false;
  lose_handshake(peer, error);
  return true;
}

// The connection was lost before the session was open. The peer may not be what has caused that.
void SessionHandshakes::lose_handshake(PeerSession& peer, Error error) {
  if (peer.state == PeerState::kOpen) return states_.lose_outside_poll(peer, error);
  if (peer.wanted) return try_later(peer, error);
  states_.end_session(peer);
}

// The peer may not have been started yet.
void SessionHandshakes::try_later(PeerSession& peer, Error error) {
  if (peer.state == PeerState::kWelcoming) states_.enter(peer, PeerState::kConnecting);
  peer.due = {};
  peer.candidate.reset();
  peer.hello_unanswered = peer.handshake.welcomes = false;
  peer.not_reached = error;
  tables_.timers.retry_soon(peer, tables_.turn.now());
}

// The process that has made the present connection has not proved that it is the peer. Says hello
// to the peer on a connection that this process makes.
void SessionHandshakes::connect_again(PeerSession& peer, Error error) {
  states_.end_connection(peer);
  try_later(peer, error);
}

void SessionHandshakes::drop_handshake(PeerSession& peer) {
  states_.end_connection(peer);
  states_.end_session(peer);
}

}  // namespace lintel::transport
