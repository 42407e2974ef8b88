#pragma once
// DirectReceiver: reads what has arrived on connections of a DirectTransport, and delivers it to
// the sink of the poll() under way.
//
// A stream keeps the beginning of a piece in a buffer until the rest has come. So many connections
// may do so at once; on a further one, what has arrived is looked at, what is dealt with is taken
// out of the kernel, and a beginning stays there. The kernel reports the connection again when the
// piece is whole.
//
// A part of a DirectTransport; guarded by its lock. Borrows the parts that it is given, and
// connections while they have streams.
// Does not: choose which sockets are read.

#include <algorithm>
#include <cstddef>

#include "transport/direct/direct_connections.h"
#include "transport/direct/direct_sender.h"
#include "transport/direct/direct_tables.h"
#include "transport/direct/reserved_list.h"

namespace lintel::transport {

class DirectReceiver {
 public:
  // Borrows them.
  DirectReceiver(DirectTables& tables, DirectSender& sender, DirectConnections& connections)
      : tables_(tables), sender_(sender), connections_(connections) {}
  DirectReceiver(const DirectReceiver&) = delete;
  DirectReceiver& operator=(const DirectReceiver&) = delete;

  // Room for so many connections. Throws std::bad_alloc.
  void reserve(std::size_t connections) { resuming_.reserve(connections); }

  // Each of the three may end the connection, and by a call of the sink any other one. REQUIRES: in
  // poll().

  // Reads what has arrived. True: there may be more. A new connection of a peer that was lost is
  // read after the loss has been reported. REQUIRES: the connection is open.
  bool receive(DirectConnection& connection);
  // Reads what has arrived on a connection that ends. REQUIRES: the connection is open.
  [[gnu::cold]] void receive_last(DirectConnection& connection);
  // Goes on with those of DirectTables::stalled that can. Returns whether a stream had paused.
  bool resume_stalled();

  // resume_stalled() would deliver something.
  bool can_resume_stalled() const {
    return std::ranges::any_of(tables_.stalled, [this](const DirectConnection* connection) {
      return may_resume(*connection);
    });
  }

 private:
  bool leaves_beginnings(const DirectConnection& connection) const;
  [[gnu::cold]] bool take_out_of_kernel(DirectConnection& connection, std::size_t looked_at);
  void wait_for_bytes(DirectConnection& connection, std::size_t bytes);
  void deliver_later(DirectConnection& connection);
  bool may_resume(const DirectConnection& connection) const;
  bool may_go_on(const DirectConnection& connection) const;
  [[gnu::cold]] void broken_stream(DirectConnection& connection);

  DirectTables& tables_;
  DirectSender& sender_;
  DirectConnections& connections_;
  ReservedList<DirectConnection*> resuming_;  // by resume_stalled()
};

}  // namespace lintel::transport
