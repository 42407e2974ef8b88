#pragma once
// RequestEnds: starts and ends requests. It lists those that have ended and were not reported yet,
// and says whether a caller that sleeps is to be woken.
//
// Owned by the messenger; the process' lock guards it. Borrows watch and pending work.
// Does not: release what a send or a receive holds. Sends and Receives do so first.

#include <cstddef>
#include <span>
#include <utility>

#include "mpi_layer/p2p/deferred_work.h"
#include "mpi_layer/p2p/peer_watch.h"
#include "mpi_layer/p2p/request_list.h"

namespace lintel::mpi {

class RequestEnds {
 public:
  // `lists`: the user calls take_completed().
  RequestEnds(PeerWatch& watch, DeferredWork& deferred_work, bool lists)
      : watch_(watch), deferred_work_(deferred_work), lists_(lists) {}
  RequestEnds(const RequestEnds&) = delete;
  RequestEnds& operator=(const RequestEnds&) = delete;

  // Makes it ready to be started. A persistent request has an empty result before its first
  // completion.
  static void set_up(MessageRequest& request, bool persistent) {
    request.persistent_ = persistent;
    if (persistent) request.result_ = {};
  }
  // Makes it active and under way.
  static void begin(MessageRequest& request, const MessageResult& result) {
    request.active_ = request.under_way_ = true;
    request.result_ = result;
  }
  // Undoes the start.
  void undo_begin(MessageRequest& request) LINTEL_REQUIRES(kLock);
  // Ends it. `is_reported`: its user is to be informed. REQUIRES: it is under way.
  void end(MessageRequest& request, RequestFailure failure, bool is_reported = true)
      LINTEL_REQUIRES(kLock);
  // Makes it inactive, because its completion is reported to its user. REQUIRES: it is not under
  // way.
  static void retire(MessageRequest& request);

  // Some request has ended since the last take_any_ended().
  bool any_ended() const LINTEL_REQUIRES(kLock) { return ended_some_; }
  bool take_any_ended() LINTEL_REQUIRES(kLock) { return std::exchange(ended_some_, false); }

  // Reports requests that have ended, in that order, as many as `completed` has room for. Returns
  // their number.
  std::size_t take_completed(std::span<MessageRequest*> completed) LINTEL_REQUIRES(kLock);
  bool any_completed() const LINTEL_REQUIRES(kLock) { return !completed_.empty(); }
  // Reports the first ended request of the gateway's own; null: there is none.
  MessageRequest* take_relayed() LINTEL_REQUIRES(kLock);
  bool any_relayed() const LINTEL_REQUIRES(kLock) { return !relayed_.empty(); }
  // Reports no more requests, because the messenger is closed.
  void forget_all() LINTEL_REQUIRES(kLock);

 private:
  PeerWatch& watch_;
  DeferredWork& deferred_work_;
  const bool lists_;
  RequestList completed_ LINTEL_GUARDED_BY(kLock);
  RequestList relayed_ LINTEL_GUARDED_BY(kLock);
  bool ended_some_ LINTEL_GUARDED_BY(kLock) = false;
};

}  // namespace lintel::mpi
