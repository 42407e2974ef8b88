// Session: lost connections, and the end of all sessions when the process ends.

#include <new>

#include "base/assert.h"
#include "base/log.h"
#include "transport/session/frame_format.h"
#include "transport/session/session.h"

namespace lintel::transport {

void Session::on_peer_failed(PeerId lower, Error error) {
  lock_.is_held();
  PeerSession* const peer = tables_.peers.find_by_lower(lower);
  if (peer == nullptr) return lower_->forget(lower);
  peer->leaving.reset();
  switch (peer->state) {
    case PeerState::kClosed:
    case PeerState::kLost:
    case PeerState::kLocal: return;
    case PeerState::kConnecting:
    case PeerState::kWelcoming:
    case PeerState::kOpen:
      if (!handshakes_.on_connection_lost(*peer, error)) end_lost(*peer, error);
  }
}

// If the peer was started again, the ping finds its earlier connection dead.
void Session::on_contested(PeerId lower) {
  lock_.is_held();
  PeerSession* const peer = tables_.peers.find_by_lower(lower);
  // Without a session, the lower transport ends its connection soon.
  if (peer != nullptr && peer->state == PeerState::kOpen) liveness_.contest(*peer);
}

// The lower transport could not resume the connection, so the session ends. Where the network does
// not tell which process has sent a message, the peer is told if it can be reached, so that its
// operations do not wait for its deadline. Elsewhere what is sent now would go on another
// connection, of which nothing is known, and the peer notices the end of this one by itself.
void Session::end_lost(PeerSession& peer, Error error) {
  if (!lower_->attributes().knows_source) states_.try_goodbye(peer);
  const Error lost(Loss::kPeer, error.call(), error.reason(), error.code());
  // A process that has another incarnation of the peer's name may have caused it.
  if (!handshakes_.replace_lost(peer, lost)) states_.fail(peer, lost);
}

void Session::disconnect(PeerId id) {
  lock_.is_held();
  PeerSession& peer = tables_.peers.at(id);
  if (peer.state == PeerState::kLocal) return local_.disconnect();
  if (peer.state == PeerState::kOpen) states_.try_goodbye(peer);
  states_.end_connection(peer);
  if (peer.state == PeerState::kClosed) return;
  states_.end_session(peer);
}

void Session::await_arrival() {
  lock_.is_held();
  for (const auto& peer : tables_.peers.records()) {
    if (peer->state != PeerState::kOpen) continue;
    peer->window.await(peer->frame.messages() > 0 ? 1 : 0);
    continue_awaiting(*peer);
  }
}

void Session::continue_awaiting(PeerSession& peer) {
  peer.arrival_awaited = peer.window.awaited() > 0;
  if (!peer.arrival_awaited || peer.early_ping) return;
  peer.early_ping = peer.due.ping = true;
  tables_.pending.add(peer);
}

std::size_t Session::awaited_arrivals() const {
  lock_.is_held();
  std::size_t frames = 0;
  for (const auto& peer : tables_.peers.records()) {
    if (peer->arrival_awaited) frames += static_cast<std::size_t>(peer->window.awaited());
  }
  return frames;
}

bool Session::close(TimePoint now) {
  lock_.is_held();
  LINTEL_ASSERT(!tables_.turn.is_under_way());
  tables_.turn.advance(now);
  tables_.closing = true;
  bool done = local_.empty();
  for (const auto& peer : tables_.peers.records()) {
    if (peer->state == PeerState::kOpen) advance_close(*peer);
    if (peer->state == PeerState::kConnecting || peer->state == PeerState::kWelcoming) {
      // The peer may have opened the session already.
      if (peer->state == PeerState::kWelcoming && !peer->due.welcome)
        states_.send_control(*peer, FrameKind::kGoodbye);
      states_.end_session(*peer);
    }
    done = done && (peer->state == PeerState::kClosed || peer->state == PeerState::kLocal) &&
           !peer->leaving.has_stale();
  }
  return done && lower_->close(now);
}

void Session::give_up_close() {
  lock_.is_held();
  for (const auto& peer : tables_.peers.records()) {
    if (!end_unclosed(*peer) || peer->lost_messages == 0) continue;
    try {
      LINTEL_LOG(kWarn, "peer %s", describe(peer->id).c_str());
    } catch (const std::bad_alloc&) {
      continue;  // the others are still logged
    }
  }
}

// Ends the session if close() has not. False: it had ended already.
bool Session::end_unclosed(PeerSession& peer) {
  if (peer.state == PeerState::kOpen) states_.try_goodbye(peer);
  switch (peer.state) {
    case PeerState::kOpen:
      end_for_close(peer);
      peer.error = Error(Loss::kPeer, "session",
                         "this process has ended before the peer had acknowledged everything");
      return true;
    case PeerState::kLost:
      states_.enter(peer, PeerState::kClosed);
      return true;  // no poll() reports it
    default: return false;
  }
}

// After the goodbye, if it could be sent. What has left may still arrive.
void Session::end_for_close(PeerSession& peer) {
  if (lower_->withdraw_placement(peer.lower) == Withdrawal::kArriving) states_.end_connection(peer);
  states_.end_session(peer);
}

// One step towards the end of an open session: sends what is queued, waits for its acknowledgement,
// sends a goodbye. A frame that has left may still be lost when our endpoint closes; only the
// acknowledgement proves that the peer has it.
void Session::advance_close(PeerSession& peer) {
  if (peer.frame.messages() > 0 && !send_frame(peer)) return;
  if (peer.window.unacknowledged() > 0) {
    if (peer.early_ping || !states_.send_control(peer, FrameKind::kPing)) return;
    peer.early_ping = true;
    ++tables_.counters.pings;
  } else if (states_.send_control(peer, FrameKind::kGoodbye)) {
    end_for_close(peer);
  }
}

}  // namespace lintel::transport
