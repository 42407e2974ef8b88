#pragma once
// The parts of a DirectTransport, put together as there, with connections that a test makes by
// hand: a TCP connection of loopback, whose other end is a socket of the test. Time is an argument.

#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

#include <cstring>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tests/unit/direct/stream_bytes.h"
#include "tests/unit/transport/recording_sink.h"
#include "transport/direct/direct_connections.h"
#include "transport/direct/direct_receiver.h"
#include "transport/direct/direct_sender.h"
#include "transport/direct/direct_tables.h"
#include "transport/direct/handshakes.h"
#include "transport/direct/sockets.h"
#include "transport/direct/stuck_peers.h"

namespace lintel::transport {

class DirectPartsTest : public ::testing::Test, private Handshakes::Owner {
 protected:
  static constexpr std::size_t kMessageBytes = 1000;
  static constexpr InboundStream::PieceLimits kPieces{kMessageBytes, std::size_t{64} << 20,
                                                      UnexpectedMemory::kBytes};
  static constexpr TimePoint kStart{1000000000000};  // ns
  static constexpr ResumptionKey kKey{{std::byte{1}}};
  static constexpr Context kWritten{7};
  static constexpr PlacementKey kPlacement{5};

  DirectPartsTest() {
    EXPECT_TRUE(tables.events.open().ok());
    EXPECT_TRUE(handshakes.listen().ok());
    tables.now = kStart;
    tables.ended.reserve(64);
  }
  ~DirectPartsTest() override {
    for (const auto& connection : tables.records.all()) {
      if (connection->phase != DirectConnection::Phase::kClosed) connections.tear_down(*connection);
    }
  }

  static NetworkOptions small_options() {
    NetworkOptions options;
    options.send_frames = 16;
    options.max_writes = 16;
    options.retained_bytes = 4 * kMessageBytes;
    options.output_timeout = std::chrono::seconds(4);
    return options;
  }

  // More than the kernel holds for a connection of open_connection().
  static constexpr std::size_t kMuch = std::size_t{4} << 20;

  // An open connection with the next peer, whose end is the socket `peer_of(connection)`.
  DirectConnection& open_connection() {
    sockaddr_in at = socket_address_of(handshakes.self(), options.port_base).value();
    at.sin_port = 0;
    const PrivateDescriptor listening = listen_at(at).value();
    sockaddr_in from = at;
    from.sin_port = 0;
    PrivateDescriptor theirs = connect_from(from, at).value();
    wait_for(listening.get(), POLLIN);
    AcceptedSocket ours = accept_at(listening.get(), at);
    EXPECT_TRUE(ours.fd.is_open());
    limit_kernel_buffers(ours.fd.get());
    limit_kernel_buffers(theirs.get());
    EXPECT_TRUE(has_spare_connection());
    DirectConnection& connection = tables.records.take_spare();
    connection.begin(std::move(ours.fd), DirectConnection::Phase::kOpen, tables.buffers);
    connection.peer = peer_named({handshakes.self().nid, Pid(next_pid_++)}).value();
    connection.is_admitted = true;
    tables.peers[connection.peer].connection = &connection;
    connections.opened(connection);
    peers_[&connection] = std::move(theirs);
    return connection;
  }
  int peer_of(const DirectConnection& connection) { return peers_.at(&connection).get(); }
  void close_peer_of(const DirectConnection& connection) { peers_.erase(&connection); }

  // A message of so many bytes. REQUIRES: the peer may take a frame.
  void send_message(DirectConnection& connection, std::size_t bytes) {
    ASSERT_EQ(try_message(connection, bytes), PostStatus::kOk);
  }
  PostStatus try_message(DirectConnection& connection, std::size_t bytes) {
    Outbound* const taken = tables.outbound.take_frame(tables.peers[connection.peer].frames);
    if (taken == nullptr) return PostStatus::kWouldBlock;
    Outbound& frame = *taken;
    std::byte* const begin = frame.memory - sizeof(PieceHeader);
    encode(begin, piece_header(PieceKind::kMessage, bytes));
    std::memset(frame.memory, 'm', bytes);
    frame.parts[0] = {begin, sizeof(PieceHeader) + bytes};
    frame.parts[1] = {};
    frame.is_message = true;
    frame.keeps_memory = false;
    const PostStatus status = sender.send(connection, frame, 0);
    if (status != PostStatus::kOk) tables.outbound.give_back(frame);
    return status;
  }
  // A write of that memory, whose end is told with the context.
  void send_write(DirectConnection& connection, Bytes& memory, Context context) {
    Outbound& write = *tables.outbound.take_write(tables.peers[connection.peer].writes);
    std::byte* const head = write.write_head + OutboundStream::kHeadroom;
    encode(head, piece_header(PieceKind::kWrite, memory.size(), 0, kAcknowledgeWhenIdle));
    encode(head + sizeof(PieceHeader), WriteHeader{1, 0, 0, 0});
    write.parts[0] = {head, sizeof(PieceHeader) + sizeof(WriteHeader)};
    write.parts[1] = {memory.data(), memory.size()};
    write.is_message = false;
    write.keeps_memory = true;
    write.context = context;
    ASSERT_EQ(sender.send(connection, write, kAcknowledgeWhenIdle), PostStatus::kOk);
  }

