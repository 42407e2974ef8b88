#pragma once
// EagerPlacement: long messages that go whole, from the sender's buffer into that of the receive
// which is posted for them (the engine's parcels). Who receives says whether they are to
// (PlacementPolicy).
//
// Only answers go so: the first message to a process since the last one from it. Of more in a row
// each would have to wait until the one before has been seen to and a receive expects the next. As
// they go otherwise, many are taken in at once, which makes up for the copies.
//
// The key of such a message is its context, tag and number. A receive expects the next message of
// its source, whichever that is. So a key is right for one message or for none, and what has
// another comes by way of a copy. An expectation ends when the next message comes, before anything
// else is done with that: so no message lands where it would not have gone, or in a buffer that is
// the program's again.
//
// Owned by the messenger; the process' lock guards it. Borrows engine and control packets. Its
// record of a peer is Peer::placement.
// Invariants: (1) Peer::placement.expects is null or a receive that is posted.
// Does not: decide whether there is credit.

#include <algorithm>
#include <cstdint>

#include "mpi_layer/p2p/control_packets.h"
#include "mpi_layer/p2p/engine_access.h"
#include "mpi_layer/p2p/peer_table.h"

namespace lintel::mpi {

class EagerPlacement {
 public:
  // A shorter message is sooner copied than expected.
  static constexpr std::uint64_t kLeast = portals::TransferLimits::kLeastParcel;

  EagerPlacement(EngineAccess& engine, ControlPackets& controls)
      : engine_(engine), controls_(controls) {}
  EagerPlacement(const EagerPlacement&) = delete;
  EagerPlacement& operator=(const EagerPlacement&) = delete;

  // The longest message; 0: none goes so. Once, before messages.
  void set_limit(std::uint64_t limit) LINTEL_REQUIRES(kLock) { limit_ = limit; }

  // ---- As a sender
  // The next message to the peer goes so, if there is credit for it.
  bool suits(const Peer& peer, std::uint64_t length, std::uint32_t context) const
      LINTEL_REQUIRES(kLock) {
    const bool is_answer = !peer.numbers.answer_is_due() && peer.numbers.arrived() > 0;
    return peer.placement.peer_accepts && is_answer && may_be_placed(length, context);
  }
  // The peer has said whether long messages to it may go so.
  static void note_acceptance(Peer& peer, bool accepts) { peer.placement.peer_accepts = accepts; }
  // Sends `put`, the peer's next message. False: the engine has no room now; nothing has happened.
  bool try_put(const Peer& peer, const portals::RequestArguments& put) LINTEL_REQUIRES(kLock);

  // ---- As a receiver
  // A message was sent to the peer, or a receive was posted for it: the first receive that is
  // posted may expect the answer now.
  void note_change(Peer& peer) LINTEL_REQUIRES(kLock) {
    if (peer.placement.policy.enabled()) expect_next(peer);
  }
  // A message has come; Peer::numbers still say what was before it.
  void judge_arrival(Peer& peer, const portals::Event& arrival) LINTEL_REQUIRES(kLock);
  // Nothing lands in the receive's buffer, or any of the peer's, any more. False: its message is
  // landing there.
  bool forget(Peer& peer, const ReceiveRequest& receive) LINTEL_REQUIRES(kLock) {
    return peer.placement.expects != &receive || forget(peer);
  }
  bool forget(Peer& peer) LINTEL_REQUIRES(kLock);
  // The peer is lost: the engine has ended what it expected.
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
