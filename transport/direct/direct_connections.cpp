// What becomes of connections between their making, which is the business of Handshakes, and their
// end, which is in direct_ending.cpp: they open, are lost, and go on.
#include <algorithm>
#include <cerrno>
#include <vector>

#include "base/assert.h"
#include "transport/direct/direct_transport.h"
#include "transport/direct/room.h"
#include "transport/direct/sockets.h"

namespace lintel::transport {
namespace {

constexpr Error kDescriptorClosed{Loss::kPeer, "connect", kClosedByOthers, EBADF};

// Another connection would meet it too: memory that the program has taken away, a limit of the
// system, or descriptors that others have closed and that may be those of other files now.
bool is_of_this_process(Error error) {
  constexpr int kCodes[] = {EBADF, ENOTSOCK, EFAULT, EINVAL, EPERM, ENOMEM, ENOSPC};
  return std::find(std::begin(kCodes), std::end(kCodes), error.code()) != std::end(kCodes);
}

}  // namespace

bool DirectTransport::has_spare_connection() {
  lock_.is_held();
  const InboundStream::PieceLimits limits{
      attributes_.max_message_bytes, attributes_.max_write_bytes, attributes_.max_placed_bytes};
  return connections_.has_spare(limits, [this](std::size_t connections) {
    lock_.is_held();
    for (std::vector<DirectConnection*>* const list :
         {&sending_, &ending_, &stalled_, &resuming_stalled_, &suspended_, &acknowledging_})
      make_room(*list, connections);
  });
}

void DirectTransport::connect(PeerId id) {
  const bool is_wanted = !closing_ || is_suspended(peers_[id]);
  if (descriptors_closed_ && is_wanted && !peers_[id].failed) return fail(id, kDescriptorClosed);
  handshakes_.connect(id);
}

void DirectTransport::opened(DirectConnection& connection) {
  lock_.is_held();
  DirectPeer& peer = peers_[connection.peer];
  outbound_.set_apart(peer.frames, connection.is_of_unproved_caller());
  ++open_count_;
  watch_for(connection, EPOLLIN);
  note_recent(connection);
}

void DirectTransport::contested(PeerId id) {
  lock_.is_held();
  sink_->on_contested(id);
}

// A connection that was resumed is still the one that it began as.
ConnectionBinding DirectTransport::binding(PeerId id) const {
  lock_.is_held();
  const DirectConnection* const connection = peers_[id].connection;
  return connection == nullptr ? ConnectionBinding() : connection->binding;
}

void DirectTransport::allow_resumption(PeerId id, const ResumptionKey& key) {
  lock_.is_held();
  DirectConnection* const connection = peers_[id].connection;
  if (connection != nullptr && !connection->is_admitted) connection->key = key;
}

void DirectTransport::admit(PeerId id, const ResumptionKey& key) {
  lock_.is_held();
  DirectPeer& peer = peers_[id];
  DirectConnection* const connection = peer.connection;
  if (connection == nullptr) return;
  connection->is_admitted = true;
  outbound_.set_apart(peer.frames, false);
  connection->key = key;
  handshakes_.admitted(*connection);
}

// ---- Losing

// The TCP connection of an open connection is of no use any more.
void DirectTransport::lost(DirectConnection& connection, Error error) {
  const bool has_ended = closing_ && connection.outbound.empty();  // nothing is left to be sent
  if (!connection.can_resume() || has_ended || is_of_this_process(error))
    return fail(connection.peer, error);
  suspend(connection, error);
  resume_suspended();
}

void DirectTransport::suspend(DirectConnection& connection, Error error) {
  lock_.is_held();
  LINTEL_ASSERT(connection.phase == DirectConnection::Phase::kOpen);
  ++counters_.interrupted;
  connection.is_ending = false;
  connection.stream->interrupt();
  connection.outbound.interrupt();
  connection.suspension.begin(error,
                              connection.stream->position() + connection.outbound.acknowledged(),
                              now_, options_.output_timeout);
  leave_lists(connection);
  close_socket(connection);
  connection.phase = DirectConnection::Phase::kSuspended;
  --open_count_;
  suspended_.push_back(&connection);
}

void DirectTransport::interrupt(PeerId id) {
  lock_.is_held();
  const DirectConnection* const connection = peers_[id].connection;
  // The next poll() notices it.
  if (connection != nullptr && connection->fd.is_open()) reset_connection(connection->fd.get());
}

void DirectTransport::interrupt_if_silent(PeerId id) {
  lock_.is_held();
  const DirectConnection* const connection = peers_[id].connection;
  if (connection != nullptr && connection->fd.is_open() &&
      silence_of(connection->fd.get()) >= options_.output_timeout / kOutputQuarters)
    interrupt(id);
}

// Makes another attempt for each of them, unless it is too early, or gives the peer up.
void DirectTransport::resume_suspended() {
  for (std::size_t i = suspended_.size(); i-- > 0;) {
    DirectConnection& connection = *suspended_[i];
    const PeerId id = connection.peer;
    if (now_ >= connection.suspension.until()) {
      fail(id, connection.suspension.loss());
      continue;
    }
    // A caller that has proved nothing comes by itself. In the end nobody waits for it.
    if (connection.is_of_unproved_caller()) {
      if (closing_) fail(id, connection.suspension.loss());
      continue;
    }
    connect(id);
  }
}

void DirectTransport::resumed(DirectConnection& connection) {
  lock_.is_held();
  std::erase(suspended_, &connection);
  connection.phase = DirectConnection::Phase::kOpen;
  connection.suspension.resumed(now_);
  ++open_count_;
  connection.outbound.resume(connection.stream->position());
  watch_for(connection, EPOLLIN);
  note_recent(connection);
  if (connection.outbound.waits()) begin_waiting(connection);
}

}  // namespace lintel::transport
