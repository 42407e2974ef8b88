#pragma once
// Peers: the names of other processes, who waits for room to send to one, and which losses have
// been told in the log.
//
// Owned by the Endpoint; borrows the transport and the waiters. Guarded by the process' lock.
// Invariant: a peer is watched while somebody waits for room to send to it.
// Does not: know what is under way with a peer (operations.h, outbox.h).

#include <boost/intrusive/list.hpp>
#include <cstddef>
#include <vector>

#include "base/ids.h"
#include "portals/engine/status.h"
#include "transport/transport.h"

namespace lintel::portals {

class Peers {
 public:
  // Someone who waits for room to send `peer` a request.
  struct Waiter : boost::intrusive::list_base_hook<> {
    transport::PeerId peer = transport::kNoPeer;
    bool peer_lost = false;
    bool endpoint_gone = false;  // it is in no list any more
  };

  explicit Peers(transport::Transport& transport) : transport_(transport) {}
  Peers(const Peers&) = delete;
  Peers& operator=(const Peers&) = delete;
  ~Peers() {
    waiters_.clear_and_dispose([](Waiter* waiter) { waiter->endpoint_gone = true; });
  }

  // Error: the name cannot be an address on this network.
  Result<transport::PeerId> resolve(ProcessId process) {
    if (last_ != transport::kNoPeer && process == last_resolved_) return last_;
    return look_up(process);
  }
  ProcessId name_of(transport::PeerId peer) const { return transport_.name_of(peer); }

  // From add_waiter() to remove_waiter() the loss of the peer is noticed. Errors: kProcessInvalid.
  Status add_waiter(Waiter& waiter, ProcessId process);
  void remove_waiter(Waiter& waiter);
  // Whoever waits for that peer learns of its loss.
  void tell_waiters(transport::PeerId lost) {
    for (Waiter& waiter : waiters_) waiter.peer_lost |= waiter.peer == lost;
  }

  // The loss of a peer goes to the log: as a warning only if somebody loses something by it, and
  // once until the peer is heard again. A peer that has simply finished is no news, nor that it is
  // not there for the next operation either.
  [[gnu::cold]] void log_loss(transport::PeerId peer, bool loses_something);
  // A message of that peer has come.
  void heard(transport::PeerId peer) {
    if (told_ > 0) [[unlikely]]
      heard_again(peer);
  }

 private:
  Result<transport::PeerId> look_up(ProcessId process);
  [[gnu::cold]] void heard_again(transport::PeerId peer);

  transport::Transport& transport_;
  ProcessId last_resolved_;  // programs talk to one peer many times in a row
  transport::PeerId last_ = transport::kNoPeer;
  boost::intrusive::list<Waiter> waiters_;
  std::vector<bool> told_lost_;  // by peer: in the log, since it was last heard
  std::size_t told_ = 0;         // of them
};

}  // namespace lintel::portals
