#pragma once
// PeerSessions: the records of the peers of a Session, by id, by name, and by the id of the lower
// transport.
//
// Owns the records. Thread: its owner's lock.
// Invariants: (1) a record does not move while its peer has a name; (2) the ids are dense, and the
// id of a forgotten peer is given again before a further one is made; (3) an id that names nobody
// has a closed record, so what arrives for its slot on the wire matches nothing; (4) there are at
// most `max_peers` names.
// Does not: know what a session is. The owner says when one begins and ends, ends what others know
// of a forgotten peer, and forgets only while nobody uses the record.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "base/ids.h"
#include "transport/contact/reusable_ids.h"
#include "transport/session/peer_session.h"
#include "transport/transport.h"

namespace lintel::transport {

class PeerSessions {
 public:
  // `max_closed`: so many peers without a session stay known, those whose session ended last.
  PeerSessions(std::size_t max_peers, std::size_t max_closed)
      : max_peers_(max_peers), max_closed_(max_closed) {}
  PeerSessions(const PeerSessions&) = delete;
  PeerSessions& operator=(const PeerSessions&) = delete;

  // The number of records: ids, and slots on the wire, are below it.
  std::size_t size() const { return records_.size(); }
  // REQUIRES: peer.value < size().
  PeerSession& at(PeerId peer) { return *records_[peer.value]; }
  const PeerSession& at(PeerId peer) const { return *records_[peer.value]; }
  // All records, also those without a name.
  const std::vector<std::unique_ptr<PeerSession>>& records() const { return records_; }

  // nullptr: the lower transport's peer is not known here.
  PeerSession* find_by_lower(PeerId lower) {
    if (lower.value >= peer_of_lower_.size()) return nullptr;
    const std::uint32_t index = peer_of_lower_[lower.value];
    return index == kNoPeer.value ? nullptr : records_[index].get();
  }
  // kNoPeer: nobody has the name.
  PeerId find(ProcessId name) const {
    const auto known = peer_of_name_.find(name);
    return known == peer_of_name_.end() ? kNoPeer : known->second;
  }
  bool is_full() const { return peer_of_name_.size() >= max_peers_; }

  // Makes a peer without a session. `lower`: its id in the lower transport; kNoPeer: it is this
  // process. Throws std::bad_alloc; nothing has changed then.
  // REQUIRES: nobody has the name; !is_full().
  [[gnu::cold]] PeerSession& add(ProcessId name, PeerId lower);

  // The session of the peer has ended, or another begins.
  void closed(PeerSession& peer) {
    closed_.push_back(peer);
    ++closed_count_;
  }
  void in_use(PeerSession& peer) {
    peer.unused_hook.unlink();
    --closed_count_;
  }

  // How many peers without a session there are beyond `max_closed`.
  std::size_t surplus() const {
    return closed_count_ > max_closed_ ? closed_count_ - max_closed_ : 0;
  }
  struct Forgotten {
    PeerId id;
    PeerId lower;
  };
  // Forgets the peer that has been without a session for longest; nullopt: something refers to it,
  // so another one is the first to be forgotten next time. A process that meets many peers, one
  // after the other, so keeps the records of few. Throws std::bad_alloc; then nothing is forgotten.
  // REQUIRES: surplus() > 0.
  [[gnu::cold]] std::optional<Forgotten> forget_oldest();

 private:
  PeerSession& unused_record();

  std::size_t max_peers_;
  std::size_t max_closed_;
  std::vector<std::unique_ptr<PeerSession>> records_;  // by PeerId
  ReusableIds reusable_;                               // of records_
  std::vector<std::uint32_t> peer_of_lower_;           // PeerId by PeerId of the lower transport
  std::unordered_map<ProcessId, PeerId> peer_of_name_;
  UnusedList closed_;  // the oldest first
  std::size_t closed_count_ = 0;
};

}  // namespace lintel::transport
