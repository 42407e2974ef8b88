// What poll() sends: what waited for the kernel, and acknowledgements. Peers that do not read, or
// do not end a payload, are given up.
#include <algorithm>
#include <cerrno>
#include <functional>
#include <vector>

#include "transport/direct/direct_transport.h"
#include "transport/direct/sockets.h"

namespace lintel::transport {
namespace {

constexpr int kRecordsPerPoll = 16;  // bounds poll() for one connection
// Less than the timeout after which the peer that waits for the memory is given up by its own peer.
constexpr int kMostNeededQuarters = 2;

constexpr Error kNotRead{Loss::kPeer, "send", "the peer does not read what is sent to it",
                         ETIMEDOUT};
constexpr Error kNotSent{Loss::kPeer, "recv", "the peer has begun a payload and does not end it",
                         ETIMEDOUT};

}  // namespace

// Called when the kernel has room again. epoll reports the connection again if something is left.
void DirectTransport::send_waiting(DirectConnection& connection) {
  for (int records = 0; records < kRecordsPerPoll && connection.outbound.waits(); ++records) {
    if (!pass_on(connection)) return;
  }
  // An acknowledgement that was due within a record.
  if (!connection.outbound.waits() && connection.received_unacknowledged() != 0 &&
      !connection.is_ending)
    pass_on(connection);
  if (connection.outbound.waits()) return;
  std::erase(sending_, &connection);
  watch_for(connection, connection.watched & ~std::uint32_t{EPOLLOUT});
}

// The peer has all before `position`. False: it cannot have.
bool DirectTransport::acknowledged(DirectConnection& connection, std::uint64_t position) {
  lock_.is_held();
  return connection.outbound.acknowledge(position, [this](Outbound& record) {
    lock_.is_held();
    if (record.keeps_memory) ended_.add(record.context, {});
    outbound_.give_back(record);
  });
}

// Sends the acknowledgements that no message has taken along in the meantime.
void DirectTransport::acknowledge_received() {
  acknowledge_at_ = kNever;
  for (std::size_t i = acknowledging_.size(); i-- > 0;) {
    DirectConnection& connection = *acknowledging_[i];
    const bool is_told = connection.received_unacknowledged() == 0;
    if (!is_told && !connection.is_acknowledgement_due(polls_, now_)) {
      acknowledge_at_ = std::min(acknowledge_at_, connection.owed.deadline());
      continue;
    }
    connection.owed.sent();
    connection.is_acknowledging = false;
    acknowledging_[i] = acknowledging_.back();
    acknowledging_.pop_back();
    // If something waits for room, the acknowledgement goes along with it.
    if (is_told || connection.outbound.waits() || connection.is_ending) continue;
    begin_sending(connection);
  }
}

// Nothing is sent on it any more. The peer may wait for the acknowledgement, see close().
void DirectTransport::end_sending(DirectConnection& connection) {
  if (!connection.fd.is_open()) return;
  const bool can_send = connection.phase == DirectConnection::Phase::kOpen && !connection.is_ending;
  if (can_send && connection.received_unacknowledged() != 0 && !connection.outbound.waits())
    pass_on(connection);
  finish_sending(connection.fd.get());
}

// Passes on what the kernel accepts now; the rest waits.
void DirectTransport::begin_sending(DirectConnection& connection) {
  pass_on(connection);
  if (connection.outbound.waits() && !connection.is_ending) begin_waiting(connection);
}

void DirectTransport::begin_waiting(DirectConnection& connection) {
  connection.unread_quarters = 0;
  sending_.push_back(&connection);
  check_for_stuck_peers();
  // Also wakes a thread that sleeps already.
  watch_for(connection, connection.watched | EPOLLOUT);
}

// Looks at them again after a quarter of their timeout. Quarters are counted and time is not
// compared: if this process was stopped for a while, its peers get their time.
void DirectTransport::check_for_stuck_peers() {
  if (stuck_check_ == kNever) stuck_check_ = now_ + options_.output_timeout / kOutputQuarters;
}

// Gives up peers that do not read, and makes room for payloads that wait for memory.
void DirectTransport::end_stuck_peers() {
  std::vector<DirectConnection*> stuck;
  for (DirectConnection* const connection : sending_) {
    if (++connection->unread_quarters > kOutputQuarters) stuck.push_back(connection);
  }
  for (DirectConnection* const connection : stuck) end_stuck_peer(*connection, kNotRead);
  if (unexpected_.is_used_up()) make_room_for_payloads();
  stuck_check_ = kNever;
  if (!sending_.empty() || !stalled_.empty()) check_for_stuck_peers();
}

// Gives up peers that have begun payloads and do not end them, if others need the memory: as many
// as wait for it, and first those of whose payload most is missing. That some of it arrives does
// not save a peer, nor that its connection is lost: else a few bytes now and then would hold the
// memory.
void DirectTransport::make_room_for_payloads() {
  // This process was stopped, or polls rarely: its peers get their time.
  if (now_ - stuck_check_ > options_.output_timeout / kOutputQuarters) return;
  const auto waiting = static_cast<std::size_t>(
      std::ranges::count_if(stalled_, [](const DirectConnection* connection) {
        return connection->stream->state() == InboundStream::StreamState::kStalled;
      }));
  if (waiting == 0) return;
  std::vector<DirectConnection*> holders;
  for (const auto& connection : connections_.all()) {
    if (connection->unexpected && ++connection->needed_quarters > kMostNeededQuarters)
      holders.push_back(connection.get());
  }
  std::ranges::sort(holders, std::ranges::greater(), [](const DirectConnection* connection) {
    return connection->stream->missing_of_payload();
  });
  if (holders.size() > waiting) holders.resize(waiting);
  for (DirectConnection* const connection : holders) end_stuck_peer(*connection, kNotSent);
}

void DirectTransport::end_stuck_peer(DirectConnection& connection, Error error) {
  if (connection.fd.is_open()) reset_connection(connection.fd.get());
  fail(connection.peer, error);
}

}  // namespace lintel::transport
