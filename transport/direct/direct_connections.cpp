// How connections open, are lost and go on. How they are made is in handshakes.cpp, how they end in
// direct_ending.cpp.
#include "transport/direct/direct_connections.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/assert.h"
#include "base/log.h"
#include "transport/direct/sockets.h"

namespace lintel::transport {
namespace {

constexpr Error kDescriptorClosed{Loss::kPeer, "connect", kClosedByOthers, EBADF};
constexpr Error kDescriptorsClosed{Loss::kPeer, "epoll_wait", kClosedByOthers, EBADF};

// Another connection would meet it too: memory that the program has taken away, a limit of the
// system, or descriptors that others have closed and that may be those of other files now.
bool is_of_this_process(Error error) {
  constexpr int kCodes[] = {EBADF, ENOTSOCK, EFAULT, EINVAL, EPERM, ENOMEM, ENOSPC};
  return std::find(std::begin(kCodes), std::end(kCodes), error.code()) != std::end(kCodes);
}

}  // namespace

void DirectConnections::connect(PeerId id) {
  const bool is_wanted = !tables_.closing || is_suspended(tables_.peers[id]);
  if (descriptors_closed_ && is_wanted && !tables_.peers[id].failed)
    return fail(id, kDescriptorClosed);
  handshakes_.connect(id);
}

void DirectConnections::opened(DirectConnection& connection) {
  DirectPeer& peer = tables_.peers[connection.peer];
  tables_.outbound.set_apart(peer.frames, connection.is_of_unproved_caller());
  ++tables_.open_count;
  sender_.watch_for(connection, EPOLLIN);
  note_recent(connection);
}

// ---- Losing

void DirectConnections::lost(DirectConnection& connection, Error error) {
  // Nothing is left to be sent.
  const bool has_ended = tables_.closing && connection.outbound.empty();
  if (!connection.can_resume() || has_ended || is_of_this_process(error))
    return fail(connection.peer, error);
  suspend(connection, error);
  resume_suspended();
}

void DirectConnections::suspend(DirectConnection& connection, Error error) {
  LINTEL_ASSERT(connection.phase == DirectConnection::Phase::kOpen);
  ++tables_.counters.interrupted;
  connection.is_ending = false;
  connection.stream->interrupt();
  connection.outbound.interrupt();
  connection.suspension.begin(error,
                              connection.stream->position() + connection.outbound.acknowledged(),
                              tables_.now, tables_.options.output_timeout);
  leave_lists(connection);
  close_socket(connection);
  connection.phase = DirectConnection::Phase::kSuspended;
  --tables_.open_count;
  suspended_.add(&connection);
}

void DirectConnections::resume_suspended() {
  for (std::size_t i = suspended_.size(); i-- > 0;) {
    DirectConnection& connection = *suspended_[i];
    const PeerId id = connection.peer;
    if (tables_.now >= connection.suspension.until()) {
      fail(id, connection.suspension.loss());
      continue;
    }
    // A caller that has proved nothing comes by itself. In the end nobody waits for it.
    if (connection.is_of_unproved_caller()) {
      if (tables_.closing) fail(id, connection.suspension.loss());
      continue;
    }
    connect(id);
  }
}

void DirectConnections::resumed(DirectConnection& connection) {
  suspended_.remove(&connection);
  connection.phase = DirectConnection::Phase::kOpen;
  connection.suspension.resumed(tables_.now);
  ++tables_.open_count;
  sender_.watch_for(connection, EPOLLIN);
  note_recent(connection);
  sender_.resume(connection);
}

void DirectConnections::prolong_suspensions(TimePoint now) {
  const Nanoseconds quarter = tables_.options.output_timeout / kOutputQuarters;
  const Nanoseconds gap = now - tables_.now;
  if (gap <= quarter) return;
  for (DirectConnection* const connection : suspended_)
    connection->suspension.prolong(gap - quarter);
}

TimePoint DirectConnections::suspension_deadline() const {
  TimePoint deadline = kNever;
  for (const DirectConnection* const connection : suspended_) {
    deadline = std::min(deadline, connection->suspension.until());
    if (const DirectConnection* const attempt = tables_.peers[connection->peer].connecting)
      deadline = std::min(deadline, handshakes_.end_of(*attempt));
  }
  return deadline;
}

// The program, or a library of it, has probably closed the sockets too. This transport cannot go
// on: their numbers may be those of other files now.
void DirectConnections::on_descriptors_closed(int code) {
  LINTEL_LOG(kError,
             "file descriptor %d , on which the network is awaited, was closed, and not by Lintel: "
             "epoll_wait: %s; all operations with other processes end; expected: programs close "
             "only what they have opened",
             tables_.events.descriptor(), std::strerror(code));
  descriptors_closed_ = true;
  for (std::uint32_t index = 0; index < tables_.peers.size(); ++index) {
    const DirectPeer& peer = tables_.peers[PeerId(index)];
    if (peer.connection != nullptr || peer.connecting != nullptr || peer.attempt.waiting)
      fail(PeerId(index), kDescriptorsClosed);
  }
  for (const auto& connection : tables_.records.all()) {
    if (connection->phase == DirectConnection::Phase::kAccepted ||
        connection->phase == DirectConnection::Phase::kChallenged)
      tear_down(*connection);
  }
}

}  // namespace lintel::transport
