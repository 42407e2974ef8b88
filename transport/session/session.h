#pragma once
// Session: makes a transport that delivers once and in order, or reports the peer as lost, from one
// that may lose, repeat or forget messages.
//
// Owns the lower transport. Adds, per peer: a handshake with incarnation, versions, provider and
// proofs of who the two are; sequence numbers with cumulative acknowledgements and a bounded
// window; detection of duplicates, gaps and dead peers; frames that messages share. Messages and
// writes of a process to itself do not use the lower transport.
// Thread: see Transport; one lock of the owner guards everything.
// Invariants:
//  (1) Between two on_peer_failed for a peer, its messages arrive once, in order and without a gap.
//  (2) What the engine sent to a peer is delivered at most once, and not at all after
//      on_peer_failed.
//  (3) The unacknowledged frames per peer never exceed SessionOptions::window_frames.
//  (4) A frame is open only while it holds messages or one is being built in it.
//  (5) There is no periodic wake-up for peers from which nothing is awaited, unless more than
//      SessionOptions::max_idle_sessions are open without a job secret.
//  (6) A peer that this session gives up is disconnected in the lower transport: when
//      on_peer_failed is called, nothing of the peer changes memory, as far as the lower
//      transport's disconnect() promises it.
//  (7) Messages are sent to a peer, and delivered from it, only after it has proved itself: with a
//      job key, that it has this key; without one, that it receives what is sent to its address.
//      Where the network tells its connections apart, what was proved on one holds on no other.
//  (8) Only its peer ends an open session: by its goodbye, by the end of its connection,
//      by its silence until the deadline, or by a handshake with proofs by the job key or by the
//      key of the first contact.
// Its parts own the state: PeerSessions, UnprovedCallers, IdleSessions, PeerTimers, PendingPeers,
// PollTurn, Introductions, LocalLoop, and of each peer OpenFrame, SendWindow, ReceivedFrames and
// LeavingFrames. Each has its own lists and numbers, and knows no Session. Session connects them.
// It has more members than other classes because Transport, Sink and JobKey::User alone have 40
// functions, and because the states of a handshake, of an open session and of its end lead into
// each other.
// After a failure of a peer, the next reserve() starts a new session with it.
// Does not: acknowledge end to end (a frame is acknowledged when its messages have been passed to
// the Sink), encrypt, protect what follows the handshake from a process that can change it on its
// way, or resend after a lost connection (see on_connection_lost()).
//
// The path of a message: reserve() lends room in the peer's open frame, which is a reservation of
// the lower transport. commit() closes the record, and sends the frame if no earlier frame to that
// peer is still leaving. Otherwise later messages share the frame until it is full or poll() runs.

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "base/owner_lock.h"
#include "transport/session/idle_sessions.h"
#include "transport/session/introductions.h"
#include "transport/session/job_key.h"
#include "transport/session/local_loop.h"
#include "transport/session/peer_session.h"
#include "transport/session/peer_sessions.h"
#include "transport/session/peer_timers.h"
#include "transport/session/pending_peers.h"
#include "transport/session/poll_turn.h"
#include "transport/session/session_counters.h"
#include "transport/session/unproved_callers.h"
#include "transport/transport.h"

