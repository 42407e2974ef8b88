#pragma once
// DirectTransport: messages, writes and placed messages over TCP sockets, one connection for each
// peer.
//
// It does what libfabric's native TCP provider does, and exists because that provider is slower:
// libfabric 1.17 calls epoll_wait before it reads a socket, and reads a long message in two parts.
// This transport reads the sockets that it read last again without epoll_wait, and the kernel
// writes long data to their place in as few calls as possible.
//
// Owns the connections and what they need. Borrows the bytes of writes, of payloads and of
// registered memory. Thread: no lock of its own, see Transport. Uses one network interface and
// listens on one address of it.
//
// A TCP connection with an admitted peer that is lost is replaced by another one, on which both
// sides go on where the other side has received the last byte: nothing is lost and nothing arrives
// twice. For this, what was sent is kept until the peer has acknowledged it: messages in their
// frames, writes and payloads in the memory of the owner, which gets it back only then. The peer is
// lost only if it says that it has no such connection, if nobody listens at its address, or if none
// was made for NetworkOptions::output_timeout.
//
// Invariants:
//  (1) A peer has at most one connection that is open or suspended.
//  (2) A loss is reported before anything that arrives on a later connection. A connection with an
//      admitted peer is replaced only at the request of the peer, with a proof; other requests are
//      told to the sink (on_contested) and refused.
//  (3) A connection that cannot be resumed is read until it ends, also when nothing can be sent on
//      it.
// Does not: order across connections that are not resumed, notice the death of a machine, or
// connect to itself.
//
// It has more than 30 members: the functions of Transport, those of Handshakes::Owner, and the
// steps of poll(). What has a state of its own is a class of its own: handshakes.h makes the
// connections, the records are in direct_peers.h and connection_records.h, what is sent and
// received in outbound_stream.h, inbound_stream.h and owed_acknowledgement.h.

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/owner_lock.h"
#include "transport/contact/network_options.h"
#include "transport/direct/direct_peers.h"
#include "transport/direct/ended_operations.h"
#include "transport/direct/handshakes.h"
#include "transport/direct/left_messages.h"
#include "transport/direct/outbound_table.h"
#include "transport/direct/read_order.h"
#include "transport/direct/socket_events.h"
#include "transport/direct/unexpected_memory.h"
#include "transport/direct/write_targets.h"
#include "transport/transport.h"

namespace lintel::transport {

class DirectTransport final : public Transport, private Handshakes::Owner {
 public:
  // Its name in LINTEL_PROVIDER.
  static constexpr const char* kName = "direct";
  // Each write that ends counts as an answer of the peer, see Transport::note_progress().
  static constexpr std::size_t kMaxWriteBytes = std::size_t{16} << 20;

  // Listens; sends nothing. Error: Loss::kOperation for an option that cannot be used (address,
  // pid), else kInterface. `explanation`, if given, receives a sentence with the value and what was
  // expected.
  static Result<std::unique_ptr<DirectTransport>> open(const NetworkOptions& options,
                                                       std::string* explanation = nullptr);
  ~DirectTransport() override;
  DirectTransport(const DirectTransport&) = delete;
  DirectTransport& operator=(const DirectTransport&) = delete;

  const TransportAttributes& attributes() const override { return attributes_; }
  ProcessId self() const override { return self_; }
  Result<PeerId> resolve(ProcessId name) override;
  ProcessId name_of(PeerId peer) const override {
    lock_.is_held();
    return peers_[peer].name;
  }
  [[gnu::cold]] bool reach(PeerId peer) override {
    lock_.is_held();
    return connection_to(peer) != nullptr;
  }
  MessageBuffer reserve(PeerId peer, std::size_t bytes) override;
  PostStatus commit(PeerId peer, const MessageBuffer& buffer, std::size_t bytes) override;
  void abandon(PeerId peer, const MessageBuffer& buffer) override;
  [[gnu::cold]] void disconnect(PeerId peer) override;
  void enable_placement() override {
    lock_.is_held();
    placement_enabled_ = true;
  }
  PostStatus commit_placed(PeerId peer, const MessageBuffer& buffer, std::size_t bytes,
                           std::span<const std::byte> payload, PlacementKey key,
                           Context context) override;
  bool expect_placement(PeerId peer, PlacementKey key, std::span<std::byte> memory) override;
  Withdrawal withdraw_placement(PeerId peer) override;
  Result<Registration> register_memory(PeerId peer, std::span<std::byte> memory,
                                       Access access) override;
  void deregister_memory(const Registration& region) override;
  PostStatus post_write(PeerId peer, const LocalMemory& from, RemoteMemory to, Immediate immediate,
                        Context context) override;
  // The addresses of both sockets, that of the process that has connected first.
  [[gnu::cold]] ConnectionBinding binding(PeerId peer) const override;
  [[gnu::cold]] void allow_resumption(PeerId peer, const ResumptionKey& key) override;
  [[gnu::cold]] void admit(PeerId peer, const ResumptionKey& key) override;
  [[gnu::cold]] void interrupt(PeerId peer) override;
  // Lately: within a quarter of the output timeout.
  [[gnu::cold]] void interrupt_if_silent(PeerId peer) override;
  [[gnu::cold]] void forget(PeerId peer) override;
  void watch(PeerId, bool) override {}  // TCP reports lost connections unasked; the owner pings
  std::size_t poll(TimePoint now, Sink& sink) override;
  bool close(TimePoint now) override;
  TimePoint next_deadline() const override;
  int wait_fd() const override {
    lock_.is_held();
    return descriptors_closed_ ? -1 : events_.descriptor();
  }
  bool prepare_wait() override;
  std::string describe(PeerId peer) const override;
  FrameCounts frame_counts() const override {
    lock_.is_held();
    FrameCounts counts;
    counts.resumed = counters_.resumed;
    return counts;
  }
  void dump(std::string& text) const override;

