#pragma once
// PeerDoorbells: the doorbells of a shared-memory transport: its own and those of the peers with
// which it exchanges messages.
//
// Owned by FabricTransport, only for the shared-memory provider; guarded by its owner's lock.
// Invariants:
//  (1) A peer has a doorbell here exactly while the provider has an address for it.
//  (2) Each incarnation of a peer gets its own address, because the provider cannot forget one:
//      1.17 never introduces itself again to a name that it has removed. So the memory of dead
//      incarnations stays mapped, and kMostAddresses bounds their number.

#include <optional>
#include <vector>

#include "base/clock.h"
#include "transport/address/address.h"
#include "transport/fabric/doorbell.h"
#include "transport/fabric/fabric_peer_table.h"
#include "transport/fabric/handles.h"

namespace lintel::transport {

class PeerDoorbells {
 public:
  // The provider's table is no larger, and 1.17 does not check it.
  static constexpr std::size_t kMostAddresses = 256;

  // Takes a name: the given one, or with kAnyPid the first free one, starting at the process id.
  // Removes what dead processes have left in shared memory. May block for some milliseconds while
  // another process removes what the last owner of the name left.
  static Result<PeerDoorbells> open(NodeId nid, Pid pid, std::uint32_t port_base);

  ProcessId self() const { return self_; }
  Doorbell& own_doorbell() { return own_; }
  Result<std::string> own_memory_name() const {
    return shared_memory_name_of(self_, own_.incarnation());
  }

  // Adds the peer to the provider if its process exists. False: it does not.
  bool add_to_provider(PeerId id, FabricPeer& peer, const OfiAddressVector& addresses);
  void ring(PeerId id);

  // Peers ring from now on when they post something, until wake_up(). See Doorbell.
  void fall_asleep() {
    if (!asleep_) own_.fall_asleep();
    asleep_ = true;
  }
  void wake_up() {
    if (asleep_) own_.wake_up();
    asleep_ = false;
  }

  // Checks from time to time whether the peers with a doorbell still run. A peer that has died is
  // failed and loses its address. True: there were some.
  bool fail_dead_peers(TimePoint now, FabricPeerTable& peers);

 private:
  explicit PeerDoorbells(ProcessId self, Doorbell own) : self_(self), own_(std::move(own)) {}

  ProcessId self_;
  Doorbell own_;
  bool asleep_ = false;
  std::vector<std::optional<PeerDoorbell>> doorbells_;  // by PeerId
  std::size_t known_ = 0;
  std::size_t addresses_added_ = 0;
  TimePoint next_look_{};
};

}  // namespace lintel::transport