namespace lintel::transport {

struct SessionOptions {
  std::uint64_t incarnation = 0;  // a random number of the process, given by the caller; not 0
  // Random bits that nobody else knows, given by the caller: nonces and epochs come from them.
  std::array<std::byte, 32> random{};
  std::shared_ptr<JobKey> job_key = nullptr;  // nullptr: this process has no job secret, ever
  std::uint32_t window_frames = 64;           // unacknowledged frames per peer
  Nanoseconds dead_peer_deadline = std::chrono::seconds(10);
  Nanoseconds connect_deadline = std::chrono::seconds(10);
  std::size_t max_peers = 65536;          // resolve() refuses more
  std::size_t max_closed_peers = 256;     // of them without a session; the oldest are forgotten
  std::size_t max_callers = 256;          // of them that have called and proved nothing; likewise
  std::size_t max_local_messages = 1024;  // waiting messages of the process to itself
  // Beyond so many open sessions without a job secret, their peers that say nothing are asked
  // whether they live, and are lost if they do not answer within the dead-peer deadline.
  std::size_t max_idle_sessions = 256;
};

class Session final : public Transport, private Sink, private JobKey::User {
 public:
  // REQUIRES: lower->attributes().independent_reservations; messages of at least 256 bytes;
  // options.incarnation != 0.
  Session(std::unique_ptr<Transport> lower, const SessionOptions& options);
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  // Sends a goodbye to open peers, as far as the lower transport takes it at once. The orderly way
  // is close() until it returns true.
  ~Session() override;

  const TransportAttributes& attributes() const override { return attributes_; }
  ProcessId self() const override { return lower_->self(); }
  Result<PeerId> resolve(ProcessId name) override;
  ProcessId name_of(PeerId peer) const override;

  MessageBuffer reserve(PeerId peer, std::size_t bytes) override;
  PostStatus commit(PeerId peer, const MessageBuffer& buffer, std::size_t bytes) override;
  void abandon(PeerId peer, const MessageBuffer& buffer) override;
  // Also ends the session, and sends a goodbye if the network takes it at once.
  [[gnu::cold]] void disconnect(PeerId peer) override;

  Result<Registration> register_memory(PeerId peer, std::span<std::byte> memory,
                                       Access access) override;
  void deregister_memory(const Registration& region) override;
  PostStatus post_write(PeerId peer, const LocalMemory& from, RemoteMemory to, Immediate immediate,
                        Context context) override;

  void enable_placement() override {
    lock_.is_held();
    lower_->enable_placement();
  }
  PostStatus commit_placed(PeerId peer, const MessageBuffer& buffer, std::size_t bytes,
                           std::span<const std::byte> payload, PlacementKey key,
                           Context context) override;
  bool expect_placement(PeerId peer, PlacementKey key, std::span<std::byte> memory) override;
  Withdrawal withdraw_placement(PeerId peer) override;

  void watch(PeerId peer, bool watched) override;
  void note_progress(PeerId peer) override;
  std::size_t poll(TimePoint now, Sink& sink) override;
  std::size_t poll_arrivals(TimePoint now, Sink& sink) override;
  void flush(Sink& sink) override;
  TimePoint next_deadline() const override;
  int wait_fd() const override { return lower_->wait_fd(); }
  bool prepare_wait() override;

  void await_arrival() override;
  std::size_t awaited_arrivals() const override;
  // Waits for the acknowledgement of what was sent, then sends the peer a goodbye, so that the
  // peer's operations do not wait for their deadline.
  bool close(TimePoint now) override;
  [[gnu::cold]] void give_up_close() override;
  std::uint64_t lost_messages(PeerId peer) const override {
    lock_.is_held();
    return peers_.at(peer).lost_messages;
  }

  SessionCounters counters() const {
    lock_.is_held();
    return counters_;
  }
  // One sentence about the peer: its state, and if the last session ended or was refused, the
  // reason, with the versions and providers of both sides.
  std::string describe(PeerId peer) const override;
  void interrupt(PeerId peer) override {
    lock_.is_held();
    if (peers_.at(peer).lower != kNoPeer) lower_->interrupt(peers_.at(peer).lower);
  }
  FrameCounts frame_counts() const override {
    lock_.is_held();
    return {counters_.frames_sent,
            counters_.frames_received,
            counters_.malformed(),
            counters_.duplicates,
            counters_.refused,
            counters_.unproved + counters_.contested,
            lower_->frame_counts().resumed,
            counters_.messages_unacknowledged};
  }
  // One line per peer: name, state, next sequence, acknowledged, in window, time last heard, bytes
  // in the open frame. Then the dump of the lower transport.
  void dump(std::string& out) const override;
  PeerState state_of(PeerId peer) const {
    lock_.is_held();
    return peers_.at(peer).state;
  }
  // The lower transport, owned by the session. For tests and diagnosis.
  Transport& lower() { return *lower_; }

