// Session: asks peers whether they are alive: awaited ones by their timers, and idle ones.

#include <algorithm>
#include <new>

#include "base/assert.h"
#include "transport/session/session.h"

namespace lintel::transport {

void Session::watch(PeerId id, bool watched) {
  lock_.is_held();
  PeerSession& peer = peers_.at(id);
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
  PeerSession& peer = peers_.at(id);
  if (peer.state == PeerState::kOpen) heard_from(peer, true);
}

// The timer begins at the next stamp_new_timers(), because the time is known only in poll().
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
    if (peer.timer > now_) {
      timed_.push_back(peer);
      earliest_timer_ = std::min(earliest_timer_, peer.timer);
      continue;
    }
    try {
      on_timer(peer);
    } catch (const std::bad_alloc&) {
      // The next poll goes on with this peer, unless its timer has ended, and with the others.
      if (!peer.timed_hook.is_linked() && peer.is_timed()) timed_.push_back(peer);
      timed_.splice(timed_.end(), round);
      earliest_timer_ = now_;
      throw;
    }
  }
}

void Session::on_timer(PeerSession& peer) {
  if (peer.state == PeerState::kOpen) {
    // Intervals are counted and time is not compared: if this process was stopped for a while, it
    // asks its peers again before it gives them up.
    if (++peer.silent_quarters >= kDeadlineQuarters) {
      return give_up(peer, Error(Loss::kPeer, "session",
                                 "the peer has not answered within the dead-peer deadline"));
    }
    replace_silent_connection(peer, peer.silent_quarters);
    peer.due.ping = true;
    need_attention(peer);
    peer.timer = now_ + ping_interval();
  } else {
    if (now_ >= peer.connect_deadline) {
      // Nobody here waits for a caller that has never proved who it is.
      if (!peer.wanted && answered_candidate(peer) == nullptr) return drop_handshake(peer);
      if (!peer.wanted) {
        take_candidate(peer);
        return welcome_again(peer);
      }
      return give_up(peer, Error(Loss::kPeer, "session",
                                 "the peer could not be reached within the connect deadline",
                                 peer.not_reached.code()));
    }
    if (peer.hello_unanswered && ++peer.silent_quarters == kDeadlineQuarters &&
        lower_->binding(peer.lower).made_by_peer) {
      timed_.push_back(peer);
      return call_back(peer, Error(Loss::kPeer, "session", "the peer has not answered"));
    }
    // Our welcome or the confirmation may be lost. The hello was perhaps not of the peer: then the
    // peer still has to get ours.
    peer.due.welcome = peer.state == PeerState::kWelcoming && !peer.due.confirm;
    peer.due.hello = peer.wanted && !peer.due.confirm;
    need_attention(peer);
    peer.timer = std::min(peer.connect_deadline, now_ + hello_interval());
  }
  timed_.push_back(peer);
  earliest_timer_ = std::min(earliest_timer_, peer.timer);
}

void Session::ask_idle_peers() {
  for (IdleSessions::Turn turn; PeerSession* const peer = idle_.next_to_ask(turn, now_);)
    ask_idle(*peer);
}

void Session::ask_idle(PeerSession& peer) {
  // Looks are counted and time is not compared, as in on_timer().
  if (peer.idle_quarters > kDeadlineQuarters) {
    return give_up(peer, Error(Loss::kPeer, "session",
                               "the idle peer has not answered within the dead-peer deadline"));
  }
  const unsigned quarters = peer.idle_quarters - 1U;  // since the first question
  replace_silent_connection(peer, quarters);
  // The last question may not have left. Then it goes on the next connection, if there is one.
  if (quarters > 0 && peer.leaving() > 0) return;
  peer.due.ping = true;
  need_attention(peer);
}

// After a partition, TCP sends again only when its back-off ends, which may be after the deadline.
// A new connection finds out at once, and another one after each further quarter of the deadline,
// because the partition may have begun only then. `quarters` have passed without an answer.
void Session::replace_silent_connection(const PeerSession& peer, unsigned quarters) {
  if (quarters >= kDeadlineQuarters / 2) lower_->interrupt_if_silent(peer.lower);
}

// `progress`: the frame acknowledged something new. While an acknowledgement is due, frames without
// one do not reset the timer.
void Session::heard_from(PeerSession& peer, bool progress) {
  peer.last_heard = now_;
  if (peer.contested) [[unlikely]]
    end_contest(peer);
  if (!peer.awaited()) {
    stop_timer(peer);
  } else if (progress || peer.unacknowledged() == 0) {
    peer.silent_quarters = 0;
    // The timer only moves later, so earliest_timer_ stays a lower bound.
    peer.timer = now_ + ping_interval();
  }
}

}  // namespace lintel::transport
