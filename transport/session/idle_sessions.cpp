#include "transport/session/idle_sessions.h"

#include <algorithm>

namespace lintel::transport {

namespace {

// Peers that one poll looks at.
constexpr std::size_t kMostLooks = 64;
// So many at a time, so that pings of peers that are gone do not fill the network's queues.
constexpr std::size_t kMostAsked = 256;
// A peer that has answered is looked at again after so many dead-peer deadlines.
constexpr int kProvenDeadlines = 16;

}  // namespace

void IdleSessions::add(PeerSession& peer, TimePoint now) {
  if (peer.is_proved_by_secret()) return;
  ++count_;
  peer.idle_quarters = 0;
  peer.looked_at = now;
  lists_[kYoung].push_back(peer);
  next_look_ = std::min(next_look_, now + dead_peer_deadline_);
}

void IdleSessions::remove(PeerSession& peer) {
  if (!peer.unused_hook.is_linked()) return;
  peer.unused_hook.unlink();
  --count_;
  if (peer.idle_quarters > 0) --asked_count_;
}

Nanoseconds IdleSessions::wait_of(std::size_t list) const {
  if (list == kAsked) return dead_peer_deadline_ / kDeadlineQuarters;
  return list == kYoung ? dead_peer_deadline_ : kProvenDeadlines * dead_peer_deadline_;
}

// Whether a peer of the list may be asked.
bool IdleSessions::may_look(std::size_t list) const {
  return !lists_[list].empty() && (list == kAsked || asked_count_ < kMostAsked);
}

PeerSession* IdleSessions::next_to_ask(Turn& turn, TimePoint now) {
  for (; turn.list < kLists; ++turn.list) {
    while (turn.looks < kMostLooks && count_ > most_ && may_look(turn.list)) {
      PeerSession& peer = lists_[turn.list].front();
      if (now - peer.looked_at < wait_of(turn.list)) break;
      ++turn.looks;
      if (look_at(peer, turn.list, now)) return &peer;
    }
  }
  next_look_ = kNever;
  for (std::size_t list = 0; list < kLists; ++list) {
    if (may_look(list))
      next_look_ = std::min(next_look_, lists_[list].front().looked_at + wait_of(list));
  }
  return nullptr;
}

// The peer is the first of the list. True: it is to be asked.
bool IdleSessions::look_at(PeerSession& peer, std::size_t list, TimePoint now) {
  const TimePoint before = peer.looked_at;
  peer.looked_at = now;
  peer.unused_hook.unlink();
  if (list == kAsked && peer.last_heard >= before) {
    --asked_count_;
    peer.idle_quarters = 0;
    lists_[kProven].push_back(peer);
    return false;
  }
  // Asked by its timer already, or used in the second half of the wait.
  if (list != kAsked && (peer.awaited() || now - peer.last_heard < wait_of(list) / 2)) {
    lists_[list].push_back(peer);
    return false;
  }
  lists_[kAsked].push_back(peer);
  if (peer.idle_quarters == 0) ++asked_count_;
  ++peer.idle_quarters;
  return true;
}

}  // namespace lintel::transport
