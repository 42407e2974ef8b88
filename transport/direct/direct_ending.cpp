// How connections end: by their peer, by the kernel, by their owner, or because nobody has proved
// anything on them.
#include <cerrno>
#include <new>
#include <utility>

#include "base/assert.h"
#include "transport/direct/direct_connections.h"
#include "transport/direct/sockets.h"

namespace lintel::transport {
namespace {

constexpr Error kNoMemory{Loss::kPeer, "recv",
                          "this process has no memory for what the peer has sent", ENOMEM};

}  // namespace

void DirectConnections::stop_watching(DirectConnection& connection) {
  tables_.events.stop_watching(connection.fd.get(), connection.watched);
}

// The lists of what is to be done with a connection's socket.
void DirectConnections::leave_lists(DirectConnection& connection) {
  sender_.leave(connection);
  tables_.ending.remove(&connection);
  tables_.stalled.remove(&connection);
  suspended_.remove(&connection);
  tables_.reading.remove(connection);
}

// A child process may also hold the socket. end_socket() ends the connection, and epoll must be
// told, because it would continue to report the socket.
void DirectConnections::close_socket(DirectConnection& connection) {
  stop_watching(connection);
  end_socket(std::move(connection.fd));
}

void DirectConnections::tear_down(DirectConnection& connection) {
  LINTEL_ASSERT(connection.phase != DirectConnection::Phase::kClosed);
  handshakes_.forget(connection);
  if (connection.phase == DirectConnection::Phase::kOpen) --tables_.open_count;
  if (connection.peer != kNoPeer) {
    DirectPeer& peer = tables_.peers[connection.peer];
    if (peer.connection == &connection) peer.connection = nullptr;
    if (std::exchange(connection.is_expected, false)) peer.expects = false;
  }
  while (!connection.outbound.empty()) {
    Outbound& record = connection.outbound.pop_front();
    if (record.keeps_memory) {
      ++tables_.counters.failed_writes;
      tables_.ended.add(record.context, connection.ending);
    }
    tables_.outbound.give_back(record);
  }
  if (connection.stream->has_partial_piece()) ++tables_.counters.failed_receives;
  tables_.targets.end_write(connection.written_key, *connection.stream);
  tables_.unexpected.give_back(std::move(connection.unexpected));
  leave_lists(connection);
  // Inside poll(), the stream may be the caller: it stops now and is destroyed at the end of the
  // poll.
  if (tables_.sink != nullptr) {
    connection.stream->stop();
  } else {
    connection.stream.reset();
  }
  close_socket(connection);
  connection.phase = DirectConnection::Phase::kClosed;
  tables_.records.retire(connection);
}

// Ends both connections of a peer and the operations on them.
void DirectConnections::end_connections(DirectPeer& peer, Error ending) {
  handshakes_.end_attempts(peer);
  if (peer.connecting != nullptr) tear_down(*peer.connecting);
  if (peer.connection != nullptr) {
    peer.connection->ending = ending;
    tear_down(*peer.connection);
  }
  peer.left.count = 0;
  peer.expects = false;
}

void DirectConnections::fail(PeerId id, Error error) {
  DirectPeer& peer = tables_.peers[id];
  end_connections(peer, error);
  if (peer.failed) return;  // one report for several losses
  peer.failed = true;
  peer.failure = error;
  tables_.failed.add(id);
}

void DirectConnections::disconnect(PeerId id) {
  DirectPeer& peer = tables_.peers[id];
  if (peer.connection != nullptr) sender_.end_sending(*peer.connection);
  end_connections(peer, kDisconnected);
  if (std::exchange(peer.failed, false)) tables_.failed.remove(id);
}

void DirectConnections::no_memory_for(DirectConnection& connection) {
  if (connection.phase == DirectConnection::Phase::kClosed) return;
  ++tables_.counters.without_memory;
  if (connection.has_streams()) return fail(connection.peer, kNoMemory);
  handshakes_.give_up(connection, kNoMemory);
}

void DirectConnections::report_failures(Sink& sink) {
  while (!tables_.failed.empty()) {
    const PeerId id = tables_.failed.take_last();
    DirectPeer& peer = tables_.peers[id];
    peer.failed = false;
    if (peer.connection != nullptr) note_recent(*peer.connection);
    ++tables_.reports;
    const Error failure = peer.failure;
    try {
      sink.on_peer_failed(id, failure);
    } catch (const std::bad_alloc&) {
      fail(id, failure);  // the next poll() reports it again
      throw;
    }
  }
}

}  // namespace lintel::transport
