#pragma once
// UnprovedCallers: peers in whose name a process has called that has proved nothing yet, and for
// which nobody here waits. Bounds their number, because any process can call in any name.
//
// Borrows the PeerSessions on its list. Thread: its owner's lock.
// Invariant: the list is in the order of the calls.
// Does not: end a handshake, or limit its time. The owner does, and calls remove().

#include <cstddef>

#include "transport/session/peer_session.h"

namespace lintel::transport {

class UnprovedCallers {
 public:
  // REQUIRES: most > 0.
  explicit UnprovedCallers(std::size_t most) : most_(most) {}
  UnprovedCallers(const UnprovedCallers&) = delete;
  UnprovedCallers& operator=(const UnprovedCallers&) = delete;

  // Returns the peer whose handshake the owner is to end, because there are more than `most`: the
  // one that has had the most time to prove itself. It stays on the list until remove(). nullptr:
  // there is room for all.
  [[gnu::cold]] PeerSession* add(PeerSession& peer) {
    callers_.push_back(peer);
    return ++count_ > most_ ? &callers_.front() : nullptr;
  }
  // The peer has proved itself, or is awaited, or its handshake has ended. No effect if it is not
  // on the list.
  [[gnu::cold]] void remove(PeerSession& peer) {
    if (!peer.unused_hook.is_linked()) return;
    peer.unused_hook.unlink();
    --count_;
  }

 private:
  std::size_t most_;
  UnusedList callers_;  // the oldest first
  std::size_t count_ = 0;
};

}  // namespace lintel::transport
