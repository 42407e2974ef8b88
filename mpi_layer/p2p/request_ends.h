#pragma once
// RequestEnds: begins and ends requests: which have ended and were not told to their user yet, and
// whether a caller that sleeps is to look again.
//
// Owned by the messenger; the process' lock guards it. Borrows watch and chores.
// Does not: know what a send or a receive still holds. Sends and Receives give that back first.

#include <cstddef>
#include <span>
#include <utility>

#include "mpi_layer/p2p/chores.h"
#include "mpi_layer/p2p/peer_watch.h"
#include "mpi_layer/p2p/request_list.h"

namespace lintel::mpi {

class RequestEnds {
 public:
  // `lists`: take_completed() is called.
  RequestEnds(PeerWatch& watch, Chores& chores, bool lists)
      : watch_(watch), chores_(chores), lists_(lists) {}
  RequestEnds(const RequestEnds&) = delete;
  RequestEnds& operator=(const RequestEnds&) = delete;

  // It can be started. A persistent one has an empty result before its first end.
  static void set_up(Request& request, bool persistent) {
    request.persistent_ = persistent;
    if (persistent) request.result_ = {};
  }
  // It is active and under way from now on.
  static void begin(Request& request, const Result& result) {
    request.active_ = request.under_way_ = true;
    request.result_ = result;
  }
  // The start is taken back, as if it had not been.
  void take_back(Request& request) LINTEL_REQUIRES(kLock);
  // It has ended. `is_told`: to a user; else to nobody. REQUIRES: it is under way.
  void end(Request& request, Failure failure, bool is_told = true) LINTEL_REQUIRES(kLock);
  // Its user is told its end. REQUIRES: it is not under way.
  static void retire(Request& request);

  // Some request has ended since the last call.
  bool any_ended() const LINTEL_REQUIRES(kLock) { return ended_some_; }
  bool take_any_ended() LINTEL_REQUIRES(kLock) { return std::exchange(ended_some_, false); }

  // Those that have ended and were not told, in the order in which they did, are told: as many as
  // `completed` has room for. Returns how many.
  std::size_t take_completed(std::span<Request*> completed) LINTEL_REQUIRES(kLock);
  bool any_completed() const LINTEL_REQUIRES(kLock) { return !completed_.empty(); }
  // The first of the gateway's own that has ended, which is told by that; null: none.
  Request* take_relayed() LINTEL_REQUIRES(kLock);
  bool any_relayed() const LINTEL_REQUIRES(kLock) { return !relayed_.empty(); }
  // The messenger is closed: nobody is told any more.
  void forget_all() LINTEL_REQUIRES(kLock);

 private:
  PeerWatch& watch_;
  Chores& chores_;
  const bool lists_;
  RequestList completed_ LINTEL_GUARDED_BY(kLock);
  RequestList relayed_ LINTEL_GUARDED_BY(kLock);
  bool ended_some_ LINTEL_GUARDED_BY(kLock) = false;
};

}  // namespace lintel::mpi
