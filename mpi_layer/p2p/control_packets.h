#pragma once
// ControlPackets: sends control packets. Those for which the engine has no room wait here, in
// order.
//
// Owned by the messenger; the process' lock guards it. Borrows engine and pending work.
// Does not: receive control packets (DrivenParts::on_control does).

#include <deque>
#include <utility>

#include "mpi_layer/p2p/deferred_work.h"
#include "mpi_layer/p2p/engine_access.h"
#include "mpi_layer/p2p/packet.h"
#include "mpi_layer/p2p/peer_table.h"

namespace lintel::mpi {

class ControlPackets {
 public:
  ControlPackets(EngineAccess& engine, DeferredWork& deferred_work)
      : engine_(engine), deferred_work_(deferred_work) {}
  ControlPackets(const ControlPackets&) = delete;
  ControlPackets& operator=(const ControlPackets&) = delete;

  // Sends it now, or later when the engine has room. No effect if the peer is lost.
  void send(Peer& peer, const Control& control) LINTEL_REQUIRES(kLock);
  // Sends PROTOACK, which also says whether the peer may send long messages by eager direct
  // placement. Empty credit is allowed: PeerWatch sends it to open a session.
  void send_credit(Peer& peer, const Credit& credit) LINTEL_REQUIRES(kLock);

  // Sends waiting packets until the engine has no more room.
  void retry() LINTEL_REQUIRES(kLock);
  // No packet waits.
  bool idle() const LINTEL_REQUIRES(kLock) { return waiting_.empty(); }

 private:
  bool try_send(const Peer& peer, const Control& control) LINTEL_REQUIRES(kLock);

  EngineAccess& engine_;
  DeferredWork& deferred_work_;
  std::deque<std::pair<Peer*, Control>> waiting_ LINTEL_GUARDED_BY(kLock);
};

}  // namespace lintel::mpi
