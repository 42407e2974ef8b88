#pragma once
// SessionTables: what the parts of a Session share: the lower transport, the records of its peers,
// the lists on which they wait, the turn of poll() that is under way, and the counters.
//
// Owned by a Session, and guarded by its owner's lock. Borrows the lower transport.
// Whoever makes something due adds the peer to the list for it; SessionStates takes a peer off the
// lists that its new state rules out.
// Does not: decide anything.

#include <cstdint>

#include "transport/session/idle_sessions.h"
#include "transport/session/peer_session.h"
#include "transport/session/peer_sessions.h"
#include "transport/session/peer_timers.h"
#include "transport/session/pending_peers.h"
#include "transport/session/poll_turn.h"
#include "transport/session/session_counters.h"
#include "transport/session/session_options.h"
#include "transport/session/unproved_callers.h"
#include "transport/transport.h"

namespace lintel::transport {

struct SessionTables {
  SessionTables(Transport& transport, const SessionOptions& options)
      : lower(transport),
        peers(options.max_peers, options.max_closed_peers),
        callers(options.max_callers),
        timers(options.dead_peer_deadline, options.connect_deadline),
        idle(options.max_idle_sessions, options.dead_peer_deadline) {}

  // A frame with so many messages was committed to the lower transport.
  void count_leaving(PeerSession& peer, std::uint32_t messages) {
    ++counters.frames_sent;
    peer.leaving.add(messages);
  }

  Transport& lower;
  PeerSessions peers;
  PendingPeers pending;
  UnprovedCallers callers;
  PeerTimers timers;
  IdleSessions idle;
  PollTurn turn;
  SessionCounters counters;
  bool closing = false;  // the process ends its sessions, and begins none
};

}  // namespace lintel::transport