 private:
  // From the lower transport.
  void on_message(PeerId from, std::span<const std::byte> frame) override;
  void on_placed_message(PeerId from, std::span<const std::byte> frame,
                         const PlacedPayload& payload) override;
  void on_message_left(PeerId to) override;
  void on_write_done(Context context, Error error) override;
  void on_immediate(PeerId lower, Immediate immediate) override;
  void on_contested(PeerId lower) override;
  void on_peer_failed(PeerId peer, Error error) override;

  // session.cpp
  void enter(PeerSession& peer, PeerState next) LINTEL_REQUIRES(lock_);
  [[gnu::cold]] void note_caller(PeerSession& peer) LINTEL_REQUIRES(lock_);
  [[gnu::cold]] void forget_surplus_peers() LINTEL_REQUIRES(lock_);
  std::size_t run_poll(TimePoint now, Sink& sink, bool hold) LINTEL_REQUIRES(lock_);
  void send_held() LINTEL_REQUIRES(lock_);
  // poll() has work: something to send or to report, or a timer that needs the time.
  bool work_waits() const LINTEL_REQUIRES(lock_) {
    return pending_.work_waits() || !local_.empty() || timers_.has_unstamped();
  }

  // session_send.cpp
  [[gnu::cold]] MessageBuffer reserve_unready(PeerSession& peer, std::size_t bytes)
      LINTEL_REQUIRES(lock_);
  bool open_frame(PeerSession& peer) LINTEL_REQUIRES(lock_);
  void seal_frame(PeerSession& peer) LINTEL_REQUIRES(lock_);
  void frame_has_gone(PeerSession& peer) LINTEL_REQUIRES(lock_);
  bool send_frame(PeerSession& peer) LINTEL_REQUIRES(lock_);
  [[gnu::cold]] bool send_control(PeerSession& peer, FrameKind kind) LINTEL_REQUIRES(lock_);
  [[gnu::cold]] PostStatus send_numbered(PeerSession& peer, FrameKind kind,
                                         std::span<const std::byte> body) LINTEL_REQUIRES(lock_);
  [[gnu::cold]] PostStatus send_alone(PeerId lower, FrameHeader header,
                                      std::span<const std::byte> body) LINTEL_REQUIRES(lock_);
  void frame_is_leaving(PeerSession& peer, std::uint32_t messages) LINTEL_REQUIRES(lock_);
  [[gnu::cold]] void drop_open_frame(PeerSession& peer) LINTEL_REQUIRES(lock_);
  void serve_pending() LINTEL_REQUIRES(lock_);
  bool serve(PeerSession& peer) LINTEL_REQUIRES(lock_);

  // session_receive.cpp
  bool parse_frame(std::span<const std::byte> frame, FrameHeader& header) LINTEL_REQUIRES(lock_);
  [[gnu::cold]] void end_closed(PeerId from) LINTEL_REQUIRES(lock_);
  bool in_sequence(PeerSession& peer, const FrameHeader& header) LINTEL_REQUIRES(lock_);
  void received(PeerSession& peer) LINTEL_REQUIRES(lock_);
  void on_data(PeerSession& peer, const FrameHeader& header, std::span<const std::byte> body)
      LINTEL_REQUIRES(lock_);
  [[gnu::cold]] void no_memory_for(PeerSession& peer) LINTEL_REQUIRES(lock_);
  bool take_acknowledgement(PeerSession& peer, const FrameHeader& header) LINTEL_REQUIRES(lock_);
  PeerSession* addressed(PeerId from, const FrameHeader& header) LINTEL_REQUIRES(lock_);

