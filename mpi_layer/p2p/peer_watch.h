#pragma once
// PeerWatch: which peers' deaths are to be noticed, and contact with those that were never met.
//
// A peer is watched while requests or probes name it. Nothing tells of the death of a process that
// there is no session with. So who has waited for such a peer's message for a while greets it,
// which begins a session.
//
// Owned by the messenger; the process' lock guards it. Borrows engine, peers and control packets.
// Its record of a peer is Peer::watch.
// Invariants: (1) the engine watches a peer exactly while its record has watchers.
// Does not: hear of deaths (DrivenParts::on_peer_lost).

#include <cstdint>
#include <span>
#include <vector>

#include "mpi_layer/p2p/control_packets.h"
#include "mpi_layer/p2p/engine_access.h"
#include "mpi_layer/p2p/peer_table.h"

namespace lintel::mpi {

class PeerWatch {
 public:
  // `contact_after`: how long a wait lasts until its peer is greeted. `any_counts`: all requests
  // count as waited for, and strangers are to be sought by seek_strangers().
  PeerWatch(EngineAccess& engine, PeerTable& peers, ControlPackets& controls,
            Nanoseconds contact_after, bool any_counts)
      : engine_(engine),
        peers_(peers),
        controls_(controls),
        contact_after_(contact_after),
        any_counts_(any_counts) {}
  PeerWatch(const PeerWatch&) = delete;
  PeerWatch& operator=(const PeerWatch&) = delete;

  // The peer is new.
  void open(Peer& peer) LINTEL_REQUIRES(kLock) {
    peer.watch.greeted = peer.process == engine_.self();
  }
  // Calls nest. Of a peer outside: no effect, the gateway knows.
  void watch(Peer& peer) LINTEL_REQUIRES(kLock);
  void unwatch(Peer& peer) LINTEL_REQUIRES(kLock);
  // On account of a request, of which further calls have no effect. It ends when the request does.
  void watch(Request& request, Peer& peer) LINTEL_REQUIRES(kLock);
  void unwatch(Request& request) LINTEL_REQUIRES(kLock);
  // Of a source by a probe that has found nothing, until a message of it arrives.
  void watch_probed(Peer& source) LINTEL_REQUIRES(kLock);
  void note_arrival(Peer& source) LINTEL_REQUIRES(kLock) {
    if (source.watch.probed) end_probed(source);
  }
  // The interface ends: nobody is watched any more.
  void release_all() LINTEL_REQUIRES(kLock);

  // Somebody waits for a message of the peer, or for the receive's message, in vain so far. True:
  // the peer was not met yet, and is to be sought again.
  bool seek(Peer& peer) LINTEL_REQUIRES(kLock);
  bool seek(const Request& request) LINTEL_REQUIRES(kLock);
  bool seek(std::span<Request* const> requests) LINTEL_REQUIRES(kLock);
  // All that were not met and are watched. REQUIRES: `any_counts`.
  void seek_strangers() LINTEL_REQUIRES(kLock);
  // When a wait that seeks is to do so again.
  TimePoint next_seek() const { return engine_.now() + contact_after_; }

 private:
  void end_probed(Peer& source) LINTEL_REQUIRES(kLock);
  void greet(Peer& peer) LINTEL_REQUIRES(kLock);

  EngineAccess& engine_;
  PeerTable& peers_;
  ControlPackets& controls_;
  const Nanoseconds contact_after_;
  const bool any_counts_;
  std::vector<Peer*> strangers_ LINTEL_GUARDED_BY(kLock);  // not met when they began to be watched
  TimePoint strangers_since_ LINTEL_GUARDED_BY(kLock) = kNever;  // when they were first looked at
};

}  // namespace lintel::mpi
