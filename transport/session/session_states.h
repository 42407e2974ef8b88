#pragma once
// SessionStates: changes the state of the sessions of a Session, and keeps what is known of their
// peers in accord with it: the lists of SessionTables, what is queued, the connection, and what
// the owner is told.
//
// Borrows the SessionTables and the ControlFrames. Thread: its owner's lock.
// Invariants: (1) a session that has ended has nothing queued and is on no list of what is due,
// except that one which ended outside poll() is pending, so that the next poll() tells the owner;
// (2) messages that were accepted and not acknowledged before the end are counted as lost.
// Does not: open a session, or decide that one ends: the caller does.

#include <cstdint>

#include "base/ids.h"
#include "base/result.h"
#include "transport/session/control_frames.h"
#include "transport/session/frame_format.h"
#include "transport/session/session_tables.h"

namespace lintel::transport {

class SessionStates {
 public:
  // Borrows both.
  SessionStates(SessionTables& tables, ControlFrames& frames) : tables_(tables), frames_(frames) {}
  SessionStates(const SessionStates&) = delete;
  SessionStates& operator=(const SessionStates&) = delete;

  static constexpr Error kTooManyPeers{Loss::kOperation, "session",
                                       "too many peers are known already"};

  // The peer of that name, which is another process; the first use adds it. Error: kTooManyPeers,
  // or what the lower transport says of the name. Throws std::bad_alloc; nothing has changed then.
  Result<PeerId> peer_named(ProcessId name);
  // Moves the peer between the lists of closed, calling and idle ones too. REQUIRES: PeerState has
  // this change.
  void enter(PeerSession& peer, PeerState next);

  // Sends kPing, kAck or kGoodbye, which have only a header. Each acknowledges, so no kAck is due
  // then. False: there is no room, or the connection is lost, and then the session has ended.
  // Throws std::bad_alloc; nothing was sent then.
  [[gnu::cold]] bool send_control(PeerSession& peer, FrameKind kind);
  // Sends a goodbye if that is possible now, so that the peer's operations do not wait for its
  // deadline.
  [[gnu::cold]] void try_goodbye(PeerSession& peer);

  // Ends the connection: nothing that arrives on it reaches the owner, and what is queued for it is
  // dropped. The session stays as it is.
  [[gnu::cold]] void end_connection(PeerSession& peer);
  // The session, or the handshake under way, has ended: the peer is kClosed and has none.
  // REQUIRES: the peer is not kClosed, and is not this process. Likewise of what follows.
  [[gnu::cold]] void end_session(PeerSession& peer);
  // As end_session(), and tells the owner. REQUIRES: in poll() or flush().
  [[gnu::cold]] void fail(PeerSession& peer, Error error);
  // As fail(), with a goodbye and the end of the connection, which may still work.
  [[gnu::cold]] void give_up(PeerSession& peer, Error error);
  // As give_up() without a goodbye, at any time. The peer is kLost until the next poll() tells the
  // owner.
  [[gnu::cold]] void lose_outside_poll(PeerSession& peer, Error error);
  // The messages in the open frame are never sent.
  [[gnu::cold]] void drop_open_frame(PeerSession& peer);

 private:
  void forget_session(PeerSession& peer);
  void count_lost(PeerSession& peer, std::uint64_t messages);

  SessionTables& tables_;
  ControlFrames& frames_;
};

}  // namespace lintel::transport
