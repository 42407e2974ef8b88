#pragma once
// Neighbours: the doorbells of a shared-memory transport, its own and those of the peers that it
// talks to.
//
// Owned by FabricTransport, present only for the shared-memory provider; under its owner's lock.
// Invariants: (1) a peer has a bell here exactly while the provider knows an address for it; (2)
//             each incarnation of a peer gets an address of its own: the provider cannot forget one
//             (1.17 never introduces itself again to a name that it has removed), so the memory of
//             dead incarnations stays mapped, and their number is bounded by kMostIntroductions.

#include <optional>
#include <vector>

#include "base/clock.h"
#include "transport/address/address.h"
#include "transport/fabric/doorbell.h"
#include "transport/fabric/handles.h"
#include "transport/fabric/peer_table.h"

namespace lintel::transport {

class Neighbours {
 public:
  // the provider's table is no larger, and 1.17 does not check
  static constexpr std::size_t kMostIntroductions = 256;

  // Takes a name: this one, or with kAnyPid the first free one from the process id on. Clears away
  // what dead processes have left in shared memory. May block for some milliseconds when another
  // process is just clearing away what the last holder of the name left.
  static Result<Neighbours> open(NodeId nid, Pid pid, std::uint32_t port_base);

  ProcessId self() const { return self_; }
  Doorbell& own_bell() { return own_; }
  Result<std::string> own_memory_name() const {
    return shared_memory_name_of(self_, own_.incarnation());
  }

  // Makes the peer known to the provider if its process is there. False: it is not.
  bool introduce(PeerId id, FabricPeer& peer, const AddressVector& addresses);
  void ring(PeerId id);

  // Looks from time to time after all neighbours that have a bell; each that has died since is
  // failed and loses its address. True: some have.
  bool look_after(TimePoint now, PeerTable& peers);
  bool has_any() const { return known_ > 0; }

 private:
  explicit Neighbours(ProcessId self, Doorbell own) : self_(self), own_(std::move(own)) {}

  ProcessId self_;
  Doorbell own_;
  std::vector<std::optional<PeerDoorbell>> bells_;  // by PeerId
  std::size_t known_ = 0;
  std::size_t introductions_ = 0;
  TimePoint next_look_{};
};

}  // namespace lintel::transport
