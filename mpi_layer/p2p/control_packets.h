#pragma once
// ControlPackets: sends control packets. Those for which the engine has no room wait here, for each
// peer in order.
//
// Owned by the messenger; the process' lock guards it. Borrows engine and pending work. Its record
// of a peer is Peer::controls.
// Invariant: of the packets that a peer has caused, at most most_caused() wait for it. Who causes
// more does not read them, and is given up.
// Does not: receive control packets (DrivenParts::on_control does).

#include <cstddef>
#include <cstdint>
#include <vector>

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

  // `headers`: of the window of a sender. A message of a peer causes at most SYNCACK, the answer to
  // a CANCEL and PROTOACK, and until the peer reads a PROTOACK it sends no more messages than fit
  // its window.
  void set_window(std::uint32_t headers) LINTEL_REQUIRES(kLock) {
    most_caused_ = 4 * std::size_t{headers} + kOthers;
  }
  std::size_t most_caused() const LINTEL_REQUIRES(kLock) { return most_caused_; }

  // Sends it now, or later when the engine has room. No effect if the peer is lost.
  void send(Peer& peer, const Control& control) LINTEL_REQUIRES(kLock);
  // Sends PROTOACK, which also says whether the peer may send long messages by eager direct
  // placement. Empty credit is allowed: PeerWatch sends it to open a session.
  void send_credit(Peer& peer, const Credit& credit) LINTEL_REQUIRES(kLock);

  // Sends waiting packets until the engine has no more room for them.
  void retry() LINTEL_REQUIRES(kLock);
  // No packet waits.
  bool idle() const LINTEL_REQUIRES(kLock) { return blocked_.empty(); }

 private:
  // Packets that no message has caused: those that say whether placement is accepted.
  static constexpr std::size_t kOthers = 64;

  bool try_send(const Peer& peer, const Control& control) LINTEL_REQUIRES(kLock);
  [[gnu::cold]] void wait(Peer& peer, const Control& control) LINTEL_REQUIRES(kLock);
  static void drop(Peer& peer) LINTEL_REQUIRES(kLock);

  EngineAccess& engine_;
  DeferredWork& deferred_work_;
  std::size_t most_caused_ LINTEL_GUARDED_BY(kLock) = kOthers;
  std::vector<Peer*> blocked_ LINTEL_GUARDED_BY(kLock);  // peers with waiting packets
};

}  // namespace lintel::mpi
