// poll(): its steps, and which sockets are read.
#include <algorithm>
#include <cerrno>
#include <new>

#include "transport/direct/direct_transport.h"
#include "transport/direct/sockets.h"

namespace lintel::transport {
namespace {

constexpr int kEventsPerLook = 64;

}  // namespace

std::size_t DirectTransport::poll(TimePoint now, Sink& sink) {
  lock_.is_held();
  if (connections_.has_suspended()) connections_.prolong_suspensions(now);
  tables_.now = now;
  handshakes_.begin_poll(now);
  tables_.sink = &sink;
  tables_.reports = 0;
  ++tables_.polls;
  // If the last poll() has found no memory for it: nothing is delivered before a loss is reported.
  if (!tables_.ended.empty() || !tables_.failed.empty()) report_ended_and_failures(sink);
  if (!tables_.left.empty()) {
    tables_.reports += tables_.left.report(sink, [this](PeerId id) -> LeftMessages::OfPeer& {
      lock_.is_held();
      return tables_.peers[id].left;
    });
  }
  const bool delivers_rest = !tables_.stalled.empty() && receiver_.resume_stalled();
  // What the last poll has read: the calls that answer it have taken their acknowledgements along.
  sender_.acknowledge_due();
  // A thread that waited for what a paused stream has delivered now goes on before anything else
  // is read.
  if (!delivers_rest) read_sockets();
  // Much has arrived: its sender goes on before this process answers.
  sender_.acknowledge_due();
  if (connections_.has_suspended()) connections_.resume_suspended();
  handshakes_.expire();
  stuck_peers_.end_overdue();
  while (!tables_.ending.empty()) end(*tables_.ending.back());
  report_ended_and_failures(sink);
  tables_.records.recycle();
  tables_.sink = nullptr;
  return tables_.reports;
}

void DirectTransport::report_ended_and_failures(Sink& sink) {
  if (!tables_.ended.empty()) tables_.reports += tables_.ended.report(sink);
  if (!tables_.failed.empty()) connections_.report_failures(sink);
}

// The kernel accepts nothing more for the connection: it ends when everything was read.
void DirectTransport::end(DirectConnection& connection) {
  if (connection.phase != DirectConnection::Phase::kOpen) return handshakes_.give_up(connection);
  receiver_.receive_last(connection);
  if (connection.phase != DirectConnection::Phase::kOpen) return;
  const InboundStream::StreamState state = connection.stream->state();
  if (state == InboundStream::StreamState::kPaused ||
      (state == InboundStream::StreamState::kStalled && !connection.can_resume())) {
    tables_.ending.remove(&connection);  // DirectReceiver::resume_stalled() ends it
    return connections_.stop_watching(connection);
  }
  connections_.lost(connection, connection.ending);
}

// ---- Which sockets are read

void DirectTransport::read_sockets() {
  DirectConnection* recent[ReadOrder::kRecent];
  const std::size_t count = tables_.reading.recent().size();
  std::ranges::copy(tables_.reading.recent(), recent);
  for (std::size_t i = 0; i < count; ++i) {
    // One whose beginning was left in the kernel is read when that reports it.
    if (recent[i]->phase == DirectConnection::Phase::kOpen && recent[i]->low_water == 1)
      receiver_.receive(*recent[i]);
  }
  // Strangers that hold connections and say nothing must not cost system calls, so what others
  // begin does not count.
  const bool nobody_else =
      tables_.open_count == count && !handshakes_.is_calling() && sender_.waiting().empty();
  if (!tables_.reading.is_turn_of_all(nobody_else)) return;
  // What has come with accepted connections: a process that polls rarely would answer too late.
  if (poll_all_sockets()) poll_all_sockets();
}

// Reads all sockets that epoll reports. Returns whether others may have been added.
bool DirectTransport::poll_all_sockets() {
  if (connections_.are_descriptors_closed()) return false;
  bool accepts = false;
  epoll_event events[kEventsPerLook];
  const int count = tables_.events.ready(events);
  if (count < 0) {
    connections_.on_descriptors_closed(errno);
    return false;
  }
  tables_.reading.set_all_due(count == kEventsPerLook || handshakes_.is_calling() ||
                              !sender_.waiting().empty());
  for (int i = 0; i < count; ++i) {
    auto* const connection = static_cast<DirectConnection*>(events[i].data.ptr);
    const std::uint32_t seen = events[i].events;
    if (connection == nullptr) {
      handshakes_.accept_connections();
      accepts = true;
      tables_.reading.expect_more();  // their connect requests may have arrived with them
      continue;
    }
    // Handling an earlier event of this round has closed its socket.
    if (connection->phase == DirectConnection::Phase::kClosed ||
        connection->phase == DirectConnection::Phase::kSuspended)
      continue;
    if (connection->phase != DirectConnection::Phase::kOpen) {
      try {
        handshakes_.on_ready(*connection, seen);
      } catch (const std::bad_alloc&) {
        connections_.no_memory_for(*connection);
      }
      tables_.reading.expect_more();
      continue;
    }
    if ((seen & EPOLLOUT) != 0) sender_.send_waiting(*connection);
    if ((seen & ~std::uint32_t{EPOLLOUT}) == 0) continue;
    if (connection->stream->state() == InboundStream::StreamState::kStalled) {
      // Handling an earlier event of this round has stalled the stream. Only an end counts.
      if ((seen & (EPOLLHUP | EPOLLERR)) == 0) continue;
      // The peer sends again what waits in the stream, or it is placed before the end is reported.
      if (connection->can_resume()) {
        connections_.lost(*connection, broken(0));
      } else {
        connections_.stop_watching(*connection);
      }
      continue;
    }
    connections_.note_recent(*connection);
    receiver_.receive(*connection);
  }
  return accepts;
}

// ---- Sleeping

bool DirectTransport::prepare_wait() {
  lock_.is_held();
  if (tables_.has_work() || sender_.is_acknowledgement_wanted() || receiver_.can_resume_stalled())
    return false;
  tables_.reading.set_all_due(true);
  return true;
}

TimePoint DirectTransport::next_deadline() const {
  lock_.is_held();
  if (tables_.has_work()) return tables_.now;
  return std::min({tables_.stuck_check, handshakes_.next_deadline(), sender_.next_deadline(),
                   connections_.next_deadline()});
}

}  // namespace lintel::transport
