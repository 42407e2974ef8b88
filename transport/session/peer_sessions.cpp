#include "transport/session/peer_sessions.h"

#include <utility>

namespace lintel::transport {

PeerSession& PeerSessions::add(ProcessId name, PeerId lower) {
  PeerSession& peer = unused_record();
  const bool is_local = lower == kNoPeer;
  if (!is_local && lower.value >= peer_of_lower_.size())
    peer_of_lower_.resize(lower.value + 1, kNoPeer.value);
  peer_of_name_.emplace(name, peer.id);
  // Nothing below allocates.
  reusable_.take();
  peer.lower = lower;
  peer.name = name;
  closed(peer);
  if (!is_local) peer_of_lower_[lower.value] = peer.id.value;
  return peer;
}

// A record without a name. The caller takes its id.
PeerSession& PeerSessions::unused_record() {
  return at(reusable_.next([this] {
    records_.push_back(std::make_unique<PeerSession>());
    records_.back()->id = PeerId(static_cast<std::uint32_t>(records_.size() - 1));
  }));
}

std::optional<PeerSessions::Forgotten> PeerSessions::forget_oldest() {
  PeerSession& oldest = closed_.front();
  closed_.pop_front();
  closed_.push_back(oldest);
  if (!oldest.can_be_forgotten()) return std::nullopt;
  const Forgotten forgotten{oldest.id, oldest.lower};
  auto unused = std::make_unique<PeerSession>();  // first: there may be no memory
  unused->id = forgotten.id;
  peer_of_name_.erase(oldest.name);
  peer_of_lower_[forgotten.lower.value] = kNoPeer.value;
  --closed_count_;
  records_[forgotten.id.value] = std::move(unused);
  reusable_.give_back(forgotten.id);
  return forgotten;
}

}  // namespace lintel::transport
