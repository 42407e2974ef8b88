// How connections end: by their peer, by the kernel, by their owner, or because nobody has proved
// anything on them.
#include <algorithm>
#include <cerrno>
#include <new>
#include <utility>
#include <vector>

#include "base/assert.h"
#include "transport/direct/connection.h"
#include "transport/direct/sockets.h"

namespace lintel::transport {
namespace {

constexpr int kLastReads = 64;  // of a connection that ends

constexpr Error kNobodyThere{Loss::kPeer, "connect",
                             "nobody accepts a connection at the peer's address", ETIMEDOUT};
constexpr Error kNotAdmitted{Loss::kPeer, "accept", "the peer has connected and begun no session",
                             ETIMEDOUT};

}  // namespace

void DirectTransport::watch_for(Connection& connection, std::uint32_t events) {
  if (connection.watched == events) return;
  const int change = connection.watched == Connection::kUnwatched ? EPOLL_CTL_ADD : EPOLL_CTL_MOD;
  connection.watched = events;
  epoll_event event{events, {.ptr = &connection}};
  // As if the connection were broken.
  if (::epoll_ctl(epoll_.get(), change, connection.fd.get(), &event) != 0) stop_sending(connection);
}

void DirectTransport::stop_watching(Connection& connection) {
  if (connection.watched != Connection::kUnwatched)
    ::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, connection.fd.get(), nullptr);
  connection.watched = Connection::kUnwatched;
}

// Of what is to be done with its socket.
void DirectTransport::leave_lists(Connection& connection) {
  for (std::vector<Connection*>* const list :
       {&recent_, &sending_, &ending_, &stalled_, &suspended_, &acknowledging_})
    std::erase(*list, &connection);
  connection.is_acknowledging = false;
  connection.wanted = 0;
}

// A child process may also hold the socket. end_socket() ends the connection, and epoll must be
// told, because it would continue to report the socket.
void DirectTransport::close_socket(Connection& connection) {
  stop_watching(connection);
  end_socket(std::move(connection.fd));
}

// Closes the socket, and ends what waited for the connection.
void DirectTransport::tear_down(Connection& connection) {
  LINTEL_ASSERT(connection.phase != Connection::Phase::kClosed);
  if (connection.phase != Connection::Phase::kSuspended)
    --(connection.phase == Connection::Phase::kOpen ? open_count_ : opening_count_);
  list_of(connection).remove(connection);
  if (connection.peer != kNoPeer) {
    DirectPeer& peer = at(connection.peer);
    if (peer.connection == &connection) peer.connection = nullptr;
    if (peer.connecting == &connection) clear_connecting(peer);
    if (std::exchange(connection.is_expected, false)) peer.expects = false;
  }
  while (!connection.outbound.empty()) {
    Outbound& record = connection.outbound.pop_front();
    if (record.keeps_memory) {
      ++counters_.failed_writes;
      ended_.push_back({record.context, connection.ending});
    }
    outbound_.give_back(record);
  }
  if (connection.stream->has_partial_piece()) ++counters_.failed_receives;
  if (const auto target = targets_.find(connection.written_key);
      target != targets_.end() && target->second.writer == &connection) {
    target->second.writer = nullptr;
  }
  give_back_unexpected(connection);
  leave_lists(connection);
  // Inside poll(), the stream may be the caller: it stops now and is destroyed at the end of the
  // poll.
  if (sink_ != nullptr) {
    connection.stream->stop();
  } else {
    connection.stream.reset();
  }
  close_socket(connection);
  connection.phase = Connection::Phase::kClosed;
  torn_down_.push_back(&connection);
}

// Ends both connections of a peer and the operations on them.
void DirectTransport::end_connections(DirectPeer& peer, Error ending) {
  attempts_.end(peer.attempt);
  if (peer.connecting != nullptr) tear_down(*peer.connecting);
  if (peer.connection != nullptr) {
    peer.connection->ending = ending;
    tear_down(*peer.connection);
  }
  peer.left = 0;
  peer.expects = false;
}

// Called when the open connection is lost, or none can be made.
void DirectTransport::fail(PeerId id, Error error) {
  DirectPeer& peer = at(id);
  end_connections(peer, error);
  if (peer.failed) return;  // one report for several losses
  peer.failed = true;
  peer.failure = error;
  failed_.push_back(id);
}

// Data that the kernel has may still arrive at the peer, such as a goodbye.
void DirectTransport::disconnect(PeerId id) {
  lock_.is_held();
  DirectPeer& peer = at(id);
  if (peer.connection != nullptr) end_sending(*peer.connection);
  end_connections(peer, kDisconnected);
  if (std::exchange(peer.failed, false)) std::erase(failed_, id);
}

// Ends attempts that have taken too long, and accepted connections that send nothing.
void DirectTransport::expire_attempts() {
  attempts_.expire(now_, [this](PeerId id, ConnectAttempts::Expiry end) {
    lock_.is_held();
    const Error obstacle = at(id).attempt.obstacle;
    if (is_suspended(id)) return connect(id);  // it has a limit of its own: they begin anew
    if (end == ConnectAttempts::Expiry::kTimedOut)
      return fail(id, obstacle.ok() ? kNobodyThere : obstacle);
    if (at(id).connecting != nullptr) tear_down(*at(id).connecting);
  });
  if (listen_again_ <= now_) {
    epoll_event event{EPOLLIN, {.ptr = nullptr}};
    ::epoll_ctl(epoll_.get(), EPOLL_CTL_MOD, listener_.get(), &event);
    listen_again_ = kNever;
  }
  for (HalfOpenConnections* const list : {&half_open_, &unproved_}) {
    while (HalfOpenConnection* const silent = list->overdue(now_)) drop_half_open(*silent);
  }
}

// The connect request has not arrived in time, or nothing that made the owner admit the peer; or
// another connection needs the place.
void DirectTransport::drop_half_open(HalfOpenConnection& half_open) {
  ++counters_.refused_connections;
  auto& connection = static_cast<Connection&>(half_open);
  if (connection.has_streams()) return fail(connection.peer, kNotAdmitted);
  tear_down(connection);
}

void DirectTransport::report_failures(Sink& sink) {
  while (!failed_.empty()) {
    const PeerId id = failed_.back();
    failed_.pop_back();
    DirectPeer& peer = at(id);
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
void DirectTransport::stop_sending(Connection& connection) {
  if (std::exchange(connection.is_ending, true)) return;
  connection.ending = broken(errno);
  ending_.push_back(&connection);
}

// Reads what has arrived on a connection that ends. This may itself end the connection.
void DirectTransport::receive_last(Connection& connection) {
  for (int reads = 0; reads < kLastReads && receive(connection); ++reads) {
  }
}

void DirectTransport::end(Connection& connection) {
  if (connection.phase != Connection::Phase::kOpen) return give_up_attempt(connection);
  receive_last(connection);
  if (connection.phase != Connection::Phase::kOpen) return;
  const InboundStream::StreamState state = connection.stream->state();
  if (state == InboundStream::StreamState::kPaused ||
      (state == InboundStream::StreamState::kStalled && !connection.can_resume())) {
    std::erase(ending_, &connection);  // resume_stalled() ends it
    return stop_watching(connection);
  }
  lost(connection, connection.ending);
}

}  // namespace lintel::transport
