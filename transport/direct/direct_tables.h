#pragma once
// DirectTables: what the parts of a DirectTransport share: the records of its peers and of its
// connections, the memory that they use, the lists of connections with which poll() has something
// to do, the poll() under way, and the counters.
//
// Owned by a DirectTransport; guarded by its lock.
// Invariant: a connection is at most once in a list.
// Does not: decide anything.

#include <cstddef>
#include <cstdint>

#include "transport/contact/network_options.h"
#include "transport/direct/connection_records.h"
#include "transport/direct/direct_counters.h"
#include "transport/direct/direct_peers.h"
#include "transport/direct/ended_operations.h"
#include "transport/direct/left_messages.h"
#include "transport/direct/outbound_table.h"
#include "transport/direct/read_order.h"
#include "transport/direct/reserved_list.h"
#include "transport/direct/socket_events.h"
#include "transport/direct/stream_buffers.h"
#include "transport/direct/unexpected_memory.h"
#include "transport/direct/write_targets.h"
#include "transport/transport.h"

namespace lintel::transport {

struct DirectTables {
  // The largest message has `message_bytes` bytes.
  DirectTables(const NetworkOptions& network_options, std::size_t message_bytes);
  DirectTables(const DirectTables&) = delete;
  DirectTables& operator=(const DirectTables&) = delete;

  // Something waits, or may wait, for room in the kernel or for memory: poll() looks at it after a
  // quarter of the output timeout. Quarters are counted and time is not compared: if this process
  // was stopped for a while, its peers get their time.
  void check_for_stuck_peers() {
    if (stuck_check == kNever) stuck_check = now + options.output_timeout / kOutputQuarters;
  }
  // The connection is to be ended, by this poll() or the next one.
  void end_later(DirectConnection& connection) {
    ending.remove(&connection);
    ending.add(&connection);
  }
  // poll() has something to do at once: the sink is to be told of something, or a connection is to
  // be ended.
  bool has_work() const {
    return !left.empty() || !ended.empty() || !failed.empty() || !ending.empty();
  }

  const NetworkOptions options;
  SocketEvents events;
  StreamBuffers buffers;
  OutboundTable outbound;
  DirectPeers peers;
  WriteTargets targets;
  UnexpectedMemory unexpected;
  ConnectionRecords records;
  ReadOrder reading;
  DirectCounters counters;

  std::size_t open_count = 0;  // connections in phase kOpen
  // On which nothing can be sent any more, made or not; those that wait in `stalled` are not here.
  // What has arrived is read, then they end.
  ReservedList<DirectConnection*> ending;
  // Whose streams have more to deliver: stalled and paused ones.
  ReservedList<DirectConnection*> stalled;

  // What the sink is to be told of.
  EndedOperations ended;
  LeftMessages left;
  ReservedList<PeerId> failed;

  Sink* sink = nullptr;            // during poll()
  std::size_t reports = 0;         // of this poll()
  std::uint64_t polls = 0;         // so far
  TimePoint now{};                 // of the last poll()
  TimePoint stuck_check = kNever;  // never: nobody waits
  bool placement_enabled = false;
  bool closing = false;
};

}  // namespace lintel::transport
