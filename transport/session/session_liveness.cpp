// Session: asks peers whether they are alive: awaited ones by their timers, and idle ones.

#include "base/assert.h"
#include "transport/session/session.h"

namespace lintel::transport {

void Session::watch(PeerId id, bool watched) {
  lock_.is_held();
  PeerSession& peer = peers_.at(id);
  LINTEL_ASSERT(watched || peer.watchers > 0);
  const bool before = peer.owner_waits();
  peer.watchers += watched ? 1U : 0xffffffffU;
  if (peer.state != PeerState::kOpen || before == peer.owner_waits()) return;
  if (watched) {
    // A watcher waits the whole time, unless the peer owes an answer to a contest already.
    if (peer.contest != Contest::kAsked || peer.is_proved_by_secret()) timers_.start(peer);
  } else if (!peer.awaited()) {
    timers_.stop(peer);
  }
}

void Session::note_progress(PeerId id) {
  lock_.is_held();
  PeerSession& peer = peers_.at(id);
  if (peer.state == PeerState::kOpen) heard_from(peer, true);
}

void Session::run_timers() {
  timers_.run(turn_.now(), [this](PeerSession& peer) {
    lock_.is_held();
    on_timer(peer);
  });
}

void Session::on_timer(PeerSession& peer) {
  if (peer.state == PeerState::kOpen) {
    const bool asks_for_contest_alone = !peer.owner_waits() && peer.is_proved_by_secret();
    if (++peer.silent_quarters >= kDeadlineQuarters) {
      if (asks_for_contest_alone) {
        // A process without a proof is no reason to lose a process of the job. This one is stopped:
        // if its machine were gone, the connection would have been replaced, or lost.
        peer.contest = Contest::kUnanswered;
        return;
      }
      return give_up(peer, Error(Loss::kPeer, "session",
                                 "the peer has not answered within the dead-peer deadline"));
    }
    replace_silent_connection(peer, peer.silent_quarters);
    // One is enough for a contest. Of the others, the owner's operations bound the number.
    if (!asks_for_contest_alone) {
      peer.due.ping = true;
      pending_.add(peer);
    }
  } else {
    if (turn_.now() >= peer.connect_deadline) {
      // Nothing here waits for a caller that has never proved that it is the peer.
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
        lower_->binding(peer.lower).made_by_peer)
      return connect_again(peer, Error(Loss::kPeer, "session", "the peer has not answered"));
    // Our welcome or the confirmation may be lost. The hello was perhaps not of the peer: then the
    // peer still has to get ours.
    peer.due.welcome = peer.state == PeerState::kWelcoming && !peer.due.confirm;
    peer.due.hello = peer.wanted && !peer.due.confirm;
    pending_.add(peer);
  }
  timers_.repeat(peer, turn_.now());
}

void Session::ask_idle_peers() {
  for (IdleSessions::Turn turn; PeerSession* const peer = idle_.next_to_ask(turn, turn_.now());)
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
  if (quarters > 0 && peer.leaving.count() > 0) return;
  peer.due.ping = true;
  pending_.add(peer);
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
  peer.last_heard = turn_.now();
  if (peer.contest != Contest::kNone) [[unlikely]]
    end_contest(peer);
  if (!peer.awaited()) {
    timers_.stop(peer);
  } else if (progress || peer.window.unacknowledged() == 0) {
    timers_.postpone(peer, turn_.now());
  }
}

}  // namespace lintel::transport
