#pragma once
// DirectSender: passes the records of connections to the kernel, keeps what waits for room there,
// asks peers to acknowledge what was sent, and acknowledges what has arrived from them.
//
// A part of a DirectTransport; guarded by its lock. Borrows the tables, and each connection from
// its first use until leave().
// A connection on which the kernel accepts nothing more, or which epoll does not watch, is put on
// DirectTables::ending.
// Does not: build records, read, end connections, or give up a peer that does not read.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "transport/direct/direct_tables.h"
#include "transport/direct/reserved_list.h"

namespace lintel::transport {

class DirectSender {
 public:
  // Borrows them.
  explicit DirectSender(DirectTables& tables) : tables_(tables) {}
  DirectSender(const DirectSender&) = delete;
  DirectSender& operator=(const DirectSender&) = delete;

  // Room for so many connections. Throws std::bad_alloc.
  void reserve(std::size_t connections);
  // Forgets the connection: nothing waits for room, and nothing is owed.
  [[gnu::cold]] void leave(DirectConnection& connection);

  // When the peer is to acknowledge the next frame, or write, as PieceFlags. The record was taken
  // from the table already. `bytes`: of the frame with its headers, without a payload.
  std::uint16_t flags_of_frame(const DirectConnection& connection, std::size_t bytes) const;
  std::uint16_t flags_of_write(const DirectConnection& connection) const;
  // Passes the record to the kernel as far as it accepts it; the rest waits. `flags`: of its piece.
  // kOk: the stream keeps the record until it is acknowledged, or the connection is torn down.
  // kWouldBlock: nothing has changed.
  PostStatus send(DirectConnection& connection, Outbound& record, std::uint16_t flags);
  // The kernel has room again. epoll reports the connection again if something is left.
  void send_waiting(DirectConnection& connection);
  // The connection has another socket. The peer knows what has arrived, and has received all before
  // OutboundStream::acknowledged().
  [[gnu::cold]] void resume(DirectConnection& connection);
  // Sends the acknowledgement that the peer may wait for (DirectTransport::close()), unless
  // something waits for room, then ends the stream to the peer and drops what has arrived. No
  // effect without a socket.
  [[gnu::cold]] void end_sending(DirectConnection& connection);

  // The peer has all before `position`. False: it cannot have.
  bool acknowledged(DirectConnection& connection, std::uint64_t position);
  // Something was received and is to be acknowledged, unless an answer has taken that along
  // already.
  void note_arrived(DirectConnection& connection) {
    connection.owed.heard(tables_.polls, tables_.now);
    if (connection.received_unacknowledged() == 0) return connection.owed.sent();
    if (!connection.is_acknowledging) {
      connection.is_acknowledging = true;
      acknowledging_.add(&connection);
    }
    acknowledge_at_ = std::min(acknowledge_at_, connection.owed.deadline());
  }
  // Sends the acknowledgements that are due and that no message has taken along in the meantime.
  void acknowledge_due() {
    if (acknowledge_at_ <= tables_.now) acknowledge_received();
  }
  // A peer waits for an acknowledgement, so poll() is to be called again at once.
  bool is_acknowledgement_wanted() const {
    return std::ranges::any_of(acknowledging_, [](const DirectConnection* connection) {
      return connection->owed.is_wanted() && connection->received_unacknowledged() != 0;
    });
  }
  // When acknowledge_due() is to be called at the latest.
  TimePoint next_deadline() const {
    TimePoint deadline = kNever;
    for (const DirectConnection* const connection : acknowledging_) {
      if (connection->received_unacknowledged() != 0)
        deadline = std::min(deadline, std::max(tables_.now, connection->owed.deadline()));
    }
    return deadline;
  }

  // epoll reports these events of the socket from now on.
  void watch_for(DirectConnection& connection, std::uint32_t events);
  // Connections with records that wait for room in the kernel. Valid until the next call.
  std::span<DirectConnection* const> waiting() const { return sending_; }

 private:
  bool pass_on(DirectConnection& connection);
  void begin_sending(DirectConnection& connection);
  [[gnu::cold]] void begin_waiting(DirectConnection& connection);
  [[gnu::cold]] void stop_sending(DirectConnection& connection);
  void acknowledge_received();

  DirectTables& tables_;
  ReservedList<DirectConnection*> sending_;  // see waiting()
  // Whose peers want to know what has arrived.
  ReservedList<DirectConnection*> acknowledging_;
  // When they are looked at. Those that a message has acknowledged stay in the list until then.
  TimePoint acknowledge_at_ = kNever;
};

}  // namespace lintel::transport
