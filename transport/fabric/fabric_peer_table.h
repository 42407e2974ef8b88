#pragma once
// FabricPeerTable: what a FabricTransport knows about each peer, and which peers accept nothing.
//
// libfabric's TCP providers never report that nothing listens at an address: every post answers
// "try again". So a peer that was tried and has accepted nothing for the connect timeout is
// reported as lost here (ConnectAttempts).
//
// Owned by FabricTransport; guarded by its owner's lock.
// Invariants: (1) ids are dense; an id is reused only after remove(); (2) a peer's epoch grows by
// one each time it is lost, disconnected or removed: completions of an earlier epoch do not count
// for the present one; (3) only add() needs memory.

#include <rdma/fabric.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <unordered_map>
#include <vector>

#include "base/clock.h"
#include "base/ids.h"
#include "transport/contact/connect_attempts.h"
#include "transport/contact/reusable_ids.h"
#include "transport/contact/send_share.h"
#include "transport/fabric/handles.h"
#include "transport/transport.h"

namespace lintel::transport {

struct FabricOperation;

struct FabricPeer {
  ProcessId name;
  fi_addr_t address = FI_ADDR_NOTAVAIL;  // FI_ADDR_NOTAVAIL: not added to the provider yet
  std::uint32_t epoch = 0;
  SendShare sends;  // what it holds of the transport's operations
  SendShare writes;
  std::uint32_t in_flight = 0;       // operations of the present epoch that the provider has
  std::uint32_t under_way = 0;       // of all epochs
  bool reached = false;              // the peer has accepted something in the present epoch
  bool failed = false;               // lost; reported by the next poll()
  bool unwanted = false;             // the owner does not use the id any more
  bool address_used_before = false;  // the address was that of a peer that was removed
  FabricOperation* placed_receive = nullptr;  // for the placed message that is expected of the peer
  Error failure;
  // Waiting: posts are answered with "try again", and the peer counts as not reached.
  ConnectAttempt attempt;

  // Whether the id or the address may still come up.
  bool in_use() const {
    return under_way > 0 || sends.held > 0 || writes.held > 0 || placed_receive != nullptr ||
           failed || attempt.waiting;
  }
};

class FabricPeerTable {
 public:
  FabricPeerTable(Nanoseconds connect_timeout, bool idle_refusal_means_absent)
      : attempts_(connect_timeout), idle_refusal_means_absent_(idle_refusal_means_absent) {}

  PeerId find(ProcessId name) const;  // kNoPeer: unknown
  PeerId add(ProcessId name, fi_addr_t address);
  FabricPeer& at(PeerId peer) { return peers_[peer.value]; }
  const FabricPeer& at(PeerId peer) const { return peers_[peer.value]; }
  // Forgets a peer that is not in use. Its id, and its address, may then be given to another.
  void remove(PeerId id);
  // Forgets a peer that is unwanted, if it is not in use. Its address is removed from `addresses`.
  // Null: the provider cannot forget addresses, so a peer that has one stays.
  [[gnu::cold]] void drop_unwanted(PeerId id, const OfiAddressVector* addresses);
  std::size_t size() const { return ids_.size(); }
  // How many addresses of the provider were in use at the same time.
  std::uint64_t most_addresses() const { return first_new_address_; }

  // Whether to try a post now, see ConnectAttempts.
  bool may_try(FabricPeer& peer, TimePoint now) const {
    return attempts_.may_try(peer.attempt, now);
  }
  void accepted(FabricPeer& peer);
  [[gnu::cold]] void refused(PeerId id, TimePoint now);

  // Marks the peer as lost and ends its epoch. The next report_failures() tells the sink.
  [[gnu::cold]] void fail(PeerId id, Error error);

  // Ends the peer's epoch and all attempts to reach it, and cancels a report that is due.
  [[gnu::cold]] void disconnect(PeerId id);

  // Whether report_failures() has anything to do.
  bool must_report() const { return !attempts_.none() || !failed_.empty(); }
  // Fails the peers that were tried for too long, then reports each lost peer once. Returns the
  // number of reports.
  [[gnu::cold]] std::size_t report_failures(TimePoint now, Sink& sink);

  // When to call report_failures() next for a peer that is tried; kNever if there is none.
  TimePoint next_deadline(TimePoint now) const { return attempts_.next_deadline(now); }

 private:
  void end_epoch(FabricPeer& peer);

  ConnectAttempts attempts_;
  // A refusal while nothing is in flight means that there is no connection.
  bool idle_refusal_means_absent_;
  std::deque<FabricPeer> peers_;
  std::unordered_map<ProcessId, PeerId> ids_;
  std::vector<PeerId> failed_;
  ReusableIds reusable_;             // of peers_
  fi_addr_t first_new_address_ = 0;  // all that were given are below it
};

}  // namespace lintel::transport
