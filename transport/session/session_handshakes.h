#pragma once
// SessionHandshakes: how a session with a peer is opened, from the first hello to the proofs of
// both sides, and what becomes of another process that says it is the peer meanwhile or later.
//
// A process that wants to send says hello. The other answers with a welcome, which proves who it
// is, and the first answers with a confirmation, which proves the same of itself; or the hello is
// refused. Both may say hello at once: the welcome to either opens the session. Until the proof in
// a frame is verified, what its sender says does not change an open session, except that the peer
// may be asked whether it lives. The sender is a candidate. It takes the place of the peer when it
// has confirmed, or when the connection of the session is lost.
//
// Borrows all parts that it is given. Thread: its owner's lock. Time is that of the turn.
// Invariants: (1) a session is opened only when the peer has proved itself and our own proof was
// sent; (2) proofs of welcomes and confirmations count only on the connection on which the other
// side was heard; (3) callers for which nobody here waits are bounded, see UnprovedCallers.
// Functions throw std::bad_alloc if there is no memory for a proof or a frame; no session has
// opened or ended then.
// Does not: parse the header of a frame, compute a proof (Introductions does), carry messages, or
// watch an open session.
//
// It has more than 30 members because each of the four frames is received and sent, and a
// candidate has a handshake of its own.

#include <cstdint>
#include <span>

#include "base/clock.h"
#include "transport/session/control_frames.h"
#include "transport/session/frame_format.h"
#include "transport/session/handshake.h"
#include "transport/session/introductions.h"
#include "transport/session/session_liveness.h"
#include "transport/session/session_options.h"
#include "transport/session/session_proof.h"
#include "transport/session/session_states.h"
#include "transport/session/session_tables.h"

namespace lintel::transport {

class SessionHandshakes {
 public:
  // Borrows all but the options.
  SessionHandshakes(const SessionOptions& options, SessionTables& tables, ControlFrames& frames,
                    SessionStates& states, SessionLiveness& liveness, Introductions& introductions)
      : window_frames_(options.window_frames),
        connect_deadline_(options.connect_deadline),
        tables_(tables),
        frames_(frames),
        states_(states),
        liveness_(liveness),
        introductions_(introductions) {}
  SessionHandshakes(const SessionHandshakes&) = delete;
  SessionHandshakes& operator=(const SessionHandshakes&) = delete;

  // The owner waits to send to the peer. Says hello, unless that was done, the session is open or
  // lost, or the process is closing.
  [[gnu::cold]] void want(PeerSession& peer);

  // Frames of handshakes, of which the caller has checked magic and length, and of a confirmation
  // the version. `from`: the sender in the lower transport; kNoPeer where that does not tell. What
  // is malformed, unproved or late is counted and dropped. REQUIRES: in poll().
  [[gnu::cold]] void on_hello(PeerId from, const FrameHeader& header,
                              std::span<const std::byte> body);
  [[gnu::cold]] void on_welcome(PeerId from, const FrameHeader& header,
                                std::span<const std::byte> body);
  [[gnu::cold]] void on_refuse(PeerId from, const FrameHeader& header,
                               std::span<const std::byte> body);
  [[gnu::cold]] void on_confirm(PeerId from, const FrameHeader& header,
                                std::span<const std::byte> body);
  // The job's secret has come. What was open without it may be with anybody, so it ends.
  [[gnu::cold]] void on_job_key();

  // Sends what is due of a handshake under way, and opens the session when our confirmation has
  // been sent: nothing may overtake it. True: something remains, because the lower transport has
  // no room. REQUIRES: the peer is kConnecting or kWelcoming.
  [[gnu::cold]] bool serve(PeerSession& peer);
  // Sends what is due of handshakes beside an open session, which may end it: the peer has not
  // received our part, or a candidate has asked.
  void serve_open(PeerSession& peer) {
    if (peer.due.confirm || peer.due.welcome || peer.due.candidate) [[unlikely]]
      answer_again(peer);
  }

  // The timer of a handshake has run out. True: it is to run again.
  [[gnu::cold]] bool on_timer(PeerSession& peer);
  // The lower transport has lost the connection. False: it was that of the open session, which is
  // still to be ended. REQUIRES: the peer is kConnecting, kWelcoming or kOpen.
  [[gnu::cold]] bool on_connection_lost(PeerSession& peer, Error error);
  // The connection of the open session is lost because of `error`. True: the candidate that may
  // have caused this is the peer of a handshake now, and the owner was told. False: there is none,
  // and the caller ends the session.
  [[gnu::cold]] bool replace_lost(PeerSession& peer, Error error);

 private:
  // session_handshakes.cpp: what is received
  PeerSession* party(PeerId from, const FrameHeader& header);
  void opened(PeerSession& peer, const SessionKeys& keys);

  // handshake_answers.cpp: what is sent
  void connect(PeerSession& peer);
  void connect_too(PeerSession& peer);
  BindingBytes connection_of(const PeerSession& peer) const {
    return tables_.lower.binding(peer.lower).bytes;
  }
  bool send_hello(PeerSession& peer);
  bool was_sent(PeerSession& peer, PostStatus status);
  bool send_welcome(PeerSession& peer);
  bool send_confirmation(PeerSession& peer);
  [[gnu::cold]] void answer_again(PeerSession& peer);
  void refuse(PeerSession& peer, const Introduction& hello, RefuseReason reason);

  // handshake_candidates.cpp
  void on_rival_hello(PeerSession& peer, const HandshakeHalf& hello, std::uint8_t key);
  void on_second_hello(PeerSession& peer, const HandshakeHalf& hello, std::uint8_t key);
  void note_candidate(PeerSession& peer, const HandshakeHalf& hello, std::uint8_t key);
  void answer_candidate(PeerSession& peer);
  void expire_candidate(PeerSession& peer);
  const Candidate* answered_candidate(PeerSession& peer);
  void on_candidate_proved(PeerSession& peer);
  bool is_on_own_connection(const Candidate& candidate) const;
  bool send_candidate_welcome(PeerSession& peer);
  void take_candidate(PeerSession& peer);
  void welcome_again(PeerSession& peer);
  void replace_session(PeerSession& peer, const SessionKeys* proved, Error error);

  // handshake_ends.cpp: what comes to nothing
  void note_caller(PeerSession& peer);
  void lose_handshake(PeerSession& peer, Error error);
  void drop_handshake(PeerSession& peer);
  void try_later(PeerSession& peer, Error error);
  void connect_again(PeerSession& peer, Error error);

  std::uint32_t window_frames_;
  Nanoseconds connect_deadline_;
  SessionTables& tables_;
  ControlFrames& frames_;
  SessionStates& states_;
  SessionLiveness& liveness_;
  Introductions& introductions_;
};

}  // namespace lintel::transport