  DirectCounters counters() const {
    lock_.is_held();
    return counters_;
  }

 private:
  class Delivery;

  explicit DirectTransport(const NetworkOptions& options);
  [[gnu::cold]] Error listen() LINTEL_REQUIRES(lock_);

  // What Handshakes asks for.
  [[gnu::cold]] bool has_spare_connection() override;
  [[gnu::cold]] Result<PeerId> peer_named(ProcessId name) override { return resolve(name); }
  void watch_for(DirectConnection& connection, std::uint32_t events) override;
  [[gnu::cold]] void tear_down(DirectConnection& connection) override;
  [[gnu::cold]] void fail(PeerId peer, Error error) override;
  [[gnu::cold]] void opened(DirectConnection& connection) override;
  [[gnu::cold]] void receive_last(DirectConnection& connection) override;
  [[gnu::cold]] void contested(PeerId peer) override;
  [[gnu::cold]] void suspend(DirectConnection& connection, Error error) override;
  bool acknowledged(DirectConnection& connection, std::uint64_t position) override;
  [[gnu::cold]] void resumed(DirectConnection& connection) override;

  [[gnu::cold]] void connect(PeerId peer) LINTEL_REQUIRES(lock_);
  [[gnu::cold]] void lost(DirectConnection& connection, Error error) LINTEL_REQUIRES(lock_);
  [[gnu::cold]] void resume_suspended() LINTEL_REQUIRES(lock_);
  [[gnu::cold]] void leave_lists(DirectConnection& connection) LINTEL_REQUIRES(lock_);
  [[gnu::cold]] void close_socket(DirectConnection& connection) LINTEL_REQUIRES(lock_);
  [[gnu::cold]] void stop_watching(DirectConnection& connection) LINTEL_REQUIRES(lock_);
  [[gnu::cold]] void end_connections(DirectPeer& peer, Error ending) LINTEL_REQUIRES(lock_);
  [[gnu::cold]] void report_failures(Sink& sink) LINTEL_REQUIRES(lock_);

  // Posting (direct_transport.cpp).

  // The open connection, or one that is to be resumed. Null: there is none; it is being made.
  DirectConnection* connection_to(PeerId peer) LINTEL_REQUIRES(lock_) {
    DirectConnection* const open = peers_[peer].connection;
    if (open == nullptr) connect(peer);
    return open;
  }
  std::uint16_t flags_for(const DirectConnection& connection, std::size_t bytes) const
      LINTEL_REQUIRES(lock_);
  PostStatus send(DirectConnection& connection, Outbound& record, std::uint16_t flags)
      LINTEL_REQUIRES(lock_);
  bool pass_on(DirectConnection& connection) LINTEL_REQUIRES(lock_);

