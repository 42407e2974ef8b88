#pragma once
// ConnectAttempts: the peers that a network tries to reach and that have not accepted yet. It
// decides when to try a peer again, which peers were tried for too long, and which peers are no
// longer wanted.
//
// Back-off: in the first millisecond a peer is tried in each turn, because a connection on one
// machine is made within that time. After that it is tried once a millisecond, because each failed
// attempt costs a connect(2).
//
// A member of each network, which keeps one ConnectAttempt in its record of each peer. Borrows
// these records while they wait; they must not move. Thread: the network's. Time is an argument.
// Invariant: `waiting_` holds exactly the records with waiting == true.
// Does not: connect, or report a peer as lost; the network does.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/clock.h"
#include "transport/transport.h"

namespace lintel::transport {

struct ConnectAttempt {
  PeerId peer = kNoPeer;
  bool waiting = false;      // tried, not accepted yet
  bool in_progress = false;  // a connect request is under way; its end is reported by an event
  // Why this process could not even begin the last attempt; ok: the peer did not accept it.
  Error obstacle;
  // Set by the first expire() after begin(), because the time is known only in poll().
  TimePoint since = kNever;
  TimePoint last_wanted = kNever;  // when the network's owner last had something for the peer
  TimePoint next_try{INT64_MIN};
};

class ConnectAttempts {
 public:
  enum class Expiry : std::uint8_t {
    kTimedOut,   // the peer has not accepted within the timeout
    kForgotten,  // the owner has not tried to send to the peer for a second
  };

  explicit ConnectAttempts(Nanoseconds timeout) : timeout_(timeout) {}

  // Called when the owner has something for the peer. False: too early for another attempt.
  bool may_try(ConnectAttempt& attempt, TimePoint now) const {
    if (!attempt.waiting) [[likely]]
      return true;
    attempt.last_wanted = now;
    return now >= attempt.next_try;
  }
  // Room for that many peers, for which begin() then needs no memory.
  void reserve(std::size_t peers);
  // The first attempt begins. No effect if the peer waits already.
  [[gnu::cold]] void begin(ConnectAttempt& attempt, TimePoint now);
  // An attempt has failed, because of `obstacle` if it could not begin. It is repeated all the
  // same, because the obstacle may go away. No effect if the peer does not wait.
  [[gnu::cold]] void refused(ConnectAttempt& attempt, TimePoint now, Error obstacle = {});
  // The peer has accepted, or is given up. No effect if it does not wait.
  [[gnu::cold]] void end(ConnectAttempt& attempt);

  bool none() const { return waiting_.empty(); }

  // Ends the attempts that have timed out or are forgotten, and calls ended(PeerId, Expiry) for
  // each of them.
  template <class Ended>
  void expire(TimePoint now, Ended ended) {
    for (std::size_t i = 0; i < waiting_.size();) {
      ConnectAttempt& attempt = *waiting_[i];
      const std::optional<Expiry> over = judge(attempt, now);
      if (!over) {
        ++i;
        continue;
      }
      end(attempt);
      ended(attempt.peer, *over);
    }
  }

  // When the network must be polled next for its attempts; kNever if none waits.
  TimePoint next_deadline(TimePoint now) const;

 private:
  [[gnu::cold]] std::optional<Expiry> judge(ConnectAttempt& attempt, TimePoint now) const;

  Nanoseconds timeout_;
  std::vector<ConnectAttempt*> waiting_;
};

}  // namespace lintel::transport
