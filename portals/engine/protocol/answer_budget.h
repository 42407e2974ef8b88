#pragma once
// AnswerBudget: the memory for answers that wait because their peers do not read them. Peers cause
// answers by sending requests, so without a limit one that never reads could take all memory.
//
// Owned by the Outbox. Guarded by the process' lock.
// Invariant: overdrawn() is a peer for which answers are kept, or kNoPeer.
// Does not: limit requests of this process, which Operations limits, or end a peer; the Endpoint
// does.

#include <algorithm>
#include <cstddef>
#include <vector>

#include "transport/transport.h"

namespace lintel::portals {

class AnswerBudget {
 public:
  // Bytes for the answers to all peers; a quarter of them for one peer.
  explicit AnswerBudget(std::size_t limit) : limit_(limit) {}

  // For keep(), which needs no memory then.
  void make_room(transport::PeerId peer) {
    if (peer.value >= kept_.size()) kept_.resize(std::size_t{peer.value} + 1);
  }
  // REQUIRES: make_room() was called for the peer.
  void keep(transport::PeerId peer, std::size_t bytes) {
    kept_[peer.value] += bytes;
    total_ += bytes;
    if (kept_[peer.value] > limit_ / 4) overdrawn_ = peer;
    if (total_ > limit_) overdrawn_ = largest();
  }
  void release(transport::PeerId peer, std::size_t bytes) {
    kept_[peer.value] -= bytes;
    total_ -= bytes;
    // It has read some meanwhile, or is gone. All others may still have too much together.
    if (overdrawn_ != transport::kNoPeer && kept_[overdrawn_.value] <= limit_ / 4)
      overdrawn_ = total_ > limit_ ? largest() : transport::kNoPeer;
  }
  // Whether this many bytes more leave the peer within its part, and all within the whole.
  bool fits(transport::PeerId peer, std::size_t bytes) const {
    return kept_for(peer) + bytes <= limit_ / 4 && total_ + bytes <= limit_;
  }
  // A peer that is to be given up, because it has overdrawn its part, or, where all together have
  // overdrawn the whole, because it has the most; kNoPeer: there is none.
  transport::PeerId overdrawn() const { return overdrawn_; }
  std::size_t kept_for(transport::PeerId peer) const {
    return peer.value < kept_.size() ? kept_[peer.value] : 0;
  }
  std::size_t total() const { return total_; }

 private:
  [[gnu::cold]] transport::PeerId largest() const {
    const auto most = std::max_element(kept_.begin(), kept_.end());
    return transport::PeerId(static_cast<std::uint32_t>(most - kept_.begin()));
  }

  std::size_t limit_;
  std::size_t total_ = 0;
  std::vector<std::size_t> kept_;  // by peer
  transport::PeerId overdrawn_ = transport::kNoPeer;
};

}  // namespace lintel::portals
