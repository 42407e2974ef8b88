// First contact: nothing tells of the death of a process that there is no session with. Who has waited for its message for a while greets it, which begins one,
// and its death is noticed from then on like that of any other.

#include <utility>

#include "mpi_layer/p2p/messenger.h"

namespace lintel::mpi {

// Somebody waits for a message of it, in vain so far. True: it was not met yet, and is to be sought again.
bool Messenger::seek(Peer& peer) {
  if (peer.met() || peer.lost) return false;
  const TimePoint now = process_.now();
  if (peer.sought_since == kNever) peer.sought_since = now;
  if (now - peer.sought_since < options_.contact_after) return true;
  greet(peer);
  return false;
}

bool Messenger::seek(const Request& request) {
  if (request.is_send_ || !request.under_way()) return false;
  Peer* const source = peers_.at(request.peer_);
  return source != nullptr && seek(*source);
}

bool Messenger::seek(std::span<Request* const> requests) {
  bool unmet = false;
  for (const Request* request : requests) unmet = (request != nullptr && seek(*request)) || unmet;
  return unmet;
}

// All that were not met and are watched, for a user of whom nobody knows what it waits for.
void Messenger::seek_strangers() {
  if (strangers_.empty()) return;
  const TimePoint now = process_.now();
  if (strangers_since_ == kNever) strangers_since_ = now;
  if (now - strangers_since_ < options_.contact_after) return;
  strangers_since_ = kNever;
  for (Peer* peer : std::exchange(strangers_, {})) {
    peer->stranger = false;
    if (peer->watchers > 0 && !peer->met() && !peer->lost) greet(*peer);
  }
}

// With credit of nothing, which changes nothing.
void Messenger::greet(Peer& peer) {
  peer.greeted = true;
  tell_credit(peer, {});
  process_.progress().after_call();
}

}  // namespace lintel::mpi