  // session_handshake.cpp: what is received of handshakes
  [[gnu::cold]] void on_hello(PeerId from, const FrameHeader& header,
                              std::span<const std::byte> body) LINTEL_REQUIRES(lock_);
  [[gnu::cold]] void on_welcome(PeerId from, const FrameHeader& header,
                                std::span<const std::byte> body) LINTEL_REQUIRES(lock_);
  [[gnu::cold]] void on_refuse(PeerId from, const FrameHeader& header,
                               std::span<const std::byte> body) LINTEL_REQUIRES(lock_);
  [[gnu::cold]] void on_confirm(PeerId from, const FrameHeader& header,
                                std::span<const std::byte> body) LINTEL_REQUIRES(lock_);
  [[gnu::cold]] PeerSession* party(PeerId from, const FrameHeader& header) LINTEL_REQUIRES(lock_);
  [[gnu::cold]] void opened(PeerSession& peer, const SessionKeys& keys) LINTEL_REQUIRES(lock_);
  void on_job_key() override;

  // session_answers.cpp: what is sent in handshakes
  [[gnu::cold]] void connect(PeerSession& peer) LINTEL_REQUIRES(lock_);
  BindingBytes connection_of(const PeerSession& peer) const LINTEL_REQUIRES(lock_) {
    return lower_->binding(peer.lower).bytes;
  }
  [[gnu::cold]] void connect_too(PeerSession& peer) LINTEL_REQUIRES(lock_);
  [[gnu::cold]] bool send_hello(PeerSession& peer) LINTEL_REQUIRES(lock_);
  [[gnu::cold]] bool send_in_handshake(PeerSession& peer, FrameKind kind,
                                       std::span<const std::byte> body) LINTEL_REQUIRES(lock_);
  [[gnu::cold]] bool send_welcome(PeerSession& peer) LINTEL_REQUIRES(lock_);
  [[gnu::cold]] bool send_confirmation(PeerSession& peer) LINTEL_REQUIRES(lock_);
  [[gnu::cold]] bool serve_handshake(PeerSession& peer) LINTEL_REQUIRES(lock_);
  [[gnu::cold]] void refuse(PeerId lower, const Introduction& hello, RefuseReason reason)
      LINTEL_REQUIRES(lock_);

  // session_candidate.cpp: processes that say they are the peer, beside an open session or another
  // such process
  [[gnu::cold]] void on_rival_hello(PeerSession& peer, const HandshakeHalf& hello, std::uint8_t key)
      LINTEL_REQUIRES(lock_);
  [[gnu::cold]] void on_second_hello(PeerSession& peer, const HandshakeHalf& hello,
                                     std::uint8_t key) LINTEL_REQUIRES(lock_);
  [[gnu::cold]] void note_candidate(PeerSession& peer, const HandshakeHalf& hello, std::uint8_t key)
      LINTEL_REQUIRES(lock_);
  [[gnu::cold]] void answer_candidate(PeerSession& peer) LINTEL_REQUIRES(lock_);
  [[gnu::cold]] void expire_candidate(PeerSession& peer) LINTEL_REQUIRES(lock_);
  [[gnu::cold]] const Candidate* answered_candidate(PeerSession& peer) LINTEL_REQUIRES(lock_);
  [[gnu::cold]] void on_candidate_proved(PeerSession& peer) LINTEL_REQUIRES(lock_);
  bool is_on_own_connection(const Candidate& candidate) const LINTEL_REQUIRES(lock_);
  [[gnu::cold]] void take_candidate(PeerSession& peer) LINTEL_REQUIRES(lock_);
  [[gnu::cold]] void welcome_again(PeerSession& peer) LINTEL_REQUIRES(lock_);
  [[gnu::cold]] void contest(PeerSession& peer) LINTEL_REQUIRES(lock_);
  [[gnu::cold]] void end_contest(PeerSession& peer) LINTEL_REQUIRES(lock_);
  [[gnu::cold]] bool send_candidate_welcome(PeerSession& peer) LINTEL_REQUIRES(lock_);
  [[gnu::cold]] void replace_session(PeerSession& peer, const SessionKeys* proved, Error error)
      LINTEL_REQUIRES(lock_);