  // poll() (direct_traffic.cpp, direct_receiving.cpp, direct_sending.cpp).
  void read_sockets() LINTEL_REQUIRES(lock_);
  bool poll_all_sockets() LINTEL_REQUIRES(lock_);
  [[gnu::cold]] void on_descriptors_closed() LINTEL_REQUIRES(lock_);
  [[gnu::cold]] void no_memory_for(DirectConnection& connection) LINTEL_REQUIRES(lock_);
  bool receive(DirectConnection& connection) LINTEL_REQUIRES(lock_);
  bool leaves_beginnings(const DirectConnection& connection) const LINTEL_REQUIRES(lock_);
  [[gnu::cold]] bool take_out_of_kernel(DirectConnection& connection, std::size_t looked_at)
      LINTEL_REQUIRES(lock_);
  void wait_for_bytes(DirectConnection& connection, std::size_t bytes) LINTEL_REQUIRES(lock_);
  void send_waiting(DirectConnection& connection) LINTEL_REQUIRES(lock_);
  void note_arrived(DirectConnection& connection) LINTEL_REQUIRES(lock_);
  void acknowledge_received() LINTEL_REQUIRES(lock_);
  void begin_sending(DirectConnection& connection) LINTEL_REQUIRES(lock_);
  void end(DirectConnection& connection) LINTEL_REQUIRES(lock_);
  void note_recent(DirectConnection& connection) LINTEL_REQUIRES(lock_) {
    reading_.note(connection, open_count_);
  }
  [[gnu::cold]] void begin_waiting(DirectConnection& connection) LINTEL_REQUIRES(lock_);
  void check_for_stuck_peers() LINTEL_REQUIRES(lock_);
  [[gnu::cold]] void end_stuck_peers() LINTEL_REQUIRES(lock_);
  [[gnu::cold]] void make_room_for_payloads() LINTEL_REQUIRES(lock_);
  [[gnu::cold]] void end_stuck_peer(DirectConnection& connection, Error error)
      LINTEL_REQUIRES(lock_);
  [[gnu::cold]] void stop_sending(DirectConnection& connection) LINTEL_REQUIRES(lock_);
  [[gnu::cold]] void end_sending(DirectConnection& connection) LINTEL_REQUIRES(lock_);
  bool may_resume(const DirectConnection& connection) const LINTEL_REQUIRES(lock_);
  bool may_go_on(const DirectConnection& connection) const LINTEL_REQUIRES(lock_);
  void deliver_later(DirectConnection& connection) LINTEL_REQUIRES(lock_);
  bool resume_stalled() LINTEL_REQUIRES(lock_);
  [[gnu::cold]] void prolong_suspensions(TimePoint now) LINTEL_REQUIRES(lock_);
  // Also what a poll() that has found no memory has left.
  void report_ended_and_failures(Sink& sink) LINTEL_REQUIRES(lock_);

  NetworkOptions options_;
  TransportAttributes attributes_;
  ProcessId self_;
  OwnerLock lock_;
  DirectCounters counters_ LINTEL_GUARDED_BY(lock_);

  SocketEvents events_ LINTEL_GUARDED_BY(lock_);
  StreamBuffers buffers_ LINTEL_GUARDED_BY(lock_);
  OutboundTable outbound_ LINTEL_GUARDED_BY(lock_);
  DirectPeers peers_ LINTEL_GUARDED_BY(lock_);
  WriteTargets targets_ LINTEL_GUARDED_BY(lock_);
  UnexpectedMemory unexpected_ LINTEL_GUARDED_BY(lock_);
  ConnectionRecords connections_ LINTEL_GUARDED_BY(lock_);
  Handshakes handshakes_ LINTEL_GUARDED_BY(lock_);

  std::size_t open_count_ LINTEL_GUARDED_BY(lock_) = 0;  // connections
  ReadOrder reading_ LINTEL_GUARDED_BY(lock_);
  // Connections with records that wait for room in the kernel.
  std::vector<DirectConnection*> sending_ LINTEL_GUARDED_BY(lock_);
  // When those that wait are looked at next; kNever: none waits.
  TimePoint stuck_check_ LINTEL_GUARDED_BY(lock_) = kNever;
  // On which nothing can be sent any more.
  std::vector<DirectConnection*> ending_ LINTEL_GUARDED_BY(lock_);
  // Whose streams have more to deliver: stalled and paused ones.
  std::vector<DirectConnection*> stalled_ LINTEL_GUARDED_BY(lock_);
  std::vector<DirectConnection*> resuming_stalled_ LINTEL_GUARDED_BY(lock_);  // by resume_stalled()
  // To be resumed.
  std::vector<DirectConnection*> suspended_ LINTEL_GUARDED_BY(lock_);
  // Whose peers want to know what has arrived.
  std::vector<DirectConnection*> acknowledging_ LINTEL_GUARDED_BY(lock_);
  // When they are looked at. Those that a message has acknowledged stay in the list until then.
  TimePoint acknowledge_at_ LINTEL_GUARDED_BY(lock_) = kNever;

  std::vector<PeerId> failed_ LINTEL_GUARDED_BY(lock_);
  LeftMessages left_ LINTEL_GUARDED_BY(lock_);
  EndedOperations ended_ LINTEL_GUARDED_BY(lock_);
  Sink* sink_ LINTEL_GUARDED_BY(lock_) = nullptr;     // during poll()
  std::size_t reports_ LINTEL_GUARDED_BY(lock_) = 0;  // of this poll()
  std::uint64_t polls_ LINTEL_GUARDED_BY(lock_) = 0;
  TimePoint now_ LINTEL_GUARDED_BY(lock_){};  // of the last poll

  bool placement_enabled_ LINTEL_GUARDED_BY(lock_) = false;
  bool closing_ LINTEL_GUARDED_BY(lock_) = false;
  // The epoll instance was closed, and not by this transport: it reaches nobody any more.
  bool descriptors_closed_ LINTEL_GUARDED_BY(lock_) = false;
};

}  // namespace lintel::transport
