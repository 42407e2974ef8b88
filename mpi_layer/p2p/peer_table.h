#pragma once
// PeerTable: the processes that a messenger talks to, by number, and the numbers by process.
//
// Owned by a messenger; its process' lock guards it. Peers are added and never go; they do not
// move.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/ids.h"
#include "mpi_layer/p2p/credit.h"
#include "mpi_layer/p2p/message_numbers.h"
#include "mpi_layer/p2p/placement_record.h"
#include "mpi_layer/p2p/process_lock.h"
#include "mpi_layer/p2p/request_list.h"
#include "mpi_layer/p2p/watch_record.h"

namespace lintel::mpi {

// One process, with what each part of the messenger keeps for it. A record is its part's alone.
struct Peer {
  ProcessId process;
  std::int32_t number = 0;
  bool lost = false;
  bool outside = false;  // the gateway's; of the rest its lists, numbers and `delivered` are used
  MessageNumbers numbers;

  CreditAccount credit;         // CreditLedger
  PlacementRecord placement;    // EagerPlacement
  WatchRecord watch;            // PeerWatch
  std::uint32_t delivered = 0;  // outside: messages from it that are not matched
  struct {
    SendList backlog;      // wait for credit or room, in order
    SendList under_way;    // have left, and something will end them
    bool blocked = false;  // it is in the list of peers with a backlog
  } sends;
  struct {
    ReceiveList under_way;  // posted for it, or pulling from it
    bool gap_told = false;
  } receives;

  // A session with it has begun: the transport tells of its end.
  bool met() const { return numbers.any() || watch.greeted || outside; }
};

class PeerTable {
 public:
  // REQUIRES: the process is not in the table.
  Peer& add(ProcessId process);
  std::size_t size() const { return peers_.size(); }
  // Null if there is no such number.
  Peer* at(std::int32_t number) {
    return number >= 0 && static_cast<std::size_t>(number) < peers_.size()
               ? peers_[static_cast<std::size_t>(number)].get()
               : nullptr;
  }
  // Null for a stranger.
  Peer* find(ProcessId process) {
    return last_found_ != nullptr && last_found_->process == process ? last_found_
                                                                     : search(process);
  }

  template <class Visit>
  void for_each(Visit&& visit) LINTEL_REQUIRES(kLock) {
    for (const std::unique_ptr<Peer>& peer : peers_) visit(*peer);
  }

 private:
  // Open addressing, at most half full; a slot holds a number + 1, or 0.
  Peer* search(ProcessId process);
  void enter(std::uint32_t number);
  void grow();

  std::vector<std::unique_ptr<Peer>> peers_;
  std::vector<std::uint32_t> slots_;
  std::uint32_t mask_ = 0;
  Peer* last_found_ = nullptr;  // messages of one process often come in a row
};

}  // namespace lintel::mpi
