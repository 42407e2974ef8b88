#pragma once
// Peers: the names of other processes, which of them are watched, the calls that wait for room to
// send to one, and the losses that were logged.
//
// Owned by the Endpoint; borrows the transport and the waiters. Guarded by the process' lock.
// Invariant: a peer is watched while a call waits for room to send to it.
// Does not: know what is under way with a peer (operations.h, outbox.h).

#include <boost/intrusive/list.hpp>
#include <cstddef>
#include <vector>

#include "base/ids.h"
#include "base/process_lock.h"
#include "portals/engine/values/status.h"
#include "transport/transport.h"

namespace lintel::portals {

class Peers {
 public:
  // A call that waits for room to send `peer` a request.
  struct Waiter : boost::intrusive::list_base_hook<> {
    transport::PeerId peer = transport::kNoPeer;
    bool peer_lost = false;
    bool endpoint_gone = false;  // the waiter is in no list any more
  };

  explicit Peers(transport::Transport& transport) : transport_(transport) {}
  Peers(const Peers&) = delete;
  Peers& operator=(const Peers&) = delete;
  ~Peers() {
    waiters_.clear_and_dispose([](Waiter* waiter) { waiter->endpoint_gone = true; });
  }

  // Error: the name is not a possible address on this network.
  Result<transport::PeerId> resolve(ProcessId process) LINTEL_REQUIRES(kLock) {
    if (last_ != transport::kNoPeer && process == last_resolved_) return last_;
    return look_up(process);
  }
  // Whether the name is a possible address.
  bool reachable(ProcessId process) LINTEL_REQUIRES(kLock) { return resolve(process).ok(); }
  // While `watched`, the death of a connected `process` is noticed even if nothing is under way
  // with it. Calls are counted. REQUIRES: reachable().
  void watch(ProcessId process, bool watched) LINTEL_REQUIRES(kLock);
  ProcessId name_of(transport::PeerId peer) const LINTEL_REQUIRES(kLock) {
    return transport_.name_of(peer);
  }

  // From add_waiter() to remove_waiter() the loss of the peer is noticed. Errors: kProcessInvalid.
  Status add_waiter(Waiter& waiter, ProcessId process) LINTEL_REQUIRES(kLock);
  void remove_waiter(Waiter& waiter) LINTEL_REQUIRES(kLock);
  // Sets peer_lost of the calls that wait for that peer.
  void notify_waiters(transport::PeerId lost) LINTEL_REQUIRES(kLock) {
    for (Waiter& waiter : waiters_) waiter.peer_lost |= waiter.peer == lost;
  }

  // Logs the loss of a peer. As a warning if messages were not acknowledged, or if operations end
  // by it, but for those only once until a message of the peer arrives again. A peer that has ended
  // normally causes no warning.
  [[gnu::cold]] void log_loss(transport::PeerId peer, bool ends_operations) LINTEL_REQUIRES(kLock);
  // The id names nobody any more.
  [[gnu::cold]] void forget(transport::PeerId peer) LINTEL_REQUIRES(kLock) {
    clear_loss(peer);
    if (last_ == peer) last_ = transport::kNoPeer;
  }
  // A message of that peer has arrived.
  void note_message(transport::PeerId peer) LINTEL_REQUIRES(kLock) {
    if (losses_logged_ > 0) [[unlikely]]
      clear_loss(peer);
  }

 private:
  Result<transport::PeerId> look_up(ProcessId process) LINTEL_REQUIRES(kLock);
  [[gnu::cold]] void clear_loss(transport::PeerId peer) LINTEL_REQUIRES(kLock);

  transport::Transport& transport_;
  // because programs often use one peer many times in a row
  ProcessId last_resolved_ LINTEL_GUARDED_BY(kLock);
  transport::PeerId last_ LINTEL_GUARDED_BY(kLock) = transport::kNoPeer;
  boost::intrusive::list<Waiter> waiters_ LINTEL_GUARDED_BY(kLock);
  // by peer: its loss was logged, and no message of it has arrived since
  std::vector<bool> loss_logged_ LINTEL_GUARDED_BY(kLock);
  std::size_t losses_logged_ LINTEL_GUARDED_BY(kLock) = 0;  // of them
};

}  // namespace lintel::portals
