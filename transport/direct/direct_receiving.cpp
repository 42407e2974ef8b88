// What poll() reads from the socket of one connection, and how it is delivered.
//
// A stream keeps the beginning of a piece in a buffer until the rest has come. So many connections
// may do so at once; on a further one, what has arrived is looked at, what is dealt with is taken
// out of the kernel, and a beginning stays there. The kernel reports the connection again when the
// piece is whole.
#include <algorithm>
#include <cerrno>

#include "transport/direct/delivery.h"
#include "transport/direct/sockets.h"

namespace lintel::transport {
namespace {

// Of one connection: bounds poll() when a peer sends without pause.
constexpr int kReadsPerPoll = 8;
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

bool DirectTransport::leaves_beginnings(const DirectConnection& connection) const {
  return buffers_.in_use() >= most_beginnings(connection) && !connection.stream->has_buffer() &&
         !connection.is_ending;
}

// What was looked at and dealt with leaves the kernel. False: nothing was, although the kernel has
// reported more than the beginning that was left there before. Either no more comes, or it has no
// room for more.
bool DirectTransport::take_out_of_kernel(DirectConnection& connection, std::size_t looked_at) {
  InboundStream& stream = *connection.stream;
  const std::size_t wanted = stream.wanted();
  const std::size_t left = stream.leave_beginning();
  const bool reads = stream.state() == InboundStream::StreamState::kReading;
  if (reads && left == looked_at && left > 0 && connection.low_water == wanted) return false;
  take_out(connection.fd.get(), looked_at - left);
  wait_for_bytes(connection, reads && left > 0 ? wanted : 1);
  return true;
}

void DirectTransport::wait_for_bytes(DirectConnection& connection, std::size_t bytes) {
  if (connection.low_water == bytes) return;
  set_low_water(connection.fd.get(), bytes);
  connection.low_water = bytes;
}

// Reads what has arrived. True: there may be more. A new connection of a peer that was lost is read
// after the loss has been reported.
bool DirectTransport::receive(DirectConnection& connection) {
  if (peers_[connection.peer].failed) return false;
  InboundStream& stream = *connection.stream;
  Delivery delivery(*this, connection);
  bool leaves = leaves_beginnings(connection);
  if (!leaves) wait_for_bytes(connection, 1);
  for (int read = 0; read < kReadsPerPoll; ++read) {
    if (stream.state() != InboundStream::StreamState::kReading) return false;
    const std::span<const iovec> room = stream.room(
        may_read_ahead(connection) ? buffers_.bytes()
                                   : std::max(kUnprovedReadBytes, connection.low_water));
    if (room.empty()) return false;  // no memory for a buffer now
    const int fd = connection.fd.get();
    const ssize_t got = leaves ? look_at(fd, room) : receive_from(fd, room);
    if (got <= 0) {
      stream.nothing_came();
      if (got < 0 && errno == EAGAIN) return false;
      lost(connection, connection.is_ending ? connection.ending : broken(got == 0 ? 0 : errno));
      return false;
    }
    const std::size_t asked = room[0].iov_len + (room.size() > 1 ? room[1].iov_len : 0);
    stream.arrived(static_cast<std::size_t>(got), delivery);
    if (connection.phase != DirectConnection::Phase::kOpen)
      return false;  // ended by a call of the sink
    note_arrived(connection);
    if (stream.state() == InboundStream::StreamState::kBroken) {
      ++counters_.broken_streams;
      fail(connection.peer, {Loss::kPeer, "recv", stream.reason()});
      return false;
    }
    if (leaves && !take_out_of_kernel(connection, static_cast<std::size_t>(got))) {
      if (buffers_.in_use() >= 2 * most_beginnings(connection)) {
        lost(connection, kNoRoom);  // what is in the kernel comes again
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

// Its stream waits for resume_stalled(): in the next poll(), or when there is memory.
void DirectTransport::deliver_later(DirectConnection& connection) {
  stalled_.push_back(&connection);
  if (connection.stream->state() != InboundStream::StreamState::kStalled) return;
  check_for_stuck_peers();
  if (connection.watched != SocketEvents::kUnwatched)
    watch_for(connection, connection.watched & ~std::uint32_t{EPOLLIN});
}

// Something was received and is to be acknowledged, unless an answer has taken that along already.
void DirectTransport::note_arrived(DirectConnection& connection) {
  connection.owed.heard(polls_, now_);
  if (connection.received_unacknowledged() == 0) return connection.owed.sent();
  if (!connection.is_acknowledging) {
    connection.is_acknowledging = true;
    acknowledging_.push_back(&connection);
  }
  acknowledge_at_ = std::min(acknowledge_at_, connection.owed.deadline());
}

bool DirectTransport::may_resume(const DirectConnection& connection) const {
  if (connection.stream->state() == InboundStream::StreamState::kPaused) return true;
  const DirectPeer& peer = peers_[connection.peer];
  return placement_enabled_ &&
         (!unexpected_.is_used_up() || (peer.expects && peer.expected == connection.stalled_key));
}

// Something is to be done about a connection of stalled_.
bool DirectTransport::may_go_on(const DirectConnection& connection) const {
  return may_resume(connection) || (connection.is_ending && connection.can_resume());
}

// Returns whether a stream had paused.
bool DirectTransport::resume_stalled() {
  // The others stay where they are: many may wait for memory, and each poll() comes here.
  std::erase_if(stalled_, [this](DirectConnection* connection) {
    lock_.is_held();
    const bool goes_on = may_go_on(*connection);
    if (goes_on) resuming_stalled_.push_back(connection);
    return goes_on;
  });
  bool had_paused = false;
  // By index: the sink may connect to another peer, for which has_spare_connection() lets it grow.
  for (std::size_t i = 0; i < resuming_stalled_.size(); ++i) {
    DirectConnection* const connection = resuming_stalled_[i];
    if (connection->phase != DirectConnection::Phase::kOpen)
      continue;  // ended by a call of the sink
    if (may_resume(*connection)) {
      had_paused |= connection->stream->state() == InboundStream::StreamState::kPaused;
      Delivery delivery(*this, *connection);
      connection->stream->resume(delivery);
      if (connection->phase != DirectConnection::Phase::kOpen) continue;
      note_arrived(*connection);
    }
    switch (connection->stream->state()) {
      case InboundStream::StreamState::kStopped: break;
      case InboundStream::StreamState::kPaused: deliver_later(*connection); break;
      case InboundStream::StreamState::kStalled:
        deliver_later(*connection);
        // Its end did not wait for memory: what waits for it comes again on another connection.
        if (connection->is_ending && connection->can_resume()) ending_.push_back(connection);
        break;
      case InboundStream::StreamState::kReading:
        watch_for(*connection, connection->outbound.waits() ? EPOLLIN | EPOLLOUT : EPOLLIN);
        if (connection->is_ending) ending_.push_back(connection);
        break;
      case InboundStream::StreamState::kBroken:
        ++counters_.broken_streams;
        fail(connection->peer, {Loss::kPeer, "recv", connection->stream->reason()});
        break;
    }
  }
  resuming_stalled_.clear();
  return had_paused;
}

}  // namespace lintel::transport
