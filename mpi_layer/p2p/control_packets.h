#pragma once
// ControlPackets: sends control packets. Those for which the engine has no room wait here, for each
// peer in order.
//
// Owned by the messenger; the process' lock guards it. Borrows engine and pending work. Its record
// of a peer is Peer::controls.
// Invariant: of the packets for a peer other than CANCEL, at most most_waiting() wait. A peer that
// causes more does not read them, and is given up.
// Does not: receive control packets (DrivenParts::on_control does).

#include <algorithm>
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
    of_window_ = 4 * std::size_t{headers};
  }
  // A message that is being pulled is in the window no more, but the peer may still cancel it. So
  // each adds one packet to what may wait. Call begin_pull() when a message has matched whose rest
  // will be pulled, end_pull() when that has ended.
  static void begin_pull(Peer& peer) LINTEL_REQUIRES(kLock) {
    ControlRecord& record = peer.controls;
    record.most_pulls = std::max(record.most_pulls, ++record.pulls);
  }
  static void end_pull(Peer& peer) LINTEL_REQUIRES(kLock) { --peer.controls.pulls; }
  // The most packets that may wait for the peer while some do.
  std::size_t most_waiting(const Peer& peer) const LINTEL_REQUIRES(kLock) {
    return of_window_ + kOthers + peer.controls.most_pulls;
  }

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
  // PROTOACKs that no message has caused: those that say whether placement is accepted.
  static constexpr std::size_t kOthers = 64;

  bool try_send(const Peer& peer, const Control& control) LINTEL_REQUIRES(kLock);
  [[gnu::cold]] void wait(Peer& peer, const Control& control) LINTEL_REQUIRES(kLock);
  static void drop(Peer& peer) LINTEL_REQUIRES(kLock);

  EngineAccess& engine_;
  DeferredWork& deferred_work_;
  std::size_t of_window_ LINTEL_GUARDED_BY(kLock) = 0;   // packets that a window causes
  std::vector<Peer*> blocked_ LINTEL_GUARDED_BY(kLock);  // peers with waiting packets
};

}  // namespace lintel::mpi
