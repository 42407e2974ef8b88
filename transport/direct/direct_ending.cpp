// How connections end: by their peer, by the kernel, by their owner, or because nobody has proved
// anything on them.
#include <algorithm>
#include <cerrno>
#include <new>
#include <utility>
#include <vector>

#include "base/assert.h"
#include "transport/direct/direct_transport.h"
#include "transport/direct/sockets.h"

namespace lintel::transport {
namespace {

constexpr int kLastReads = 64;  // of a connection that ends

}  // namespace

void DirectTransport::watch_for(DirectConnection& connection, std::uint32_t events) {
  lock_.is_held();
  // If the system does not watch it: as if the connection were broken.
  if (!events_.watch(connection.fd.get(), connection.watched, events, &connection))
    stop_sending(connection);
}

void DirectTransport::stop_watching(DirectConnection& connection) {
  events_.stop_watching(connection.fd.get(), connection.watched);
}

// The lists of what is to be done with a connection's socket.
void DirectTransport::leave_lists(DirectConnection& connection) {
  for (std::vector<DirectConnection*>* const list :
       {&sending_, &ending_, &stalled_, &suspended_, &acknowledging_})
    std::erase(*list, &connection);
  reading_.remove(connection);
  connection.is_acknowledging = false;
  connection.owed.sent();
}

// A child process may also hold the socket. end_socket() ends the connection, and epoll must be
// told, because it would continue to report the socket.
void DirectTransport::close_socket(DirectConnection& connection) {
  stop_watching(connection);
  end_socket(std::move(connection.fd));
}

// Closes the socket, and ends what waited for the connection.
void DirectTransport::tear_down(DirectConnection& connection) {
  lock_.is_held();
  LINTEL_ASSERT(connection.phase != DirectConnection::Phase::kClosed);
  handshakes_.forget(connection);
  if (connection.phase == DirectConnection::Phase::kOpen) --open_count_;
  if (connection.peer != kNoPeer) {
    DirectPeer& peer = peers_[connection.peer];
    if (peer.connection == &connection) peer.connection = nullptr;
    if (std::exchange(connection.is_expected, false)) peer.expects = false;
  }
  while (!connection.outbound.empty()) {
    Outbound& record = connection.outbound.pop_front();
    if (record.keeps_memory) {
      ++counters_.failed_writes;
      ended_.add(record.context, connection.ending);
    }
    outbound_.give_back(record);
  }
  if (connection.stream->has_partial_piece()) ++counters_.failed_receives;
  targets_.end_write(connection.written_key, *connection.stream);
  unexpected_.give_back(std::move(connection.unexpected));
  leave_lists(connection);
  // Inside poll(), the stream may be the caller: it stops now and is destroyed at the end of the
  // poll.
  if (sink_ != nullptr) {
    connection.stream->stop();
  } else {
    connection.stream.reset();
  }
  close_socket(connection);
  connection.phase = DirectConnection::Phase::kClosed;
  connections_.retire(connection);
}

// Ends both connections of a peer and the operations on them.
void DirectTransport::end_connections(DirectPeer& peer, Error ending) {
  handshakes_.end_attempts(peer);
  if (peer.connecting != nullptr) tear_down(*peer.connecting);
  if (peer.connection != nullptr) {
    peer.connection->ending = ending;
    tear_down(*peer.connection);
  }
  peer.left.count = 0;
  peer.expects = false;
}

// Called when the open connection is lost, or none can be made.
void DirectTransport::fail(PeerId id, Error error) {
  lock_.is_held();
  DirectPeer& peer = peers_[id];
  end_connections(peer, error);
  if (peer.failed) return;  // one report for several losses
  peer.failed = true;
  peer.failure = error;
  failed_.push_back(id);
}

// Data that the kernel has may still arrive at the peer, such as a goodbye.
void DirectTransport::disconnect(PeerId id) {
  lock_.is_held();
  DirectPeer& peer = peers_[id];
  if (peer.connection != nullptr) end_sending(*peer.connection);
  end_connections(peer, kDisconnected);
  if (std::exchange(peer.failed, false)) std::erase(failed_, id);
}

void DirectTransport::report_failures(Sink& sink) {
  while (!failed_.empty()) {
    const PeerId id = failed_.back();
    failed_.pop_back();
    DirectPeer& peer = peers_[id];
    peer.failed = false;
    if (peer.connection != nullptr) note_recent(*peer.connection);
    ++reports_;
    const Error failure = peer.failure;
    try {
      sink.on_peer_failed(id, failure);
    } catch (const std::bad_alloc&) {
      fail(id, failure);  // the next poll() reports it again
      throw;
    }
  }
}

// The kernel accepts nothing more for the connection. What has arrived is still read, because it
// may contain the reason.
void DirectTransport::stop_sending(DirectConnection& connection) {
  if (std::exchange(connection.is_ending, true)) return;
  connection.ending = broken(errno);
  ending_.push_back(&connection);
}

// Reads what has arrived on a connection that ends. This may itself end the connection.
void DirectTransport::receive_last(DirectConnection& connection) {
  lock_.is_held();
  for (int reads = 0; reads < kLastReads && receive(connection); ++reads) {
  }
}

void DirectTransport::end(DirectConnection& connection) {
  if (connection.phase != DirectConnection::Phase::kOpen) return handshakes_.give_up(connection);
  receive_last(connection);
  if (connection.phase != DirectConnection::Phase::kOpen) return;
  const InboundStream::StreamState state = connection.stream->state();
  if (state == InboundStream::StreamState::kPaused ||
      (state == InboundStream::StreamState::kStalled && !connection.can_resume())) {
    std::erase(ending_, &connection);  // resume_stalled() ends it
    return stop_watching(connection);
  }
  lost(connection, connection.ending);
}

}  // namespace lintel::transport
