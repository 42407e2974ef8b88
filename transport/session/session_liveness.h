#pragma once
// SessionLiveness: finds out whether the peers of open sessions are alive: of those from which an
// answer is awaited, by their timers; of idle ones, in turns; and of one whose place another
// process asks for.
//
// Borrows the SessionTables and the SessionStates. Thread: its owner's lock. Time is that of the
// turn: if this process was stopped, its peers get their time.
// Invariant: no peer is given up that was not asked before.
// Does not: send pings, but says which are due (PeerSession::due), or read what the peer sends.

#include "base/clock.h"
#include "transport/session/session_states.h"
#include "transport/session/session_tables.h"

namespace lintel::transport {

class SessionLiveness {
 public:
  // Borrows both.
  SessionLiveness(SessionTables& tables, SessionStates& states)
      : tables_(tables), states_(states) {}
  SessionLiveness(const SessionLiveness&) = delete;
  SessionLiveness& operator=(const SessionLiveness&) = delete;

  // As Transport::watch().
  void watch(PeerSession& peer, bool watched);
  // The peer has sent something. `progress`: it acknowledged something new, or the owner saw
  // progress. While an acknowledgement is due, frames without one do not reset the timer. REQUIRES:
  // the peer is kOpen. Likewise of the next two.
  void heard_from(PeerSession& peer, bool progress) {
    const TimePoint now = tables_.turn.now();
    peer.last_heard = now;
    if (peer.contest != Contest::kNone) [[unlikely]]
      end_contest(peer);
    if (!peer.awaited()) {
      tables_.timers.stop(peer);
    } else if (progress || peer.window.unacknowledged() == 0) {
      tables_.timers.postpone(peer, now);
    }
  }
  // A process without a proof asks for the session of the peer, or for its connection: the peer is
  // asked for an answer at once.
  [[gnu::cold]] void contest(PeerSession& peer);

  // The timer of an awaited peer has run out: asks it again, or gives it up. True: the timer is to
  // run again.
  [[gnu::cold]] bool on_timer(PeerSession& peer);
  // Asks those whose turn it is, and gives up those that have not answered. REQUIRES:
  // IdleSessions::is_due(); in poll().
  [[gnu::cold]] void ask_idle_peers();

 private:
  [[gnu::cold]] void end_contest(PeerSession& peer);
  void ask_idle(PeerSession& peer);
  void replace_silent_connection(const PeerSession& peer, unsigned quarters);

  SessionTables& tables_;
  SessionStates& states_;
};

}  // namespace lintel::transport