  // session_liveness.cpp
  void run_timers() LINTEL_REQUIRES(lock_);
  void on_timer(PeerSession& peer) LINTEL_REQUIRES(lock_);
  [[gnu::cold]] void ask_idle_peers() LINTEL_REQUIRES(lock_);
  [[gnu::cold]] void ask_idle(PeerSession& peer) LINTEL_REQUIRES(lock_);
  void replace_silent_connection(const PeerSession& peer, unsigned quarters) LINTEL_REQUIRES(lock_);
  void heard_from(PeerSession& peer, bool progress) LINTEL_REQUIRES(lock_);

  // session_ending.cpp
  [[gnu::cold]] void on_connection_lost(PeerSession& peer, Error error) LINTEL_REQUIRES(lock_);
  [[gnu::cold]] void give_up(PeerSession& peer, Error error) LINTEL_REQUIRES(lock_);
  [[gnu::cold]] void lose_handshake(PeerSession& peer, Error error) LINTEL_REQUIRES(lock_);
  [[gnu::cold]] void drop_handshake(PeerSession& peer) LINTEL_REQUIRES(lock_);
  [[gnu::cold]] void try_later(PeerSession& peer, Error error) LINTEL_REQUIRES(lock_);
  [[gnu::cold]] void connect_again(PeerSession& peer, Error error) LINTEL_REQUIRES(lock_);
  [[gnu::cold]] void try_goodbye(PeerSession& peer) LINTEL_REQUIRES(lock_);
  [[gnu::cold]] void end_connection(PeerSession& peer) LINTEL_REQUIRES(lock_);
  [[gnu::cold]] void lose_outside_poll(PeerSession& peer, Error error) LINTEL_REQUIRES(lock_);
  [[gnu::cold]] void fail(PeerSession& peer, Error error) LINTEL_REQUIRES(lock_);
  [[gnu::cold]] void count_lost(PeerSession& peer, std::uint64_t messages) LINTEL_REQUIRES(lock_);
  [[gnu::cold]] void end_session(PeerSession& peer) LINTEL_REQUIRES(lock_);
  // Ends the wait, or asks for what is missing.
  [[gnu::cold]] void continue_awaiting(PeerSession& peer) LINTEL_REQUIRES(lock_);
  [[gnu::cold]] void advance_close(PeerSession& peer) LINTEL_REQUIRES(lock_);
  [[gnu::cold]] bool end_unclosed(PeerSession& peer) LINTEL_REQUIRES(lock_);
  [[gnu::cold]] void end_for_close(PeerSession& peer) LINTEL_REQUIRES(lock_);

  std::unique_ptr<Transport> lower_;
  SessionOptions options_;
  TransportAttributes attributes_;
  OwnerLock lock_;
  SessionCounters counters_ LINTEL_GUARDED_BY(lock_);
  // Bytes of a frame: the lower transport's largest message, rounded down to a multiple of
  // kRecordAlignment.
  std::size_t frame_limit_;
  Introductions introductions_ LINTEL_GUARDED_BY(lock_);

  PeerSessions peers_ LINTEL_GUARDED_BY(lock_);
  PendingPeers pending_ LINTEL_GUARDED_BY(lock_);
  UnprovedCallers callers_ LINTEL_GUARDED_BY(lock_);
  PeerTimers timers_ LINTEL_GUARDED_BY(lock_);
  IdleSessions idle_ LINTEL_GUARDED_BY(lock_);
  LocalLoop local_ LINTEL_GUARDED_BY(lock_);
  PeerId local_peer_ LINTEL_GUARDED_BY(lock_) = kNoPeer;

  PollTurn turn_ LINTEL_GUARDED_BY(lock_);
  bool closing_ LINTEL_GUARDED_BY(lock_) = false;
};

}  // namespace lintel::transport
