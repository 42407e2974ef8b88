#include "transport/session/session_liveness.h"

#include <utility>

#include "base/assert.h"

namespace lintel::transport {

void SessionLiveness::watch(PeerSession& peer, bool watched) {
  LINTEL_ASSERT(watched || peer.watchers > 0);
  const bool before = peer.owner_waits();
  peer.watchers += watched ? 1U : 0xffffffffU;
  if (peer.state != PeerState::kOpen || before == peer.owner_waits()) return;
  if (watched) {
    // A watcher waits the whole time, unless the peer owes an answer to a contest already.
    if (peer.contest != Contest::kAsked || peer.is_proved_by_secret()) tables_.timers.start(peer);
  } else if (!peer.awaited()) {
    tables_.timers.stop(peer);
  }
}

// A quarter of the deadline counts as over already, so that a dead peer's session ends while the
// other process still tries to connect.
void SessionLiveness::contest(PeerSession& peer) {
  if (peer.contest == Contest::kAsked) return;
  ++tables_.counters.contested;
  if (!peer.awaited()) {
    tables_.timers.start(peer);
    peer.silent_quarters = 1;
  }
  const bool has_ping = std::exchange(peer.contest, Contest::kAsked) == Contest::kUnanswered;
  if (has_ping) return;
  peer.due.ping = true;
  tables_.pending.add(peer);
}

// The peer has answered, so its session continues. A candidate that has proved nothing is not it.
void SessionLiveness::end_contest(PeerSession& peer) {
  peer.contest = Contest::kNone;
  if (peer.candidate != nullptr && !peer.candidate->answered) peer.candidate.reset();
}

// A quarter of the deadline has passed.
bool SessionLiveness::on_timer(PeerSession& peer) {
  const bool asks_for_contest_alone = !peer.owner_waits() && peer.is_proved_by_secret();
  if (++peer.silent_quarters >= kDeadlineQuarters) {
    if (asks_for_contest_alone) {
      // A process without a proof is no reason to lose a process of the job. This one is stopped:
      // if its machine were gone, the connection would have been replaced, or lost.
      peer.contest = Contest::kUnanswered;
    } else {
      states_.give_up(peer, Error(Loss::kPeer, "session",
                                  "the peer has not answered within the dead-peer deadline"));
    }
    return false;
  }
  replace_silent_connection(peer, peer.silent_quarters);
  // One is enough for a contest. Of the others, the owner's operations bound the number.
  if (!asks_for_contest_alone) {
    peer.due.ping = true;
    tables_.pending.add(peer);
  }
  return true;
}

void SessionLiveness::ask_idle_peers() {
  for (IdleSessions::Turn turn;
       PeerSession* const peer = tables_.idle.next_to_ask(turn, tables_.turn.now());)
    ask_idle(*peer);
}

void SessionLiveness::ask_idle(PeerSession& peer) {
  // Looks are counted and time is not compared, as in on_timer().
  if (peer.idle_quarters > kDeadlineQuarters) {
    return states_.give_up(peer,
                           Error(Loss::kPeer, "session",
                                 "the idle peer has not answered within the dead-peer deadline"));
  }
  const unsigned quarters = peer.idle_quarters - 1U;  // since the first question
  replace_silent_connection(peer, quarters);
  // The last question may not have left. Then it goes on the next connection, if there is one.
  if (quarters > 0 && peer.leaving.count() > 0) return;
  peer.due.ping = true;
  tables_.pending.add(peer);
}

// After a partition, TCP sends again only when its back-off ends, which may be after the deadline.
// A new connection finds out at once, and another one after each further quarter of the deadline,
// because the partition may have begun only then. `quarters` have passed without an answer.
void SessionLiveness::replace_silent_connection(const PeerSession& peer, unsigned quarters) {
  if (quarters >= kDeadlineQuarters / 2) tables_.lower.interrupt_if_silent(peer.lower);
}

}  // namespace lintel::transport
