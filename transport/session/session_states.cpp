#include "transport/session/session_states.h"

#include <new>

#include "base/assert.h"

namespace lintel::transport {

Result<PeerId> SessionStates::peer_named(ProcessId name) {
  if (const PeerId known = tables_.peers.find(name); known != kNoPeer) return known;
  if (tables_.peers.is_full()) return kTooManyPeers;
  const Result<PeerId> lower = tables_.lower.resolve(name);
  if (!lower) return lower.error();
  return tables_.peers.add(name, *lower).id;
}

void SessionStates::enter(PeerSession& peer, PeerState next) {
  const auto from = [&peer](auto... states) { return ((peer.state == states) || ...); };
  bool legal = false;
  switch (next) {
    case PeerState::kClosed:
      legal =
          from(PeerState::kConnecting, PeerState::kWelcoming, PeerState::kOpen, PeerState::kLost);
      break;
    case PeerState::kConnecting: legal = from(PeerState::kClosed, PeerState::kWelcoming); break;
    case PeerState::kWelcoming: legal = from(PeerState::kClosed, PeerState::kConnecting); break;
    case PeerState::kOpen: legal = from(PeerState::kWelcoming); break;
    case PeerState::kLost:
      legal = from(PeerState::kConnecting, PeerState::kWelcoming, PeerState::kOpen);
      break;
    case PeerState::kLocal: legal = from(PeerState::kClosed); break;
  }
  LINTEL_ASSERT(legal);
  if (peer.state == PeerState::kClosed) tables_.peers.in_use(peer);
  if (peer.state == PeerState::kWelcoming) tables_.callers.remove(peer);
  if (peer.state == PeerState::kOpen) tables_.idle.remove(peer);
  if (next == PeerState::kClosed) tables_.peers.closed(peer);
  if (next == PeerState::kOpen) tables_.idle.add(peer, tables_.turn.now());
  peer.state = next;
  if (next != PeerState::kClosed) peer.not_reached = Error();
}

bool SessionStates::send_control(PeerSession& peer, FrameKind kind) {
  const PostStatus status = frames_.send_numbered(peer, kind, {});
  if (status == PostStatus::kFailed)
    lose_outside_poll(peer, Error(Loss::kPeer, "commit", "the connection is lost"));
  if (status != PostStatus::kOk) return false;
  peer.received.confirmed();
  peer.due.ack = false;
  return true;
}

void SessionStates::try_goodbye(PeerSession& peer) {
  try {
    send_control(peer, FrameKind::kGoodbye);
  } catch (const std::bad_alloc&) {
    ++tables_.counters.goodbyes_missed;
  }
}

void SessionStates::end_connection(PeerSession& peer) {
  drop_open_frame(peer);
  tables_.lower.disconnect(peer.lower);
  peer.leaving.reset();
}

void SessionStates::end_session(PeerSession& peer) {
  forget_session(peer);
  enter(peer, PeerState::kClosed);
}

void SessionStates::fail(PeerSession& peer, Error error) {
  end_session(peer);
  peer.error = error;
  ++tables_.counters.peer_failures;
  tables_.turn.report().on_peer_failed(peer.id, error);
}

void SessionStates::give_up(PeerSession& peer, Error error) {
  if (peer.state == PeerState::kOpen) try_goodbye(peer);
  end_connection(peer);
  fail(peer, error);
}

void SessionStates::lose_outside_poll(PeerSession& peer, Error error) {
  end_connection(peer);
  forget_session(peer);
  enter(peer, PeerState::kLost);
  peer.error = error;
  tables_.pending.add(peer);
}

void SessionStates::drop_open_frame(PeerSession& peer) {
  count_lost(peer, peer.frame.messages());
  if (peer.frame.is_open()) tables_.lower.abandon(peer.lower, peer.frame.buffer());
  peer.frame.reset();
}

// All of one session, or of the handshake under way. The identity of the peer stays.
void SessionStates::forget_session(PeerSession& peer) {
  drop_open_frame(peer);
  count_lost(peer, peer.window.end());
  tables_.lower.withdraw_placement(peer.lower);
  tables_.timers.stop(peer);
  tables_.pending.remove(peer);
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

// Messages that the session had accepted, and of which this process never learns more.
void SessionStates::count_lost(PeerSession& peer, std::uint64_t messages) {
  peer.lost_messages += messages;
  tables_.counters.messages_unacknowledged += messages;
}

}  // namespace lintel::transport
