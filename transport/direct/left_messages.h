#pragma once
// LeftMessages: the peers with messages that the kernel has accepted and that the sink is to be
// told of.
//
// A member of DirectTables, which keeps one OfPeer in its record of each peer; guarded by its
// owner's lock.
// Invariant: a peer is in the list at most once, so there is room for it.
// Does not: allocate, except in reserve().

#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

#include "transport/direct/reserved_list.h"
#include "transport/transport.h"

namespace lintel::transport {

class LeftMessages {
 public:
  struct OfPeer {
    std::uint32_t count = 0;  // zeroed by the owner when nobody is to be told any more
    bool is_listed = false;
  };

  // Room for so many peers. Throws std::bad_alloc.
  void reserve(std::size_t peers) {
    peers_.reserve(peers);
    reporting_.reserve(peers);
  }
  // One more message to the peer has left. REQUIRES: reserve() has made room for it.
  void add(PeerId peer, OfPeer& of) {
    ++of.count;
    if (std::exchange(of.is_listed, true)) return;
    peers_.add(peer);
  }
  bool empty() const { return peers_.empty(); }

  // Calls on_message_left() for each message; `of_peer(id)` is the peer's OfPeer. What leaves
  // meanwhile is reported the next time. Returns how many there were. Throws what the sink throws:
  // each message is told once all the same.
  template <class OfPeerOf>
  std::size_t report(Sink& sink, OfPeerOf of_peer) {
    std::size_t reported = 0;
    reporting_.swap(peers_);
    for (std::size_t i = 0; i < reporting_.size(); ++i) {
      const PeerId id = reporting_[i];
      OfPeer& of = of_peer(id);
      std::uint32_t left = std::exchange(of.count, 0);
      of.is_listed = false;
      try {
        for (; left > 0; ++reported) {
          --left;
          sink.on_message_left(id);
        }
      } catch (const std::bad_alloc&) {
        if (left > 0) {
          add(id, of);
          of.count += left - 1;
        }
        while (++i < reporting_.size()) peers_.add(reporting_[i]);
        reporting_.clear();
        throw;
      }
    }
    reporting_.clear();
    return reported;
  }

 private:
  ReservedList<PeerId> peers_;
  ReservedList<PeerId> reporting_;
};

}  // namespace lintel::transport
