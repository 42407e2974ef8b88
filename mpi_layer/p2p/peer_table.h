#pragma once
// PeerTable: the processes that a messenger knows. It maps number to process and process to number.
//
// Owned by a messenger; its process' lock guards it. Peers are never removed and do not move.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/ids.h"
#include "base/process_lock.h"
#include "mpi_layer/p2p/control_record.h"
#include "mpi_layer/p2p/credit.h"
#include "mpi_layer/p2p/message_numbers.h"
#include "mpi_layer/p2p/placement_record.h"
#include "mpi_layer/p2p/request_list.h"
#include "mpi_layer/p2p/watch_record.h"

namespace lintel::mpi {

// One process, with a record for each part of the messenger. Only that part uses the record.
struct Peer {
  ProcessId process;
  std::int32_t number = 0;
  bool lost = false;
  bool outside = false;  // of another job; uses only `numbers`, `delivered` and the lists
  MessageNumbers numbers;

  CreditAccount credit;         // CreditLedger
  ControlRecord controls;       // ControlPackets
  PlacementRecord placement;    // EagerPlacement
  WatchRecord watch;            // PeerWatch
  std::uint32_t delivered = 0;  // outside: unmatched messages from it
  struct {
    SendList backlog;      // they wait for credit or room, in order
    SendList under_way;    // they have left, and an event or packet will end them
    bool blocked = false;  // the peer is in Sends::blocked_
  } sends;
  struct {
    ReceiveList under_way;  // posted for the peer, or pulling from it
    ReceiveList unpulled;   // their pulls wait for room, in order
    bool blocked = false;   // the peer is in Receives::blocked_
    bool gap_logged = false;
  } receives;

  // A session with it exists or existed, so the transport reports its loss.
  bool has_session() const { return numbers.any() || watch.contacted || outside; }
};

class PeerTable {
 public:
  // REQUIRES: the process is not in the table.
  Peer& add(ProcessId process) LINTEL_REQUIRES(kLock);
  std::size_t size() const LINTEL_REQUIRES(kLock) { return peers_.size(); }
  // Null if there is no such number.
  Peer* at(std::int32_t number) LINTEL_REQUIRES(kLock) {
    return number >= 0 && static_cast<std::size_t>(number) < peers_.size()
               ? peers_[static_cast<std::size_t>(number)].get()
               : nullptr;
  }
  // Null if the process is not in the table.
  Peer* find(ProcessId process) LINTEL_REQUIRES(kLock) {
    return last_found_ != nullptr && last_found_->process == process ? last_found_
                                                                     : search(process);
  }

  template <class Visit>
  void for_each(Visit&& visit) LINTEL_REQUIRES(kLock) {
    for (const std::unique_ptr<Peer>& peer : peers_) visit(*peer);
  }

 private:
  // Open addressing, at most half full; a slot holds a number + 1, or 0.
  Peer* search(ProcessId process) LINTEL_REQUIRES(kLock);
  void enter(std::uint32_t number) LINTEL_REQUIRES(kLock);
  void grow() LINTEL_REQUIRES(kLock);

  std::vector<std::unique_ptr<Peer>> peers_ LINTEL_GUARDED_BY(kLock);
  std::vector<std::uint32_t> slots_ LINTEL_GUARDED_BY(kLock);
  std::uint32_t mask_ LINTEL_GUARDED_BY(kLock) = 0;
  // successive messages are often from one process
  Peer* last_found_ LINTEL_GUARDED_BY(kLock) = nullptr;
};

}  // namespace lintel::mpi
