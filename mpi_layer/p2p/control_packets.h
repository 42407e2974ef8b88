#pragma once
// ControlPackets: sends the packets that are no messages. Those that find no room in the engine
// wait here, in order.
//
// Owned by the messenger; the process' lock guards it. Borrows engine and chores.
// Does not: take control packets in (DrivenParts::on_control).

#include <deque>
#include <utility>

#include "mpi_layer/p2p/chores.h"
#include "mpi_layer/p2p/engine_access.h"
#include "mpi_layer/p2p/packet.h"
#include "mpi_layer/p2p/peer_table.h"

namespace lintel::mpi {

class ControlPackets {
 public:
  ControlPackets(EngineAccess& engine, Chores& chores) : engine_(engine), chores_(chores) {}
  ControlPackets(const ControlPackets&) = delete;
  ControlPackets& operator=(const ControlPackets&) = delete;

  // Sends it now or when there is room. Of a lost peer: no effect.
  void tell(Peer& peer, const Control& control) LINTEL_REQUIRES(kLock);
  // PROTOACK, which says too whether the peer's long messages may go placed. Credit of nothing
  // changes nothing: it greets.
  void tell_credit(Peer& peer, const Credit& credit) LINTEL_REQUIRES(kLock);

  // Sends what has waited, as far as there is room.
  void retry() LINTEL_REQUIRES(kLock);
  // None waits.
  bool quiet() const LINTEL_REQUIRES(kLock) { return waiting_.empty(); }

 private:
  bool try_tell(const Peer& peer, const Control& control) LINTEL_REQUIRES(kLock);

  EngineAccess& engine_;
  Chores& chores_;
  std::deque<std::pair<Peer*, Control>> waiting_ LINTEL_GUARDED_BY(kLock);
};

}  // namespace lintel::mpi
