#pragma once
// SharedMemoryWrites: ends the writes that the shared-memory provider never ends.
//
// That provider keeps writes to a dead process, or into memory that is no longer registered,
// forever, or reports their end without saying which. In addition, 1.17 handles the answers to
// large writes in order: after one that never comes it sees no other. So when one write is lost, or
// none ends for a time, all end here, to whatever peer, and no more large ones are posted.
//
// Owned by FabricTransport; borrows the records of the operations and the peers. Guarded by its
// owner's lock. Used for that provider only; otherwise it changes nothing.

#include <cstddef>

#include "base/clock.h"
#include "transport/fabric/fabric_peer_table.h"
#include "transport/fabric/operation_table.h"
#include "transport/fabric/peer_doorbells.h"
#include "transport/transport.h"

namespace lintel::transport {

class SharedMemoryWrites {
 public:
  static constexpr Error kBlocked{
      Loss::kPeer, "fi_writedata",
      "the shared-memory provider is blocked by a large write that was never answered"};

  // `timeout`: the longest time in which no write ends while some are under way.
  SharedMemoryWrites(OperationTable& operations, FabricPeerTable& peers, Nanoseconds timeout)
      : operations_(operations), peers_(peers), timeout_(timeout) {}
  SharedMemoryWrites(const SharedMemoryWrites&) = delete;
  SharedMemoryWrites& operator=(const SharedMemoryWrites&) = delete;

  // No more writes that are larger than what is injected may be posted.
  bool blocked() const { return blocked_; }
  // A write has ended.
  void note_end(TimePoint now) { progress_ = now; }
  // Fails dead peers, ends operations to them, and ends all writes when none has ended in time.
  // Rings the targets of the others. `away`: how long poll() was not called, which does not count.
  // Returns the number of reports.
  std::size_t poll(TimePoint now, Nanoseconds away, PeerDoorbells& doorbells, Sink& sink);

 private:
  [[gnu::cold]] std::size_t end_lost_operations(Sink& sink);
  [[gnu::cold]] std::size_t fail_all(Sink& sink);
  [[gnu::cold]] bool is_lost(const FabricOperation& operation) const;
  void end_lost(FabricOperation& operation);
  void ring_targets(PeerDoorbells& doorbells);

  OperationTable& operations_;
  FabricPeerTable& peers_;
  Nanoseconds timeout_;
  bool blocked_ = false;  // a large write was never answered
  TimePoint progress_;    // the last time at which a write ended or none was under way
};

}  // namespace lintel::transport
