// What poll() reads from the socket of one connection, and how it is delivered.
#include <algorithm>
#include <cerrno>

#include "transport/direct/delivery.h"
#include "transport/direct/sockets.h"

namespace lintel::transport {
namespace {

// Of one connection: bounds poll() when a peer sends without pause.
constexpr int kReadsPerPoll = 8;
// If a long payload with its own place is due, or may be as the answer to one, little more than its
// header is read first, so that the rest does not pass through a buffer. For a short placed message
// this would be slower than a copy, because it takes a second call, in which the kernel also sends
// a window update.
constexpr std::size_t kLittle = 128 * 1024;
constexpr std::size_t kShortLook = 1024;

// More than kLittle may be due on the connection, in a payload with a place of its own. Or its peer
// has not proved itself, and gets no more memory than a message needs.
bool reads_little(const DirectPeer& peer, const DirectConnection& connection) {
  return !connection.is_admitted || peer.targets > 0 ||
         (peer.expects && peer.landing.size() > kLittle) ||
         connection.outbound.keeps_memory(kLittle);
}

}  // namespace

// Reads what has arrived. True: there may be more.
bool DirectTransport::receive(DirectConnection& connection) {
  InboundStream& stream = *connection.stream;
  Delivery delivery(*this, connection);
  for (int read = 0; read < kReadsPerPoll; ++read) {
    if (stream.state() != InboundStream::StreamState::kReading) return false;
    const std::span<const iovec> room =
        stream.room(reads_little(peers_[connection.peer], connection) && !connection.is_ending
                        ? kShortLook
                        : buffers_.bytes());
    if (room.empty()) return false;  // no memory for a buffer now
    const ssize_t got = receive_from(connection.fd.get(), room);
    if (got <= 0) {
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
  if (connection.untold() == 0) return connection.owed.told();
  if (!connection.is_acknowledging) {
    connection.is_acknowledging = true;
    acknowledging_.push_back(&connection);
  }
  acknowledge_at_ = std::min(acknowledge_at_, connection.owed.deadline());
}

bool DirectTransport::may_resume(const DirectConnection& connection) const {
  if (connection.stream->state() == InboundStream::StreamState::kPaused) return true;
  const DirectPeer& peer = peers_[connection.peer];
  return placement_enabled_ && connection.is_admitted &&
         (!unexpected_.is_used_up() || (peer.expects && peer.expected == connection.stalled_key));
}

// Returns whether a stream had paused.
bool DirectTransport::resume_stalled() {
  bool had_paused = false;
  resuming_stalled_.swap(stalled_);
  for (DirectConnection* const connection : resuming_stalled_) {
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
