// Session: who is awaited, who has gone, how a session ends.

#include <algorithm>

#include "base/assert.h"
#include "transport/session/frame_codec.h"
#include "transport/session/session.h"

namespace lintel::transport {

namespace {

constexpr Nanoseconds kLongestBackOff = std::chrono::milliseconds(200);

}  // namespace

void Session::watch(PeerId id, bool watched) {
  lock_.is_held();
  PeerSession& peer = at(id);
  LINTEL_ASSERT(watched || peer.watchers > 0);
  const bool before = peer.awaited();
  peer.watchers += watched ? 1U : 0xffffffffU;
  if (peer.state != PeerState::kOpen || before == peer.awaited()) return;
  if (watched) {
    start_timer(peer);
  } else {
    stop_timer(peer);
  }
}

void Session::note_progress(PeerId id) {
  lock_.is_held();
  PeerSession& peer = at(id);
  if (peer.state == PeerState::kOpen) heard_from(peer, true);
}

// From the next moment at which the time is known.
void Session::start_timer(PeerSession& peer) {
  peer.timed_hook.unlink();
  peer.silent_quarters = 0;
  unstamped_.push_back(peer);
}

void Session::stop_timer(PeerSession& peer) {
  peer.timed_hook.unlink();
  peer.timer = kNever;
}

void Session::stamp_new_timers() {
  while (!unstamped_.empty()) {
    PeerSession& peer = unstamped_.front();
    unstamped_.pop_front();
    if (peer.state == PeerState::kOpen) {
      peer.timer = now_ + ping_interval();
    } else {
      peer.connect_deadline = now_ + options_.connect_deadline;
      peer.timer = now_ + hello_interval();
    }
    timed_.push_back(peer);
    earliest_timer_ = std::min(earliest_timer_, peer.timer);
  }
}

void Session::run_timers() {
  TimedList round;
  round.swap(timed_);
  earliest_timer_ = kNever;
  while (!round.empty()) {
    PeerSession& peer = round.front();
    round.pop_front();
    if (peer.timer <= now_) {
      on_timer(peer);
    } else {
      timed_.push_back(peer);
      earliest_timer_ = std::min(earliest_timer_, peer.timer);
    }
  }
}

void Session::on_timer(PeerSession& peer) {
  if (peer.state == PeerState::kOpen) {
    // Counted, not measured: when this process itself was stopped for a while, its peers are asked
    // again before they are given up.
    if (++peer.silent_quarters == kQuarters) {
      return give_up(peer, Error(Loss::kPeer, "session",
                                 "the peer has not answered within the dead-peer deadline"));
    }
    peer.due.ping = true;
    need_attention(peer);
    peer.timer = now_ + ping_interval();
  } else {
    if (now_ >= peer.connect_deadline) {
      return give_up(peer, Error(Loss::kPeer, "session",
                                 "the peer could not be reached within the connect deadline",
                                 peer.error.code()));
    }
    if (peer.state == PeerState::kConnecting) {
      peer.due.hello = true;
      need_attention(peer);
    }
    peer.timer = std::min(peer.connect_deadline, now_ + hello_interval());
  }
  timed_.push_back(peer);
  earliest_timer_ = std::min(earliest_timer_, peer.timer);
}

// `progress`: something was acknowledged. A peer that owes an acknowledgement proves nothing by
// other frames.
void Session::heard_from(PeerSession& peer, bool progress) {
  peer.last_heard = now_;
  if (!peer.awaited()) {
    stop_timer(peer);
  } else if (progress || peer.unacknowledged() == 0) {
    peer.silent_quarters = 0;
    // Only ever later, so that earliest_timer_ stays a lower bound.
    peer.timer = now_ + ping_interval();
  }
}

void Session::on_peer_failed(PeerId lower, Error error) {
  lock_.is_held();
  PeerSession* const peer = of_lower(lower);
  if (peer == nullptr) return;
  forget_leaving(*peer);
  switch (peer->state) {
    case PeerState::kClosed:
    case PeerState::kLost:
    case PeerState::kLocal: return;
    case PeerState::kConnecting:
      // It may not have been started yet.
      stamp_new_timers();
      peer->error = error;
      peer->timer = std::min(peer->connect_deadline, now_ + peer->back_off);
      peer->back_off = std::min(2 * peer->back_off, kLongestBackOff);
      earliest_timer_ = std::min(earliest_timer_, peer->timer);
      return;
    case PeerState::kOpen:
      if (peer->hello_unanswered) {
        // This may be the late answer to our hello, sent before the peer was there. If it is not,
        // sequence numbers tell soon enough.
        peer->hello_unanswered = false;
        peer->due.welcome = true;
        return need_attention(*peer);
      }
      return on_connection_lost(*peer, error);
    case PeerState::kWelcoming: return on_connection_lost(*peer, error);
  }
}

// The place for resending: the peer's unacknowledged frames would be kept, and go out again on a
// new connection to the same incarnation. For now the session ends; the peer is told if it can
// still be reached, so that its operations need not wait for its own deadline.
void Session::on_connection_lost(PeerSession& peer, Error error) {
  if (peer.state == PeerState::kOpen) send_control(peer, FrameKind::kGoodbye);
  fail(peer, Error(Loss::kPeer, error.call(), error.reason(), error.code()));
}

// The connection may be alive still, but nothing of it is to reach us any more.
void Session::give_up(PeerSession& peer, Error error) {
  if (peer.state == PeerState::kOpen) send_control(peer, FrameKind::kGoodbye);
  end_connection(peer);
  fail(peer, error);
}

void Session::end_connection(PeerSession& peer) {
  drop_open_frame(peer);
  lower_->disconnect(peer.lower);
  forget_leaving(peer);
}

// The lower transport has ended the connection: it will not say of any frame that it has left.
void Session::forget_leaving(PeerSession& peer) {
  peer.first = peer.next = {};
  peer.foreign_leaving = 0;
}

void Session::disconnect(PeerId id) {
  lock_.is_held();
  PeerSession& peer = at(id);
  if (peer.state == PeerState::kLocal) return local_.disconnect();
  if (peer.state == PeerState::kOpen) send_control(peer, FrameKind::kGoodbye);
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
  need_attention(peer);
}

void Session::fail(PeerSession& peer, Error error) {
  end_session(peer);
  enter(peer, PeerState::kClosed);
  peer.error = error;
  ++counters_.peer_failures;
  ++reports_;
  sink_->on_peer_failed(peer.id, error);
}

// Everything that belongs to one session is forgotten; who the peer is stays.
void Session::end_session(PeerSession& peer) {
  drop_open_frame(peer);
  lower_->withdraw_placement(peer.lower);
  stop_timer(peer);
  peer.pending_hook.unlink();
  peer.due = {};
  peer.early_ping = peer.hello_unanswered = false;
  peer.silent_quarters = 0;
  peer.sent = peer.acknowledged = peer.received = peer.unconfirmed = 0;
  peer.remote_slot = peer.remote_epoch = peer.local_epoch = 0;
  peer.foreign_leaving += peer.leaving();
  peer.first = peer.next = {};
}

bool Session::close(TimePoint now) {
  lock_.is_held();
  LINTEL_ASSERT(sink_ == nullptr);
  now_ = std::max(now_, now);
  closing_ = true;
  bool done = local_.empty();
  for (const auto& peer : peers_) {
    if (peer->state == PeerState::kOpen) part(*peer);
    if (peer->state == PeerState::kConnecting || peer->state == PeerState::kWelcoming) {
      end_session(*peer);
      enter(*peer, PeerState::kClosed);
    }
    done = done && (peer->state == PeerState::kClosed || peer->state == PeerState::kLocal) &&
           peer->foreign_leaving == 0;
  }
  return done && lower_->close(now);
}

// One step towards the end of an open session: what is queued, its acknowledgement, goodbye. A
// frame that has left may still be lost with our endpoint; only the acknowledgement tells that the
// peer has it.
void Session::part(PeerSession& peer) {
  if (peer.frame_messages > 0 && !send_frame(peer)) return;
  if (peer.unacknowledged() > 0) {
    if (peer.early_ping || !send_control(peer, FrameKind::kPing)) return;
    peer.early_ping = true;
    ++counters_.pings;
  } else if (send_control(peer, FrameKind::kGoodbye)) {
    if (lower_->withdraw_placement(peer.lower) == Withdrawal::kArriving) end_connection(peer);
    end_session(peer);
    enter(peer, PeerState::kClosed);
  }
}

}  // namespace lintel::transport
