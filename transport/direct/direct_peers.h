#pragma once
// DirectPeers: what DirectTransport knows of each peer, by its id and by its name.
//
// A member of DirectTables; guarded by its owner's lock. Owns the records, which never move, and
// are as many as there were peers at the same time.
// Does not: own connections.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "transport/contact/connect_attempts.h"
#include "transport/contact/reusable_ids.h"
#include "transport/contact/send_share.h"
#include "transport/direct/left_messages.h"
#include "transport/transport.h"

namespace lintel::transport {

struct DirectConnection;

struct DirectPeer {
  ProcessId name;
  DirectConnection* connection = nullptr;  // open, or to be resumed
  DirectConnection* connecting = nullptr;  // being made by this process
  SendShare frames;                        // what it holds of the table of what is sent
  SendShare writes;
  LeftMessages::OfPeer left;
  std::uint32_t targets = 0;  // memory registered for writes of the peer
  ConnectAttempt attempt;     // waiting: every connect request has failed so far
  bool failed = false;        // lost; this poll() reports it
  bool is_named = true;       // not forgotten
  bool expects = false;       // a placed message of the peer is expected
  PlacementKey expected;
  std::span<std::byte> landing;
  Error failure;
  std::uint64_t peer_incarnation = 0;  // of the open connection, from the peer's greeting
  std::uint64_t peer_generation = 0;

  // Something of it is under way, or its owner is to be told something.
  bool is_in_use() const {
    return connection != nullptr || connecting != nullptr || attempt.waiting || failed ||
           frames.held > 0 || writes.held > 0 || targets > 0 || left.count > 0;
  }
  // The attempt to connect that this process has made is over.
  void clear_connecting() {
    connecting = nullptr;
    attempt.in_progress = false;
  }
};

class DirectPeers {
 public:
  DirectPeer& operator[](PeerId id) { return *peers_[id.value]; }
  const DirectPeer& operator[](PeerId id) const { return *peers_[id.value]; }
  // kNoPeer: no peer has that name.
  PeerId find(ProcessId name) const;
  // REQUIRES: find(name) == kNoPeer. Calls make_room_elsewhere(peers) before it makes a record,
  // with the number of records then. Throws what that or the allocation throws; no peer has that
  // name then.
  template <class MakeRoom>
  PeerId add(ProcessId name, MakeRoom make_room_elsewhere) {
    const PeerId id = reusable_.next([&] {
      make_room_elsewhere(peers_.size() + 1);
      peers_.push_back(std::make_unique<DirectPeer>());
    });
    ids_.emplace(name, id);
    // Nothing below allocates.
    reusable_.take();
    DirectPeer& peer = *peers_[id.value];
    peer.is_named = true;
    peer.name = name;
    peer.attempt.peer = id;
    return id;
  }
  // The id names nobody from now on. No effect if it does already.
  void forget(PeerId id);

  std::size_t size() const { return peers_.size(); }  // of records
  std::size_t named() const { return reusable_.taken(); }

 private:
  std::vector<std::unique_ptr<DirectPeer>> peers_;
  std::unordered_map<ProcessId, PeerId> ids_;
  ReusableIds reusable_;  // of peers_
};

}  // namespace lintel::transport