  // The peer sends these bytes; they have arrived when this returns.
  void peer_sends(const DirectConnection& connection, std::span<const std::byte> bytes) {
    ASSERT_EQ(::write(peer_of(connection), bytes.data(), bytes.size()),
              static_cast<ssize_t>(bytes.size()));
    wait_for(connection.fd.get(), POLLIN);
  }
  // Some of what arrives at the peer; nothing at the end.
  Bytes peer_reads(const DirectConnection& connection, std::size_t at_most = 64 * 1024) {
    wait_for(peer_of(connection), POLLIN);
    Bytes got(at_most);
    const ssize_t bytes = ::read(peer_of(connection), got.data(), got.size());
    got.resize(bytes > 0 ? static_cast<std::size_t>(bytes) : 0);
    return got;
  }
  // What arrives at the peer until `bytes` bytes have, or no more come.
  Bytes peer_receives(const DirectConnection& connection, std::size_t bytes) {
    Bytes got;
    while (got.size() < bytes) {
      const Bytes part = peer_reads(connection, bytes - got.size());
      if (part.empty()) break;
      append(got, part);
    }
    return got;
  }
  // Of the whole pieces in `bytes`, which are messages and acknowledgements.
  static std::size_t acknowledgements_in(std::span<const std::byte> bytes) {
    std::size_t count = 0;
    while (bytes.size() >= sizeof(PieceHeader)) {
      const auto header = decode<PieceHeader>(bytes.data());
      const bool acknowledges = header.kind == static_cast<std::uint8_t>(PieceKind::kAcknowledge);
      count += acknowledges;
      bytes = bytes.subspan(sizeof(PieceHeader) + (acknowledges ? 0 : header.length));
    }
    return count;
  }
  void begin_poll(TimePoint now) {
    tables.now = now;
    tables.reports = 0;
    ++tables.polls;
    tables.sink = &sink;
    handshakes.begin_poll(now);
  }
  // Tells what ended and what was lost, but not which messages have left.
  void end_poll() {
    if (!tables.ended.empty()) tables.ended.report(sink);
    connections.report_failures(sink);
    tables.records.recycle();
    tables.sink = nullptr;
  }
  // The log of the sink of a poll() at `now` in which nothing is read.
  std::vector<std::string> reports_at(TimePoint now) {
    begin_poll(now);
    end_poll();
    return sink.take();
  }

  static void wait_for(int fd, short events) {
    pollfd waiting{fd, events, 0};
    ASSERT_EQ(::poll(&waiting, 1, 20000), 1);
  }

  NetworkOptions options = small_options();
  RecordingSink sink;
  DirectTables tables{options, kMessageBytes};
  Handshakes handshakes{tables.options, *this,          tables.peers,   tables.records,
                        tables.events,  tables.buffers, tables.counters};
  DirectSender sender{tables};
  DirectConnections connections{tables, sender, handshakes};
  DirectReceiver receiver{tables, sender, connections};
  StuckPeers stuck_peers{tables, sender, connections};

 private:
  bool has_spare_connection() override {
    return tables.records.has_spare(kPieces, [this](std::size_t records) {
      tables.ending.reserve(records);
      tables.stalled.reserve(records);
      sender.reserve(records);
      connections.reserve(records);
      receiver.reserve(records);
    });
  }
  Result<PeerId> peer_named(ProcessId name) override {
    const PeerId known = tables.peers.find(name);
    if (known != kNoPeer) return known;
    return tables.peers.add(name, [this](std::size_t count) {
      tables.failed.reserve(count);
      tables.left.reserve(count);
      handshakes.reserve(count);
    });
  }
  void watch_for(DirectConnection& connection, std::uint32_t events) override {
    sender.watch_for(connection, events);
  }
  void tear_down(DirectConnection& connection) override { connections.tear_down(connection); }
  void fail(PeerId peer, Error error) override { connections.fail(peer, error); }
  void opened(DirectConnection& connection) override { connections.opened(connection); }
  void receive_last(DirectConnection& connection) override { receiver.receive_last(connection); }
  void contested(PeerId) override {}
  void suspend(DirectConnection& connection, Error error) override {
    connections.suspend(connection, error);
  }
  bool acknowledged(DirectConnection& connection, std::uint64_t position) override {
    return sender.acknowledged(connection, position);
  }
  void resumed(DirectConnection& connection) override { connections.resumed(connection); }

  static void limit_kernel_buffers(int fd) {
    constexpr int kBytes = 64 * 1024;
    EXPECT_EQ(::setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &kBytes, sizeof kBytes), 0);
    EXPECT_EQ(::setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &kBytes, sizeof kBytes), 0);
  }

  std::uint32_t next_pid_ = 1;
  std::map<const DirectConnection*, PrivateDescriptor> peers_;
};

}  // namespace lintel::transport
