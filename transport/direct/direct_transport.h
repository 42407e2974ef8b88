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
// It has more than 30 members, nearly all of which are the functions of Transport and those of
// Handshakes::Owner. Here are the building of pieces and the order of poll(). All else is in its
// parts, each of which uses only those before it:
//   DirectTables       what they share: the records, the lists, the poll() under way, the counters
//   Handshakes         makes connections; what it decides reaches the others as Handshakes::Owner
//   DirectSender       passes records and acknowledgements to the kernel
//   DirectConnections  opens, loses, resumes and ends connections
//   DirectReceiver     reads sockets, and delivers by a Delivery what has arrived
//   StuckPeers         gives up peers that do not read, or do not end a payload

#include <memory>
#include <span>
#include <string>

#include "base/owner_lock.h"
#include "transport/contact/network_options.h"
#include "transport/direct/direct_connections.h"
#include "transport/direct/direct_receiver.h"
#include "transport/direct/direct_sender.h"
#include "transport/direct/direct_tables.h"
#include "transport/direct/handshakes.h"
#include "transport/direct/stuck_peers.h"
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
    return tables_.peers[peer].name;
  }
  [[gnu::cold]] bool reach(PeerId peer) override {
    lock_.is_held();
    return connections_.to(peer) != nullptr;
  }
  MessageBuffer reserve(PeerId peer, std::size_t bytes) override;
  PostStatus commit(PeerId peer, const MessageBuffer& buffer, std::size_t bytes) override;
  void abandon(PeerId peer, const MessageBuffer& buffer) override;
  [[gnu::cold]] void disconnect(PeerId peer) override;
  void enable_placement() override {
    lock_.is_held();
    tables_.placement_enabled = true;
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
    return connections_.are_descriptors_closed() ? -1 : tables_.events.descriptor();
  }
  bool prepare_wait() override;
  std::string describe(PeerId peer) const override;
  FrameCounts frame_counts() const override {
    lock_.is_held();
    FrameCounts counts;
    counts.resumed = tables_.counters.resumed;
    return counts;
  }
  void dump(std::string& text) const override;

  DirectCounters counters() const {
    lock_.is_held();
    return tables_.counters;
  }

 private:
  explicit DirectTransport(const NetworkOptions& options);
  [[gnu::cold]] Error listen() LINTEL_REQUIRES(lock_);

  // What Handshakes asks for.
  [[gnu::cold]] bool has_spare_connection() override;
  [[gnu::cold]] Result<PeerId> peer_named(ProcessId name) override { return resolve(name); }
  [[gnu::cold]] void watch_for(DirectConnection& connection, std::uint32_t events) override {
    lock_.is_held();
    sender_.watch_for(connection, events);
  }
  [[gnu::cold]] void tear_down(DirectConnection& connection) override {
    lock_.is_held();
    connections_.tear_down(connection);
  }
  [[gnu::cold]] void fail(PeerId peer, Error error) override {
    lock_.is_held();
    connections_.fail(peer, error);
  }
  [[gnu::cold]] void opened(DirectConnection& connection) override {
    lock_.is_held();
    connections_.opened(connection);
  }
  [[gnu::cold]] void receive_last(DirectConnection& connection) override {
    lock_.is_held();
    receiver_.receive_last(connection);
  }
  [[gnu::cold]] void contested(PeerId peer) override {
    lock_.is_held();
    tables_.sink->on_contested(peer);
  }
  [[gnu::cold]] void suspend(DirectConnection& connection, Error error) override {
    lock_.is_held();
    connections_.suspend(connection, error);
  }
  [[gnu::cold]] bool acknowledged(DirectConnection& connection, std::uint64_t position) override {
    lock_.is_held();
    return sender_.acknowledged(connection, position);
  }
  [[gnu::cold]] void resumed(DirectConnection& connection) override {
    lock_.is_held();
    connections_.resumed(connection);
  }

  // poll() (direct_polling.cpp).
  void read_sockets() LINTEL_REQUIRES(lock_);
  bool poll_all_sockets() LINTEL_REQUIRES(lock_);
  [[gnu::cold]] void end(DirectConnection& connection) LINTEL_REQUIRES(lock_);
  // Also what a poll() that has found no memory has left.
  void report_ended_and_failures(Sink& sink) LINTEL_REQUIRES(lock_);

  TransportAttributes attributes_;
  ProcessId self_;
  OwnerLock lock_;
  DirectTables tables_ LINTEL_GUARDED_BY(lock_);
  Handshakes handshakes_ LINTEL_GUARDED_BY(lock_);
  DirectSender sender_ LINTEL_GUARDED_BY(lock_);
  DirectConnections connections_ LINTEL_GUARDED_BY(lock_);
  DirectReceiver receiver_ LINTEL_GUARDED_BY(lock_);
  StuckPeers stuck_peers_ LINTEL_GUARDED_BY(lock_);
};

}  // namespace lintel::transport
