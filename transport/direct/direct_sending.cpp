// What poll() sends: what waited for the kernel, and acknowledgements. Peers that do not read, or
// do not go on with a payload, are given up.
#include <algorithm>
#include <cerrno>
#include <vector>

#include "transport/direct/connection.h"
#include "transport/direct/sockets.h"

namespace lintel::transport {
namespace {

constexpr int kRecordsPerPoll = 16;  // bounds poll() for one connection
// While more arrives, so many bytes share an acknowledgement.
constexpr std::uint64_t kLongUnacknowledged = 1024 * 1024;
// So many polls without anything new mean that the peer waits. Fewer are pauses within a stream, in
// which a call for each acknowledgement would cost more than it gives.
constexpr std::uint64_t kIdlePolls = 4;
// Sooner than a peer that waits for the memory is given up by its own peer.
constexpr int kUnsentQuarters = 2;

constexpr Error kNotRead{Loss::kPeer, "send", "the peer does not read what is sent to it",
                         ETIMEDOUT};
constexpr Error kNotSent{Loss::kPeer, "recv", "the peer has begun a payload and does not go on",
                         ETIMEDOUT};

}  // namespace

// Called when the kernel has room again. epoll reports the connection again if something is left.
void DirectTransport::send_waiting(Connection& connection) {
  for (int records = 0; records < kRecordsPerPoll && connection.outbound.waits(); ++records) {
    if (!pass_on(connection)) return;
  }
  // An acknowledgement that was due within a record.
  if (!connection.outbound.waits() && connection.untold() != 0 && !connection.is_ending)
    pass_on(connection);
  if (connection.outbound.waits()) return;
  end_waiting(connection);
  watch_for(connection, connection.watched & ~std::uint32_t{EPOLLOUT});
}

// A program that has sent a long message posts the receive of the answer when the send has ended,
// and the answer brings the acknowledgement along. Delivered in the same poll it would always be
// early, and be copied, or wait for another round trip. While other sends are under way nobody
// waits for this one alone.
// Measure: bench/compare/builds --only mpi-latency,mpi-bibandwidth
Acknowledged DirectTransport::Connection::on_acknowledgement(std::uint32_t received) {
  owner.lock_.is_held();
  const std::size_t ended = owner.ended_.size();
  if (!owner.acknowledged(*this, outbound.position_of(received))) return Acknowledged::kUnsent;
  const bool is_last = owner.ended_.size() > ended && !outbound.is_awaited();
  return is_last ? Acknowledged::kLastOperation : Acknowledged::kNothing;
}

// The peer has all before `position`. False: it cannot have.
bool DirectTransport::acknowledged(Connection& connection, std::uint64_t position) {
  return connection.outbound.acknowledge(position, [this](Outbound& record) {
    lock_.is_held();
    if (record.keeps_memory) ended_.push_back({record.context, {}});
    outbound_.give_back(record);
  });
}

void DirectTransport::Connection::on_acknowledgement_wanted(std::uint16_t flags) {
  owner.lock_.is_held();
  if (wanted == 0) wanted_since = owner.polls_;
  wanted |= flags;
}

// What was received and is not acknowledged is due now. A message in the other direction takes the
// acknowledgement along, so it waits a little for one. If this process has sent everything and
// waits for an acknowledgement itself, then so does the peer, most likely: both send long messages
// to each other, as in MPI_Alltoall, and neither sends the next before this one has ended.
// Measure: bench/compare/builds --only mpi-alltoall --sizes 131072,262144
bool DirectTransport::is_acknowledgement_due(const Connection& connection) const {
  if (now_ - connection.heard_at >= kAcknowledgeAfter) return true;
  if (connection.wanted == 0) return false;  // also in the middle of a long write
  if ((connection.wanted & kAcknowledgeSoon) != 0) return connection.wanted_since < polls_;
  const bool waits_itself = connection.outbound.is_awaited() && !connection.outbound.waits();
  const std::uint64_t pause = waits_itself ? 0 : kIdlePolls;
  return connection.heard_in + pause < polls_ || connection.untold() >= kLongUnacknowledged;
}

// When is_acknowledgement_due() is to be asked at the latest: in the next poll() if the peer wants
// one, also if that has an earlier time than this one, from a coarse clock.
TimePoint DirectTransport::acknowledgement_deadline(const Connection& connection) const {
  return connection.wanted != 0 ? TimePoint{0} : connection.heard_at + kAcknowledgeAfter;
}

// Sends the acknowledgements that no message has taken along in the meantime.
void DirectTransport::acknowledge_received() {
  acknowledge_at_ = kNever;
  for (std::size_t i = acknowledging_.size(); i-- > 0;) {
    Connection& connection = *acknowledging_[i];
    const bool is_told = connection.untold() == 0;
    if (!is_told && !is_acknowledgement_due(connection)) {
      acknowledge_at_ = std::min(acknowledge_at_, acknowledgement_deadline(connection));
      continue;
    }
    connection.wanted = 0;
    connection.is_acknowledging = false;
    acknowledging_[i] = acknowledging_.back();
    acknowledging_.pop_back();
    // If something waits for room, the acknowledgement goes along with it.
    if (is_told || connection.outbound.waits() || connection.is_ending) continue;
    begin_sending(connection);
  }
}

// Nothing is sent on it any more. The peer may wait for the acknowledgement, see close().
void DirectTransport::end_sending(Connection& connection) {
  if (!connection.fd.is_open()) return;
  const bool can_send = connection.phase == Connection::Phase::kOpen && !connection.is_ending;
  if (can_send && connection.untold() != 0 && !connection.outbound.waits()) pass_on(connection);
  finish_sending(connection.fd.get());
}

// Passes on what the kernel accepts now; the rest waits.
void DirectTransport::begin_sending(Connection& connection) {
  pass_on(connection);
  if (connection.outbound.waits() && !connection.is_ending) begin_waiting(connection);
}

void DirectTransport::begin_waiting(Connection& connection) {
  connection.unread_quarters = 0;
  sending_.push_back(&connection);
  check_for_stuck_peers();
  // Also wakes a thread that sleeps already.
  watch_for(connection, connection.watched | EPOLLOUT);
}

void DirectTransport::end_waiting(Connection& connection) { std::erase(sending_, &connection); }

// Looks at them again after a quarter of their timeout. Quarters are counted and time is not
// compared: if this process was stopped for a while, its peers get their time.
void DirectTransport::check_for_stuck_peers() {
  if (stuck_check_ == kNever) stuck_check_ = now_ + options_.output_timeout / kQuarters;
}

// Gives up peers that do not read, and peers that have begun payloads and do not go on, if they
// hold all memory for unexpected payloads and others need some.
void DirectTransport::end_stuck_peers() {
  std::vector<Connection*> stuck;
  for (Connection* const connection : sending_) {
    if (++connection->unread_quarters > kQuarters) stuck.push_back(connection);
  }
  for (Connection* const connection : stuck) end_stuck_peer(*connection, kNotRead);
  stuck.clear();
  const bool memory_is_missing =
      unexpected_ == kUnexpectedSlots &&
      std::ranges::any_of(stalled_, [](const Connection* connection) {
        return connection->stream->state() == InboundStream::StreamState::kStalled;
      });
  for (const auto& connection : connections_) {
    if (memory_is_missing && connection->unexpected &&
        connection->phase == Connection::Phase::kOpen &&
        ++connection->unsent_quarters > kUnsentQuarters)
      stuck.push_back(connection.get());
  }
  for (Connection* const connection : stuck) end_stuck_peer(*connection, kNotSent);
  stuck_check_ = kNever;
  if (!sending_.empty() || !stalled_.empty()) check_for_stuck_peers();
}

void DirectTransport::end_stuck_peer(Connection& connection, Error error) {
  if (connection.fd.is_open()) reset_connection(connection.fd.get());
  fail(connection.peer, error);
}

}  // namespace lintel::transport
