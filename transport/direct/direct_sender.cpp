#include "transport/direct/direct_sender.h"

#include <cerrno>
#include <utility>

#include "transport/direct/sockets.h"

namespace lintel::transport {
namespace {

constexpr int kRecordsPerPoll = 16;  // bounds poll() for one connection

// Of `room`, so much is used, of which `since` since an acknowledgement was asked for. If half is
// used, the next one is asked for, so that it comes before the rest is, but not again before half
// of that was used since: each is a system call of the receiver. In between it may wait until the
// receiver is idle; it is needed then because the room may shrink when others take records.
// Measure: bench/compare/builds --only mpi-bandwidth
std::uint16_t flags_by_room(std::size_t used, std::size_t room, std::size_t since) {
  if (2 * used < room) return 0;
  return 2 * since >= used ? kAcknowledgeSoon : kAcknowledgeWhenIdle;
}

}  // namespace

void DirectSender::reserve(std::size_t connections) {
  sending_.reserve(connections);
  acknowledging_.reserve(connections);
}

void DirectSender::leave(DirectConnection& connection) {
  sending_.remove(&connection);
  acknowledging_.remove(&connection);
  connection.is_acknowledging = false;
  connection.owed.sent();
}

// ---- Sending

std::uint16_t DirectSender::flags_of_frame(const DirectConnection& connection,
                                           std::size_t bytes) const {
  const OutboundStream& stream = connection.outbound;
  const OutboundTable& outbound = tables_.outbound;
  const SendShare& frames = tables_.peers[connection.peer].frames;
  const std::uint16_t pool =
      outbound.half_is_taken() ? std::uint16_t{kAcknowledgeWhenIdle} : std::uint16_t{0};
  static_assert(kAcknowledgeSoon > kAcknowledgeWhenIdle);
  return std::max(
      {pool,
       flags_by_room(frames.held, outbound.frame_limit(frames), stream.records_since_asked() + 1),
       flags_by_room(stream.frame_bytes() + bytes, tables_.options.retained_bytes,
                     stream.frame_bytes_since_asked() + bytes)});
}

// Its owner waits for the end of each write.
std::uint16_t DirectSender::flags_of_write(const DirectConnection& connection) const {
  return static_cast<std::uint16_t>(kAcknowledgeWhenIdle |
                                    flags_by_room(tables_.peers[connection.peer].writes.held,
                                                  tables_.outbound.write_limit(),
                                                  connection.outbound.records_since_asked() + 1));
}

PostStatus DirectSender::send(DirectConnection& connection, Outbound& record, std::uint16_t flags) {
  // Nothing is sent on a new connection before the loss has been reported.
  if (connection.is_ending || tables_.peers[connection.peer].failed ||
      connection.outbound.is_full())
    return PostStatus::kWouldBlock;
  if (record.keeps_memory) {
    if (!tables_.ended.has_room()) return PostStatus::kWouldBlock;
    tables_.ended.begin();
  }
  const bool waits = connection.outbound.waits() || !connection.fd.is_open();
  record.lent = false;
  connection.outbound.append(record, flags);
  if (!waits) begin_sending(connection);
  return PostStatus::kOk;
}

// Passes the rest of the next record to the kernel. False: it accepts no more now.
bool DirectSender::pass_on(DirectConnection& connection) {
  const std::span<const iovec> parts = connection.outbound.next(connection.stream->position());
  std::size_t offered = 0;
  for (const iovec& part : parts) offered += part.iov_len;
  const ssize_t sent = send_to(connection.fd.get(), parts);
  if (sent < 0) {
    // The next poll() deals with the loss, after what has arrived until now.
    if (errno != EAGAIN) [[unlikely]]
      stop_sending(connection);
    return false;
  }
  connection.unread_quarters = 0;
  if (connection.received_unacknowledged() == 0) connection.owed.sent();
  const Outbound* const left = connection.outbound.accepted(static_cast<std::size_t>(sent));
  if (left != nullptr && left->is_message)
    tables_.left.add(connection.peer, tables_.peers[connection.peer].left);
  return static_cast<std::size_t>(sent) == offered;
}

// Passes on what the kernel accepts now; the rest waits.
void DirectSender::begin_sending(DirectConnection& connection) {
  pass_on(connection);
  if (connection.outbound.waits() && !connection.is_ending) begin_waiting(connection);
}

void DirectSender::begin_waiting(DirectConnection& connection) {
  connection.unread_quarters = 0;
  sending_.add(&connection);
  tables_.check_for_stuck_peers();
  // Also wakes a thread that sleeps already.
  watch_for(connection, connection.watched | EPOLLOUT);
}

void DirectSender::send_waiting(DirectConnection& connection) {
  for (int records = 0; records < kRecordsPerPoll && connection.outbound.waits(); ++records) {
    if (!pass_on(connection)) return;
  }
  // An acknowledgement that was due within a record.
  if (!connection.outbound.waits() && connection.received_unacknowledged() != 0 &&
      !connection.is_ending)
    pass_on(connection);
  if (connection.outbound.waits()) return;
  sending_.remove(&connection);
  watch_for(connection, connection.watched & ~std::uint32_t{EPOLLOUT});
}

void DirectSender::resume(DirectConnection& connection) {
  connection.outbound.resume(connection.stream->position());
  if (connection.outbound.waits()) begin_waiting(connection);
}

void DirectSender::end_sending(DirectConnection& connection) {
  if (!connection.fd.is_open()) return;
  const bool can_send = connection.phase == DirectConnection::Phase::kOpen && !connection.is_ending;
  if (can_send && connection.received_unacknowledged() != 0 && !connection.outbound.waits())
    pass_on(connection);
  finish_sending(connection.fd.get());
}

void DirectSender::watch_for(DirectConnection& connection, std::uint32_t events) {
  // If the system does not watch it: as if the connection were broken.
  if (!tables_.events.watch(connection.fd.get(), connection.watched, events, &connection))
    stop_sending(connection);
}

// The kernel accepts nothing more for the connection. What has arrived is still read, because it
// may contain the reason.
void DirectSender::stop_sending(DirectConnection& connection) {
  if (std::exchange(connection.is_ending, true)) return;
  connection.ending = broken(errno);
  tables_.end_later(connection);
}

// ---- Acknowledgements

bool DirectSender::acknowledged(DirectConnection& connection, std::uint64_t position) {
  return connection.outbound.acknowledge(position, [this](Outbound& record) {
    if (record.keeps_memory) tables_.ended.add(record.context, {});
    tables_.outbound.give_back(record);
  });
}

void DirectSender::acknowledge_received() {
  acknowledge_at_ = kNever;
  for (std::size_t i = acknowledging_.size(); i-- > 0;) {
    DirectConnection& connection = *acknowledging_[i];
    const bool is_told = connection.received_unacknowledged() == 0;
    if (!is_told && !connection.is_acknowledgement_due(tables_.polls, tables_.now)) {
      acknowledge_at_ = std::min(acknowledge_at_, connection.owed.deadline());
      continue;
    }
    connection.owed.sent();
    connection.is_acknowledging = false;
    acknowledging_.remove_unordered(i);
    // If something waits for room, the acknowledgement goes along with it.
    if (is_told || connection.outbound.waits() || connection.is_ending) continue;
    begin_sending(connection);
  }
}

}  // namespace lintel::transport
