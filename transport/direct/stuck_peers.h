#pragma once
// StuckPeers: gives up peers of a DirectTransport that do not read what is sent to them, or that
// have begun a payload and do not end it while others wait for the memory.
//
// A part of a DirectTransport; guarded by its lock. Borrows the parts that it is given.
// Does not: notice peers that say nothing and have nothing under way; the session does.

#include "transport/direct/direct_connections.h"
#include "transport/direct/direct_sender.h"
#include "transport/direct/direct_tables.h"

namespace lintel::transport {

class StuckPeers {
 public:
  // Borrows them.
  StuckPeers(DirectTables& tables, DirectSender& sender, DirectConnections& connections)
      : tables_(tables), sender_(sender), connections_(connections) {}
  StuckPeers(const StuckPeers&) = delete;
  StuckPeers& operator=(const StuckPeers&) = delete;

  // Gives up those that are due. REQUIRES: in poll().
  void end_overdue() {
    if (tables_.stuck_check <= tables_.now) end_stuck_peers();
  }

 private:
  [[gnu::cold]] void end_stuck_peers();
  [[gnu::cold]] void make_room_for_payloads();
  [[gnu::cold]] void end_stuck_peer(DirectConnection& connection, Error error);

  DirectTables& tables_;
  DirectSender& sender_;
  DirectConnections& connections_;
};

}  // namespace lintel::transport
