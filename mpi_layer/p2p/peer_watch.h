#pragma once
// PeerWatch: tells the engine which peers to watch, and opens sessions with peers that have none.
//
// A peer is watched while requests or probes name it. The death of a process without a session is
// not noticed. Therefore a wait for a message of such a peer sends it empty credit after some time,
// which opens a session.
//
// Owned by the messenger; the process' lock guards it. Borrows engine, peers and control packets.
// Its record of a peer is Peer::watch.
// Invariants: (1) the engine watches a peer exactly while its record has watchers.
// Does not: handle losses (DrivenParts::on_peer_lost does).

#include <cstdint>
#include <span>
#include <vector>

#include "mpi_layer/p2p/control_packets.h"
#include "mpi_layer/p2p/engine_access.h"
#include "mpi_layer/p2p/peer_table.h"

namespace lintel::mpi {

class PeerWatch {
 public:
  // `contact_after`: how long a wait lasts until it opens a session. `any_counts`: all receives
  // count as waited for, and the user calls contact_all_due().
  PeerWatch(EngineAccess& engine, PeerTable& peers, ControlPackets& controls,
            Nanoseconds contact_after, bool any_counts)
      : engine_(engine),
        peers_(peers),
        controls_(controls),
        contact_after_(contact_after),
        any_counts_(any_counts) {}
  PeerWatch(const PeerWatch&) = delete;
  PeerWatch& operator=(const PeerWatch&) = delete;

  // Initialises the record of a new peer.
  void open(Peer& peer) LINTEL_REQUIRES(kLock) {
    peer.watch.contacted = peer.process == engine_.self();
  }
  // Calls nest. No effect for an outside peer, which the gateway watches.
  void watch(Peer& peer) LINTEL_REQUIRES(kLock);
  void unwatch(Peer& peer) LINTEL_REQUIRES(kLock);
  // Watches on behalf of a request. Further calls for this request have no effect. The watch ends
  // with the request.
  void watch(MessageRequest& request, Peer& peer) LINTEL_REQUIRES(kLock);
  void unwatch(MessageRequest& request) LINTEL_REQUIRES(kLock);
  // Watches the source of a probe that has found nothing, until a message of it arrives.
  void watch_probed(Peer& source) LINTEL_REQUIRES(kLock);
  void note_arrival(Peer& source) LINTEL_REQUIRES(kLock) {
    if (source.watch.probed) end_probed(source);
  }
  // Ends all watches, because the interface is about to be closed.
  void release_all() LINTEL_REQUIRES(kLock);

  // A caller still waits for a message of the peer, or for a receive. Opens a session if there is
  // none and the wait has lasted long enough. True: there is no session yet, so call it again at
  // next_contact().
  bool contact_if_due(Peer& peer) LINTEL_REQUIRES(kLock);
  bool contact_if_due(const MessageRequest& request) LINTEL_REQUIRES(kLock);
  bool contact_if_due(std::span<MessageRequest* const> requests) LINTEL_REQUIRES(kLock);
  // The same for all watched peers without a session. REQUIRES: `any_counts`.
  void contact_all_due() LINTEL_REQUIRES(kLock);
  // When a wait is to call contact_if_due() again.
  TimePoint next_contact() const { return engine_.now() + contact_after_; }

 private:
  void end_probed(Peer& source) LINTEL_REQUIRES(kLock);
  void contact(Peer& peer) LINTEL_REQUIRES(kLock);

  EngineAccess& engine_;
  PeerTable& peers_;
  ControlPackets& controls_;
  const Nanoseconds contact_after_;
  const bool any_counts_;
  std::vector<Peer*> without_session_
      LINTEL_GUARDED_BY(kLock);  // without a session when first watched
  TimePoint without_session_since_ LINTEL_GUARDED_BY(kLock) = kNever;  // when they were first seen
};

}  // namespace lintel::mpi
