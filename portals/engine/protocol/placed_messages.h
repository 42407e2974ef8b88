#pragma once
// PlacedMessages: puts whose data are neither copied nor announced by a message before them: they
// are written to the memory in which they are expected. On the wire a placed message is a put that
// announces its data, and the data follow directly. This is the target's side;
// Initiator::put_placed sends them.
//
// Owned by the Endpoint; borrows its transport and its peers. Guarded by the process' lock. What is
// expected is the transport's state.
// Does not: handle the put when it arrives (endpoint_dispatch.cpp).

#include "base/process_lock.h"
#include "portals/engine/interface/network_interface.h"
#include "portals/engine/protocol/peers.h"
#include "transport/transport.h"

namespace lintel::portals {

class PlacedMessages {
 public:
  PlacedMessages(transport::Transport& transport, Peers& peers)
      : transport_(transport), peers_(peers) {}

  // From now on peers may send some.
  void enable() LINTEL_REQUIRES(kLock) { transport_.enable_placement(); }
  // The data of the placed message with that key from `source` are to be written to the memory of
  // `entry`. False: not possible now, or another entry would match first; they are then copied.
  // REQUIRES: of all puts of that source, only the one that this entry matches has this key, and
  // withdraw() comes before any other use of the entry's memory.
  bool expect(NetworkInterface& interface, SlotId entry, ProcessId source,
              transport::PlacementKey key) LINTEL_REQUIRES(kLock);
  // Nothing is written there any more. After kArriving the put follows, or the loss of the peer.
  transport::Withdrawal withdraw(ProcessId source) LINTEL_REQUIRES(kLock);

 private:
  transport::Transport& transport_;
  Peers& peers_;
};

}  // namespace lintel::portals
