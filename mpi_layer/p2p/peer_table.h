#pragma once
// PeerTable: the processes that a messenger talks to, by number, and the numbers by process.
//
// Owned by a messenger; its process' lock guards it. Peers are added and never go; they do not move.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/clock.h"
#include "base/ids.h"
#include "mpi_layer/p2p/parcel_habit.h"
#include "mpi_layer/p2p/request_list.h"

namespace lintel::mpi {

struct Credit {
  std::uint64_t bytes = 0;
  std::uint32_t headers = 0;
};

struct Peer {
  ProcessId process;
  std::int32_t number = 0;
  bool lost = false;
  bool outside =
      false;  // the gateway's: of the rest only these three mean something: `active`; `sequence`, of what was delivered for it; and
  std::uint32_t delivered = 0;  // how much of that has not been matched
  bool credit_due = false;      // it is in the messenger's list of those to be given some
  bool blocked = false;         // it is in the messenger's list of those with a backlog

  // As sender to it.
  Credit credit;                          // what it may still be sent ahead
  std::uint64_t sequence = 0;             // of the last message to it
  std::uint64_t sent_before_arrival = 0;  // of the last message to it before the last one from it arrived
  RequestList backlog;                    // sends that wait for credit or room, in order
  bool takes_parcels = false;             // it has said so last
  // As receiver from it.
  std::uint64_t arrived = 0;  // sequence number of the last message from it; 0: none yet
  bool gap_told = false;
  Credit owed;  // what has been matched since credit was given last
  ParcelHabit habit;
  Request* landing = nullptr;  // a parcel is expected in its buffer
  // Sends to it and receives from it that its death ends; its death is watched for as long as there are any, or a backlog.
  RequestList active;
  std::uint32_t watchers = 0;
  // Somebody waits for a message of it.
  bool probed = false;              // in vain, by a probe that does not block: watched until one arrives
  bool greeted = false;             // it is this process itself, or was told something so that there is a session
  bool stranger = false;            // it is in the messenger's list of those
  TimePoint sought_since = kNever;  // since before there was any contact
  // The last message between the two is one to it, or there was none. An answer is what comes then.
  bool answer_is_due() const { return sequence != sent_before_arrival; }
  // A session with it has begun: the transport tells of its end.
  bool met() const { return sequence > 0 || arrived > 0 || greeted || outside; }
};

class PeerTable {
 public:
  // REQUIRES: the process is not in the table.
  Peer& add(ProcessId process);
  std::size_t size() const { return peers_.size(); }
  // Null if there is no such number.
  Peer* at(std::int32_t number) {
    return number >= 0 && static_cast<std::size_t>(number) < peers_.size() ? peers_[static_cast<std::size_t>(number)].get() : nullptr;
  }
  // Null for a stranger.
  Peer* find(ProcessId process) { return last_found_ != nullptr && last_found_->process == process ? last_found_ : search(process); }

  template <class Visit>
  void for_each(Visit&& visit) {
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
