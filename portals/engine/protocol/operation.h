#pragma once
// Operation: one operation under way with one peer: the token that the peer echoes, and its parts.
//
// Owned by Operations. Its parts belong to the class that made them: the PendingRequest to
// Initiator, TransferSource and TransferSink to Transfers. It exists as long as it has a part.
// Guarded by the process' lock.
//
// PendingRequest at the initiator, from the call until ACK, REPLY or DISCARD has come and its data
// have moved. TransferSource where data leave by writes: a large put at its initiator, a large
// reply at its target. TransferSink where data land by writes: a large put at its target, a large
// reply or a get that has sent a CLEAR along at its initiator.

#include <boost/intrusive/list_hook.hpp>
#include <cstddef>
#include <cstdint>

#include "base/slot_pool.h"
#include "transport/transport.h"

namespace lintel::portals {

struct PendingRequest;
struct TransferSource;
struct TransferSink;

struct Operation {
  Operation(transport::PeerId p, std::uint8_t kind, bool ours)
      : peer(p), interface_kind(kind), own(ours) {}

  transport::PeerId peer;
  std::uint8_t interface_kind;
  bool own;            // a request of this process began it, not a request that arrived
  bool asked = false;  // of an own one: the request has left, or waits only for room
  // of an own one: what its answer costs the peer that keeps it, see Operations
  std::size_t answer_bytes = 0;
  // bytes beside its place, see Operations::keep(); 0 of an own one
  std::size_t memory = 0;
  SlotId id;
  PendingRequest* request = nullptr;
  TransferSource* source = nullptr;
  TransferSink* sink = nullptr;
  boost::intrusive::list_member_hook<> peer_link;

  bool is_bare() const { return request == nullptr && source == nullptr && sink == nullptr; }
};

}  // namespace lintel::portals
