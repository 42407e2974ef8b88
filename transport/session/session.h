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
// Its parts, in the order in which they depend on each other: SessionTables, the records and lists
// that all share; ControlFrames, which sends what carries no message; SessionStates, which changes
// the state of a peer; SessionLiveness, which finds dead peers; Introductions, which makes and
// checks proofs; SessionHandshakes, which opens sessions. LocalLoop has the messages of the process
// to itself. None knows a Session. What is left to Session is the path of messages, which part a
// frame or a timer is for, and the end of all sessions when the process ends.
// It has more than 30 members because Transport, Sink and JobKey::User alone have 40 functions.
// After a failure of a peer, the next reserve() starts a new session with it.
// Does not: acknowledge end to end (a frame is acknowledged when its messages have been passed to
// the Sink), encrypt, protect what follows the handshake from a process that can change it on its
// way, or resend after a lost connection (see end_lost()).
//
// The path of a message: reserve() lends room in the peer's open frame, which is a reservation of
// the lower transport. commit() closes the record, and sends the frame if no earlier frame to that
// peer is still leaving. Otherwise later messages share the frame until it is full or poll() runs.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "base/owner_lock.h"
#include "transport/session/control_frames.h"
#include "transport/session/introductions.h"
#include "transport/session/job_key.h"
#include "transport/session/local_loop.h"
#include "transport/session/peer_session.h"
#include "transport/session/session_counters.h"
#include "transport/session/session_handshakes.h"
#include "transport/session/session_liveness.h"
#include "transport/session/session_options.h"
#include "transport/session/session_states.h"
#include "transport/session/session_tables.h"
#include "transport/transport.h"

namespace lintel::transport {

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
    return tables_.peers.at(peer).lost_messages;
  }

  SessionCounters counters() const {
    lock_.is_held();
    return tables_.counters;
  }
  // One sentence about the peer: its state, and if the last session ended or was refused, the
  // reason, with the versions and providers of both sides.
  std::string describe(PeerId peer) const override;
  void interrupt(PeerId peer) override {
    lock_.is_held();
    if (tables_.peers.at(peer).lower != kNoPeer) lower_->interrupt(tables_.peers.at(peer).lower);
  }
  FrameCounts frame_counts() const override {
    lock_.is_held();
    return {tables_.counters.frames_sent,   tables_.counters.frames_received,
            tables_.counters.malformed(),   tables_.counters.duplicates,
            tables_.counters.refused,       tables_.counters.unproved + tables_.counters.contested,
            lower_->frame_counts().resumed, tables_.counters.messages_unacknowledged};
  }
  // One line per peer: name, state, next sequence, acknowledged, in window, time last heard, bytes
  // in the open frame. Then the dump of the lower transport.
  void dump(std::string& out) const override;
  PeerState state_of(PeerId peer) const {
    lock_.is_held();
    return tables_.peers.at(peer).state;
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

  // From the job's key.
  void on_job_key() override;

  // session.cpp
  [[gnu::cold]] void forget_surplus_peers() LINTEL_REQUIRES(lock_);
  std::size_t run_poll(TimePoint now, Sink& sink, bool hold) LINTEL_REQUIRES(lock_);
  void run_timers() LINTEL_REQUIRES(lock_);
  void send_held() LINTEL_REQUIRES(lock_);
  // poll() has work: something to send or to report, or a timer that needs the time.
  bool work_waits() const LINTEL_REQUIRES(lock_) {
    return tables_.pending.work_waits() || !local_.empty() || tables_.timers.has_unstamped();
  }

  // session_send.cpp
  [[gnu::cold]] MessageBuffer reserve_unready(PeerSession& peer, std::size_t bytes)
      LINTEL_REQUIRES(lock_);
  bool open_frame(PeerSession& peer) LINTEL_REQUIRES(lock_);
  void seal_frame(PeerSession& peer) LINTEL_REQUIRES(lock_);
  void frame_has_gone(PeerSession& peer) LINTEL_REQUIRES(lock_);
  bool send_frame(PeerSession& peer) LINTEL_REQUIRES(lock_);
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

  // session_ending.cpp
  [[gnu::cold]] void end_lost(PeerSession& peer, Error error) LINTEL_REQUIRES(lock_);
  // Ends the wait, or asks for what is missing.
  [[gnu::cold]] void continue_awaiting(PeerSession& peer) LINTEL_REQUIRES(lock_);
  [[gnu::cold]] void advance_close(PeerSession& peer) LINTEL_REQUIRES(lock_);
  [[gnu::cold]] bool end_unclosed(PeerSession& peer) LINTEL_REQUIRES(lock_);
  [[gnu::cold]] void end_for_close(PeerSession& peer) LINTEL_REQUIRES(lock_);

  std::unique_ptr<Transport> lower_;
  SessionOptions options_;
  TransportAttributes attributes_;
  OwnerLock lock_;
  // Bytes of a frame: the lower transport's largest message, rounded down to a multiple of
  // kRecordAlignment.
  std::size_t frame_limit_;
  SessionTables tables_ LINTEL_GUARDED_BY(lock_);
  ControlFrames frames_ LINTEL_GUARDED_BY(lock_);
  SessionStates states_ LINTEL_GUARDED_BY(lock_);
  SessionLiveness liveness_ LINTEL_GUARDED_BY(lock_);
  Introductions introductions_ LINTEL_GUARDED_BY(lock_);
  SessionHandshakes handshakes_ LINTEL_GUARDED_BY(lock_);
  LocalLoop local_ LINTEL_GUARDED_BY(lock_);
  PeerId local_peer_ LINTEL_GUARDED_BY(lock_) = kNoPeer;
};

}  // namespace lintel::transport
