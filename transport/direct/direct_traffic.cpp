// poll(): its steps, and which sockets are read. What is read is in direct_receiving.cpp, what is
// sent in direct_sending.cpp.
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>

#include "base/log.h"
#include "transport/direct/direct_transport.h"
#include "transport/direct/sockets.h"

namespace lintel::transport {
namespace {

constexpr int kEventsPerLook = 64;
constexpr Error kDescriptorsClosed{Loss::kPeer, "epoll_wait", kClosedByOthers, EBADF};
constexpr Error kNoMemory{Loss::kPeer, "recv",
                          "this process has no memory for what the peer has sent", ENOMEM};

}  // namespace

std::size_t DirectTransport::poll(TimePoint now, Sink& sink) {
  lock_.is_held();
  if (!suspended_.empty()) prolong_suspensions(now);
  now_ = now;
  handshakes_.begin_poll(now);
  sink_ = &sink;
  reports_ = 0;
  ++polls_;
  // If the last poll() has found no memory for it: nothing is delivered before a loss is reported.
  if (!ended_.empty() || !failed_.empty()) report_ended_and_failures(sink);
  if (!left_.empty()) {
    reports_ += left_.report(sink, [this](PeerId id) -> LeftMessages::OfPeer& {
      lock_.is_held();
      return peers_[id].left;
    });
  }
  const bool delivers_rest = !stalled_.empty() && resume_stalled();
  // What the last poll has read: the calls that answer it have taken their acknowledgements along.
  if (acknowledge_at_ <= now) acknowledge_received();
  // A thread that waited for what a paused stream has delivered now goes on before anything else
  // is read.
  if (!delivers_rest) read_sockets();
  // Much has arrived: its sender goes on before this process answers.
  if (acknowledge_at_ <= now) acknowledge_received();
  if (!suspended_.empty()) resume_suspended();
  handshakes_.expire();
  if (stuck_check_ <= now) end_stuck_peers();
  while (!ending_.empty()) end(*ending_.back());
  report_ended_and_failures(sink);
  connections_.recycle();
  sink_ = nullptr;
  return reports_;
}

// A process that was stopped gives its peers their time.
void DirectTransport::prolong_suspensions(TimePoint now) {
  const Nanoseconds gap = now - now_;
  if (gap <= options_.output_timeout / kOutputQuarters) return;
  for (DirectConnection* const connection : suspended_)
    connection->suspension.prolong(gap - options_.output_timeout / kOutputQuarters);
}

void DirectTransport::report_ended_and_failures(Sink& sink) {
  if (!ended_.empty()) reports_ += ended_.report(sink);
  if (!failed_.empty()) report_failures(sink);
}

// ---- Which sockets are read

void DirectTransport::read_sockets() {
  DirectConnection* recent[ReadOrder::kRecent];
  const std::size_t count = reading_.recent().size();
  std::ranges::copy(reading_.recent(), recent);
  for (std::size_t i = 0; i < count; ++i) {
    // One whose beginning was left in the kernel is read when that reports it.
    if (recent[i]->phase == DirectConnection::Phase::kOpen && recent[i]->low_water == 1)
      receive(*recent[i]);
  }
  // Strangers that hold connections and say nothing must not cost system calls, so what others
  // begin does not count.
  const bool nobody_else = open_count_ == count && !handshakes_.is_calling() && sending_.empty();
  if (!reading_.is_turn_of_all(nobody_else)) return;
  // What has come with accepted connections: a process that polls rarely would answer too late.
  if (poll_all_sockets()) poll_all_sockets();
}

// Reads all sockets that epoll reports. Returns whether others may have been added.
bool DirectTransport::poll_all_sockets() {
  if (descriptors_closed_) return false;
  bool accepts = false;
  epoll_event events[kEventsPerLook];
  const int count = events_.ready(events);
  if (count < 0) {
    on_descriptors_closed();
    return false;
  }
  reading_.set_all_due(count == kEventsPerLook || handshakes_.is_calling() || !sending_.empty());
  for (int i = 0; i < count; ++i) {
    auto* const connection = static_cast<DirectConnection*>(events[i].data.ptr);
    const std::uint32_t seen = events[i].events;
    if (connection == nullptr) {
      handshakes_.accept_connections();
      accepts = true;
      reading_.expect_more();  // their connect requests may have arrived with them
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
        no_memory_for(*connection);
      }
      reading_.expect_more();
      continue;
    }
    if ((seen & EPOLLOUT) != 0) send_waiting(*connection);
    if ((seen & ~std::uint32_t{EPOLLOUT}) == 0) continue;
    if (connection->stream->state() == InboundStream::StreamState::kStalled) {
      // Handling an earlier event of this round has stalled the stream. Only an end counts.
      if ((seen & (EPOLLHUP | EPOLLERR)) == 0) continue;
      // The peer sends again what waits in the stream, or it is placed before the end is reported.
      if (connection->can_resume()) {
        lost(*connection, broken(0));
      } else {
        stop_watching(*connection);
      }
      continue;
    }
    note_recent(*connection);
    receive(*connection);
  }
  return accepts;
}

