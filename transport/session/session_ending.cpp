// Session: lost connections, the end of a session, and of all of them when the process ends.

#include <new>

#include "base/assert.h"
#include "base/log.h"
#include "transport/session/frame_codec.h"
#include "transport/session/session.h"

namespace lintel::transport {

void Session::on_peer_failed(PeerId lower, Error error) {
  lock_.is_held();
  PeerSession* const peer = peers_.find_by_lower(lower);
  if (peer == nullptr) return lower_->forget(lower);
  peer->leaving.reset();
  switch (peer->state) {
    case PeerState::kClosed:
    case PeerState::kLost:
    case PeerState::kLocal: return;
    case PeerState::kConnecting: return try_later(*peer, error);
    case PeerState::kWelcoming:
    case PeerState::kOpen:
      if (peer->hello_unanswered && peer->handshake.connection == connection_of(*peer) &&
          (peer->state == PeerState::kWelcoming || !lower_->attributes().knows_source)) {
        // The failure may belong to our hello, which was sent before the peer existed: nothing
        // shows that this connection has ended. If it has, the sequence numbers will show the loss.
        peer->hello_unanswered = false;
        peer->due.welcome = true;
        if (peer->wanted) timers_.retry_soon(*peer, turn_.now());
        return pending_.add(*peer);
      }
      if (peer->state == PeerState::kWelcoming) return lose_handshake(*peer, error);
      return on_connection_lost(*peer, error);
  }
}

// If the peer was started again, the ping finds its earlier connection dead.
void Session::on_contested(PeerId lower) {
  lock_.is_held();
  PeerSession* const peer = peers_.find_by_lower(lower);
  // Without a session, the lower transport ends its connection soon.
  if (peer != nullptr && peer->state == PeerState::kOpen) contest(*peer);
}

// The connection was lost before the session was open. The peer may not be what has caused that.
void Session::lose_handshake(PeerSession& peer, Error error) {
  if (peer.state == PeerState::kOpen) return lose_outside_poll(peer, error);
  if (peer.wanted) return try_later(peer, error);
  end_session(peer);
  enter(peer, PeerState::kClosed);
}

// The peer may not have been started yet.
void Session::try_later(PeerSession& peer, Error error) {
  if (peer.state == PeerState::kWelcoming) enter(peer, PeerState::kConnecting);
  peer.due = {};
  peer.candidate.reset();
  peer.hello_unanswered = peer.handshake.welcomes = false;
  peer.not_reached = error;
  timers_.retry_soon(peer, turn_.now());
}

// The process that has made the present connection has not proved that it is the peer. Says hello
// to the peer on a connection that this process makes.
void Session::connect_again(PeerSession& peer, Error error) {
  end_connection(peer);
  try_later(peer, error);
}

void Session::drop_handshake(PeerSession& peer) {
  end_connection(peer);
  end_session(peer);
  enter(peer, PeerState::kClosed);
}

// The lower transport could not resume the connection, so the session ends. Where the network does
// not tell which process has sent a message, the peer is told if it can be reached, so that its
// operations do not wait for its deadline. Elsewhere what is sent now would go on another
// connection, of which nothing is known, and the peer notices the end of this one by itself.
void Session::on_connection_lost(PeerSession& peer, Error error) {
  if (peer.state == PeerState::kOpen && !lower_->attributes().knows_source) try_goodbye(peer);
  const Error lost(Loss::kPeer, error.call(), error.reason(), error.code());
  // A process that has another incarnation of the peer's name may have caused it.
  expire_candidate(peer);
  if (peer.candidate != nullptr && peer.candidate->handshake.connection == connection_of(peer))
    return replace_session(peer, nullptr, lost);
  fail(peer, lost);
}

// The connection may still work, so it is ended: nothing that arrives on it may reach the engine.
void Session::give_up(PeerSession& peer, Error error) {
  if (peer.state == PeerState::kOpen) try_goodbye(peer);
  end_connection(peer);
  fail(peer, error);
}

// So that the peer's operations do not wait for its deadline. Without memory they do.
void Session::try_goodbye(PeerSession& peer) {
  try {
    send_control(peer, FrameKind::kGoodbye);
  } catch (const std::bad_alloc&) {
    ++counters_.goodbyes_missed;
  }
}

void Session::end_connection(PeerSession& peer) {
  drop_open_frame(peer);
  lower_->disconnect(peer.lower);
  peer.leaving.reset();
}

void Session::disconnect(PeerId id) {
  lock_.is_held();
  PeerSession& peer = peers_.at(id);
  if (peer.state == PeerState::kLocal) return local_.disconnect();
  if (peer.state == PeerState::kOpen) try_goodbye(peer);
  end_connection(peer);
  if (peer.state == PeerState::kClosed) return;
  end_session(peer);
  enter(peer, PeerState::kClosed);
}

void Session::lose_outside_poll(PeerSession& peer, Error error) {
  end_connection(peer);
  end_session(peer);
  enter(peer, PeerState::kLost);
  peer.error = error;
  pending_.add(peer);
}

void Session::fail(PeerSession& peer, Error error) {
  end_session(peer);
  enter(peer, PeerState::kClosed);
  peer.error = error;
  ++counters_.peer_failures;
  turn_.report().on_peer_failed(peer.id, error);
}

// Messages that the session had accepted, and of which this process never learns more.
void Session::count_lost(PeerSession& peer, std::uint64_t messages) {
  peer.lost_messages += messages;
  counters_.messages_unacknowledged += messages;
}

// Resets the state of one session. The identity of the peer stays.
void Session::end_session(PeerSession& peer) {
  drop_open_frame(peer);
  count_lost(peer, peer.window.end());
  lower_->withdraw_placement(peer.lower);
  timers_.stop(peer);
  pending_.remove(peer);
  peer.due = {};
  peer.early_ping = peer.hello_unanswered = peer.wanted = false;
  peer.contest = Contest::kNone;
  peer.arrival_awaited = false;
  peer.handshake = {};
  peer.candidate.reset();
  peer.silent_quarters = 0;
  peer.received.reset();
  peer.remote_slot = peer.remote_epoch = peer.local_epoch = 0;
  peer.leaving.make_stale();
}

void Session::await_arrival() {
  lock_.is_held();
  for (const auto& peer : peers_.records()) {
    if (peer->state != PeerState::kOpen) continue;
    peer->window.await(peer->frame.messages() > 0 ? 1 : 0);
    continue_awaiting(*peer);
  }
}

void Session::continue_awaiting(PeerSession& peer) {
  peer.arrival_awaited = peer.window.awaited() > 0;
  if (!peer.arrival_awaited || peer.early_ping) return;
  peer.early_ping = peer.due.ping = true;
  pending_.add(peer);
}

std::size_t Session::awaited_arrivals() const {
  lock_.is_held();
  std::size_t frames = 0;
  for (const auto& peer : peers_.records()) {
    if (peer->arrival_awaited) frames += static_cast<std::size_t>(peer->window.awaited());
  }
  return frames;
}

bool Session::close(TimePoint now) {
  lock_.is_held();
  LINTEL_ASSERT(!turn_.is_under_way());
  turn_.advance(now);
  closing_ = true;
  bool done = local_.empty();
  for (const auto& peer : peers_.records()) {
    if (peer->state == PeerState::kOpen) advance_close(*peer);
    if (peer->state == PeerState::kConnecting || peer->state == PeerState::kWelcoming) {
      // The peer may have opened the session already.
      if (peer->state == PeerState::kWelcoming && !peer->due.welcome)
        send_control(*peer, FrameKind::kGoodbye);
      end_session(*peer);
      enter(*peer, PeerState::kClosed);
    }
    done = done && (peer->state == PeerState::kClosed || peer->state == PeerState::kLocal) &&
           !peer->leaving.has_stale();
  }
  return done && lower_->close(now);
}

void Session::give_up_close() {
  lock_.is_held();
  for (const auto& peer : peers_.records()) {
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
  if (peer.state == PeerState::kOpen) try_goodbye(peer);
  switch (peer.state) {
    case PeerState::kOpen:
      end_for_close(peer);
      peer.error = Error(Loss::kPeer, "session",
                         "this process has ended before the peer had acknowledged everything");
      return true;
    case PeerState::kLost: enter(peer, PeerState::kClosed); return true;  // no poll() reports it
    default: return false;
  }
}

// After the goodbye, if it could be sent. What has left may still arrive.
void Session::end_for_close(PeerSession& peer) {
  if (lower_->withdraw_placement(peer.lower) == Withdrawal::kArriving) end_connection(peer);
  end_session(peer);
  enter(peer, PeerState::kClosed);
}

// One step towards the end of an open session: sends what is queued, waits for its acknowledgement,
// sends a goodbye. A frame that has left may still be lost when our endpoint closes; only the
// acknowledgement proves that the peer has it.
void Session::advance_close(PeerSession& peer) {
  if (peer.frame.messages() > 0 && !send_frame(peer)) return;
  if (peer.window.unacknowledged() > 0) {
    if (peer.early_ping || !send_control(peer, FrameKind::kPing)) return;
    peer.early_ping = true;
    ++counters_.pings;
  } else if (send_control(peer, FrameKind::kGoodbye)) {
    end_for_close(peer);
  }
}

}  // namespace lintel::transport
