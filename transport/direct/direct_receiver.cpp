#include "transport/direct/direct_receiver.h"

#include <algorithm>
#include <cerrno>

#include "transport/direct/delivery.h"
#include "transport/direct/sockets.h"

namespace lintel::transport {
namespace {

// Of one connection: bounds poll() when a peer sends without pause.
constexpr int kReadsPerPoll = 8;
constexpr int kLastReads = 64;  // of a connection that ends
// Of a peer that has not proved itself so much is read at once, which is enough for a handshake. A
// longer message gets the room that its header asks for.
constexpr std::size_t kUnprovedReadBytes = 1024;
// Connections that keep the beginning of a piece in this process, and how many of them those may be
// that have proved nothing; twice as many if the kernel has no room for a piece.
constexpr std::size_t kMostBeginnings = 64;
constexpr std::size_t kMostUnproved = 32;
constexpr Error kNoRoom{Loss::kPeer, "recv", "there is no room for a message of the peer", ENOBUFS};

bool may_read_ahead(const DirectConnection& connection) {
  return connection.is_admitted || connection.is_ending;
}

std::size_t most_beginnings(const DirectConnection& connection) {
  return connection.is_admitted ? kMostBeginnings : kMostUnproved;
}

}  // namespace

bool DirectReceiver::leaves_beginnings(const DirectConnection& connection) const {
  return tables_.buffers.in_use() >= most_beginnings(connection) &&
         !connection.stream->has_buffer() && !connection.is_ending;
}

// What was looked at and dealt with leaves the kernel. False: nothing was, although the kernel has
// reported more than the beginning that was left there before. Either no more comes, or it has no
// room for more.
bool DirectReceiver::take_out_of_kernel(DirectConnection& connection, std::size_t looked_at) {
  InboundStream& stream = *connection.stream;
  const std::size_t wanted = stream.wanted();
  const std::size_t left = stream.leave_beginning();
  const bool reads = stream.state() == InboundStream::StreamState::kReading;
  if (reads && left == looked_at && left > 0 && connection.low_water == wanted) return false;
  take_out(connection.fd.get(), looked_at - left);
  wait_for_bytes(connection, reads && left > 0 ? wanted : 1);
  return true;
}

void DirectReceiver::wait_for_bytes(DirectConnection& connection, std::size_t bytes) {
  if (connection.low_water == bytes) return;
  set_low_water(connection.fd.get(), bytes);
  connection.low_water = bytes;
}

bool DirectReceiver::receive(DirectConnection& connection) {
  if (tables_.peers[connection.peer].failed) return false;
  InboundStream& stream = *connection.stream;
  Delivery delivery(tables_, sender_, connections_, connection);
  bool leaves = leaves_beginnings(connection);
  if (!leaves) wait_for_bytes(connection, 1);
  for (int read = 0; read < kReadsPerPoll; ++read) {
    if (stream.state() != InboundStream::StreamState::kReading) return false;
    const std::span<const iovec> room = stream.room(
        may_read_ahead(connection) ? tables_.buffers.bytes()
                                   : std::max(kUnprovedReadBytes, connection.low_water));
    if (room.empty()) return false;  // no memory for a buffer now
    const int fd = connection.fd.get();
    const ssize_t got = leaves ? look_at(fd, room) : receive_from(fd, room);
    if (got <= 0) {
      stream.nothing_came();
      if (got < 0 && errno == EAGAIN) return false;
      connections_.lost(connection,
                        connection.is_ending ? connection.ending : broken(got == 0 ? 0 : errno));
      return false;
    }
    const std::size_t asked = room[0].iov_len + (room.size() > 1 ? room[1].iov_len : 0);
    stream.arrived(static_cast<std::size_t>(got), delivery);
    if (connection.phase != DirectConnection::Phase::kOpen)
      return false;  // ended by a call of the sink
    sender_.note_arrived(connection);
    if (stream.state() == InboundStream::StreamState::kBroken) {
      broken_stream(connection);
      return false;
    }
    if (leaves && !take_out_of_kernel(connection, static_cast<std::size_t>(got))) {
      if (tables_.buffers.in_use() >= 2 * most_beginnings(connection)) {
        connections_.lost(connection, kNoRoom);  // what is in the kernel comes again
        return false;
      }
      leaves = false;
      wait_for_bytes(connection, 1);
      continue;
    }
    if (connection.low_water > 1) return false;
    if (stream.is_waiting()) {
      deliver_later(connection);
      return false;
    }
    if (static_cast<std::size_t>(got) < asked) return false;
  }
  return true;
}

void DirectReceiver::receive_last(DirectConnection& connection) {
  for (int reads = 0; reads < kLastReads && receive(connection); ++reads) {
  }
}

// What has arrived is malformed.
void DirectReceiver::broken_stream(DirectConnection& connection) {
  ++tables_.counters.broken_streams;
  connections_.fail(connection.peer, {Loss::kPeer, "recv", connection.stream->reason()});
}

// Its stream waits for resume_stalled(): in the next poll(), or when there is memory.
void DirectReceiver::deliver_later(DirectConnection& connection) {
  tables_.stalled.add(&connection);
  if (connection.stream->state() != InboundStream::StreamState::kStalled) return;
  tables_.check_for_stuck_peers();
  if (connection.watched != SocketEvents::kUnwatched)
    sender_.watch_for(connection, connection.watched & ~std::uint32_t{EPOLLIN});
}

bool DirectReceiver::may_resume(const DirectConnection& connection) const {
  if (connection.stream->state() == InboundStream::StreamState::kPaused) return true;
  const DirectPeer& peer = tables_.peers[connection.peer];
  return tables_.placement_enabled && (!tables_.unexpected.is_used_up() ||
                                       (peer.expects && peer.expected == connection.stalled_key));
}

// Something is to be done about a connection of DirectTables::stalled.
bool DirectReceiver::may_go_on(const DirectConnection& connection) const {
  return may_resume(connection) || (connection.is_ending && connection.can_resume());
}

bool DirectReceiver::resume_stalled() {
  // The others stay where they are: many may wait for memory, and each poll() comes here.
  tables_.stalled.remove_if([this](DirectConnection* connection) {
    const bool goes_on = may_go_on(*connection);
    if (goes_on) resuming_.add(connection);
    return goes_on;
  });
  bool had_paused = false;
  // By index: the sink may connect to another peer, for which reserve() lets it grow.
  for (std::size_t i = 0; i < resuming_.size(); ++i) {
    DirectConnection* const connection = resuming_[i];
    if (connection->phase != DirectConnection::Phase::kOpen)
      continue;  // ended by a call of the sink
    if (may_resume(*connection)) {
      had_paused |= connection->stream->state() == InboundStream::StreamState::kPaused;
      Delivery delivery(tables_, sender_, connections_, *connection);
      connection->stream->resume(delivery);
      if (connection->phase != DirectConnection::Phase::kOpen) continue;
      sender_.note_arrived(*connection);
    }
    switch (connection->stream->state()) {
      case InboundStream::StreamState::kStopped: break;
      case InboundStream::StreamState::kPaused: deliver_later(*connection); break;
      case InboundStream::StreamState::kStalled:
        deliver_later(*connection);
        // Its end did not wait for memory: what waits for it comes again on another connection.
        if (connection->is_ending && connection->can_resume()) tables_.end_later(*connection);
        break;
      case InboundStream::StreamState::kReading:
        sender_.watch_for(*connection, connection->outbound.waits() ? EPOLLIN | EPOLLOUT : EPOLLIN);
        if (connection->is_ending) tables_.end_later(*connection);
        break;
      case InboundStream::StreamState::kBroken: broken_stream(*connection); break;
    }
  }
  resuming_.clear();
  return had_paused;
}

}  // namespace lintel::transport