// The program, or a library of it, has closed the epoll instance, and probably the sockets too.
// This transport cannot go on: their numbers may be those of other files now.
void DirectTransport::on_descriptors_closed() {
  LINTEL_LOG(kError,
             "file descriptor %d , on which the network is awaited, was closed, and not by Lintel: "
             "epoll_wait: %s; all operations with other processes end; expected: programs close "
             "only what they have opened",
             events_.descriptor(), std::strerror(errno));
  descriptors_closed_ = true;
  for (std::uint32_t index = 0; index < peers_.size(); ++index) {
    const DirectPeer& peer = peers_[PeerId(index)];
    if (peer.connection != nullptr || peer.connecting != nullptr || peer.attempt.waiting)
      fail(PeerId(index), kDescriptorsClosed);
  }
  for (const auto& connection : connections_.all()) {
    if (connection->phase == DirectConnection::Phase::kAccepted ||
        connection->phase == DirectConnection::Phase::kChallenged)
      tear_down(*connection);
  }
}

// An open connection ends and its peer is given up, because a part of what it has sent is missing
// from now on. A connection that is being made is tried again by the side that has begun it.
void DirectTransport::no_memory_for(DirectConnection& connection) {
  if (connection.phase == DirectConnection::Phase::kClosed) return;
  ++counters_.without_memory;
  if (connection.has_streams()) return fail(connection.peer, kNoMemory);
  handshakes_.give_up(connection, kNoMemory);
}

// ---- Sleeping

bool DirectTransport::prepare_wait() {
  lock_.is_held();
  if (!left_.empty() || !ended_.empty() || !failed_.empty() || !ending_.empty()) return false;
  for (const DirectConnection* const connection : acknowledging_) {
    if (connection->owed.is_wanted() && connection->received_unacknowledged() != 0) return false;
  }
  for (const DirectConnection* const connection : stalled_) {
    if (may_resume(*connection)) return false;
  }
  reading_.set_all_due(true);
  return true;
}

TimePoint DirectTransport::next_deadline() const {
  lock_.is_held();
  if (!left_.empty() || !ended_.empty() || !failed_.empty() || !ending_.empty()) return now_;
  TimePoint deadline = std::min(stuck_check_, handshakes_.next_deadline());
  for (const DirectConnection* const connection : acknowledging_) {
    if (connection->received_unacknowledged() != 0)
      deadline = std::min(deadline, std::max(now_, connection->owed.deadline()));
  }
  for (const DirectConnection* const connection : suspended_) {
    deadline = std::min(deadline, connection->suspension.until());
    if (const DirectConnection* const attempt = peers_[connection->peer].connecting)
      deadline = std::min(deadline, handshakes_.end_of(*attempt));
  }
  return deadline;
}

}  // namespace lintel::transport
