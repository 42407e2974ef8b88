#pragma once
// SessionParts: what the parts of a Session need of each other, over a FakeTransport. The test acts
// as the session.

#include "tests/unit/transport/fake_transport.h"
#include "tests/unit/transport/recording_sink.h"
#include "transport/session/session_states.h"

namespace lintel::transport {

struct SessionParts {
  static constexpr ProcessId kSelf{NodeId{0x7f000001}, Pid{100}};
  static constexpr ProcessId kOther{NodeId{0x7f000001}, Pid{200}};

  explicit SessionParts(const SessionOptions& options = {}, ProcessId self = kSelf)
      : lower(self), tables(lower, options) {}

  PeerSession& peer_of(ProcessId name) { return tables.peers.at(*states.peer_named(name)); }
  // The peer, with an open session.
  PeerSession& open_session(ProcessId name) {
    PeerSession& peer = peer_of(name);
    states.enter(peer, PeerState::kConnecting);
    states.enter(peer, PeerState::kWelcoming);
    states.enter(peer, PeerState::kOpen);
    peer.window.open(64);
    return peer;
  }

  FakeTransport lower;
  RecordingSink sink;
  SessionTables tables;
  ControlFrames frames{tables};
  SessionStates states{tables, frames};
};

}  // namespace lintel::transport
