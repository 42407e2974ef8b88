#pragma once
// PendingPeers: the peers to which something is to be sent, or of which something is to be
// reported, at the next opportunity.
//
// Borrows the PeerSessions on its list. Thread: its owner's lock. Time is an argument.
// Invariant: a peer is on the list once, however much of it is pending.
// Does not: know what is pending. The owner of serve() does.

#include <chrono>
#include <new>

#include "base/clock.h"
#include "transport/session/peer_session.h"

namespace lintel::transport {

class PendingPeers {
 public:
  PendingPeers() = default;
  PendingPeers(const PendingPeers&) = delete;
  PendingPeers& operator=(const PendingPeers&) = delete;

  // Something new is pending: the next poll() has work.
  void add(PeerSession& peer) {
    if (!peer.pending_hook.is_linked()) peers_.push_back(peer);
    work_waits_ = true;
  }
  // Nothing of it is pending any more.
  void remove(PeerSession& peer) { peer.pending_hook.unlink(); }
  // The lower transport had no room, and no event may tell of it: what is pending is tried again
  // later.
  void await_room() { room_awaited_ = true; }

  // Whether something is pending that does not wait for the peer or the lower transport.
  bool work_waits() const { return work_waits_; }
  bool is_due() const { return work_waits_ || room_awaited_ || !peers_.empty(); }
  // When to try again for room; kNever: none is awaited.
  TimePoint next_deadline(TimePoint now) const { return room_awaited_ ? now + kRoomRetry : kNever; }

  // Calls serve_peer(peer) for each peer. It returns whether something remains pending, because the
  // window or the lower transport has no room. A bad_alloc of it ends the turn, and the next one
  // continues with the same peer and the others.
  template <class ServePeer>
  void serve(ServePeer&& serve_peer) {
    work_waits_ = false;
    room_awaited_ = false;
    PendingList round;
    round.swap(peers_);
    while (!round.empty()) {
      PeerSession& peer = round.front();
      round.pop_front();
      try {
        if (serve_peer(peer) && !peer.pending_hook.is_linked()) peers_.push_back(peer);
      } catch (const std::bad_alloc&) {
        add(peer);
        peers_.splice(peers_.end(), round);
        throw;
      }
    }
  }

 private:
  static constexpr Nanoseconds kRoomRetry = std::chrono::milliseconds(1);

  PendingList peers_;
  bool work_waits_ = false;
  bool room_awaited_ = false;
};

}  // namespace lintel::transport
