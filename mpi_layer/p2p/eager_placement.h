#pragma once
// EagerPlacement: long messages that are sent whole, from the sender's buffer directly into the
// buffer of the receive that is posted for them (the engine's placed messages). The receiver
// decides whether a sender may do so (PlacementPolicy).
//
// Only answers are placed: the first message to a process since the last message from it. In a
// stream, each placed message would have to wait until the one before is handled and a receive
// expects the next one. Without placement, the receiver handles many messages of a stream at once,
// which saves more than the copies cost.
//
// The key of a placed message is its context, tag and sequence number. A receive expects the next
// message of its source. Therefore a key fits at most one message, and a message with another key
// is copied. When the next message of the source arrives, the expectation ends before the message
// is handled. Therefore a message never lands in a buffer that matching would not have chosen, or
// in one that belongs to the program again.
//
// Owned by the messenger; the process' lock guards it. Borrows engine and control packets. Its
// record of a peer is Peer::placement.
// Invariants: (1) Peer::placement.expects is null or a posted receive.
// Does not: check credit. Sends does.

#include <algorithm>
#include <cstdint>

#include "mpi_layer/p2p/control_packets.h"
#include "mpi_layer/p2p/engine_access.h"
#include "mpi_layer/p2p/peer_table.h"

namespace lintel::mpi {

class EagerPlacement {
 public:
  // To copy a shorter message costs less than to expect it.
  static constexpr std::uint64_t kLeast = portals::TransferLimits::kLeastPlaced;

  EagerPlacement(EngineAccess& engine, ControlPackets& controls)
      : engine_(engine), controls_(controls) {}
  EagerPlacement(const EagerPlacement&) = delete;
  EagerPlacement& operator=(const EagerPlacement&) = delete;

  // The longest message that is placed; 0: none. Call it once, before the first message.
  void set_limit(std::uint64_t limit) LINTEL_REQUIRES(kLock) { limit_ = limit; }

  // ---- As a sender
  // The next message to the peer is to be placed if there is credit for it.
  bool suits(const Peer& peer, std::uint64_t length, std::uint32_t context) const
      LINTEL_REQUIRES(kLock) {
    const bool is_answer = !peer.numbers.answer_is_due() && peer.numbers.arrived() > 0;
    return peer.placement.peer_accepts && is_answer && may_be_placed(length, context);
  }
  // The peer has said whether long messages to it may be placed.
  static void note_acceptance(Peer& peer, bool accepts) { peer.placement.peer_accepts = accepts; }
  // Sends `put`, the next message to the peer. False: the engine has no room now, and nothing has
  // changed.
  bool try_put(const Peer& peer, const portals::RequestArguments& put) LINTEL_REQUIRES(kLock);

  // ---- As a receiver
  // A message was sent to the peer, or a receive was posted for one of its messages. The first
  // posted receive may expect the answer from now on.
  void note_change(Peer& peer) LINTEL_REQUIRES(kLock) {
    if (peer.placement.policy.enabled()) expect_next(peer);
  }
  // A message has arrived. Call it before Peer::numbers counts that message.
  void judge_arrival(Peer& peer, const portals::Event& arrival) LINTEL_REQUIRES(kLock);
  // Ends the expectation for this receive, or for any receive of the peer. True: nothing is written
  // to the buffer any more. False: a message is arriving in it.
  bool forget(Peer& peer, const ReceiveRequest& receive) LINTEL_REQUIRES(kLock) {
    return peer.placement.expects != &receive || forget(peer);
  }
  bool forget(Peer& peer) LINTEL_REQUIRES(kLock);
  // The peer is lost. The engine has already ended the expectation.
  static void drop(Peer& peer) { peer.placement.expects = nullptr; }

 private:
  bool may_be_placed(std::uint64_t length, std::uint32_t context) const LINTEL_REQUIRES(kLock);
  bool may_expect(const ReceiveRequest& receive) const LINTEL_REQUIRES(kLock);
  void expect_next(Peer& peer) LINTEL_REQUIRES(kLock);

  EngineAccess& engine_;
  ControlPackets& controls_;
  std::uint64_t limit_ LINTEL_GUARDED_BY(kLock) = 0;
};

}  // namespace lintel::mpi
