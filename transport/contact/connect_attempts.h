#pragma once
// ConnectAttempts: the peers that a network tries to reach and that have accepted nothing yet. It
// says when a peer is worth
// another try, which peers were tried for too long, and which ones nobody wants any more.
//
// Back-off: in the first millisecond a peer is tried at each turn, because a connection on one
// machine is made within that
// time; then once a millisecond, because each failed try costs a connect(2).
//
// A member of each network, which keeps one ConnectAttempt in its record of each peer. Borrows
// these records while they wait:
// they must not move. Thread: the network's. Time is an argument.
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
  bool waiting = false;            // tried, and nothing was accepted so far
  bool in_progress = false;        // a connect request is under way: its end is an event of its own
  TimePoint since = kNever;        // stamped by the first expire() after begin(): outside poll()
                                   // nobody knows the time
  TimePoint last_wanted = kNever;  // when the network's owner last had something for the peer
  TimePoint next_try{INT64_MIN};
};

class ConnectAttempts {
 public:
  enum class End : std::uint8_t {
    kTimedOut,   // nothing was accepted within the timeout
    kForgotten,  // the owner has not asked for the peer for a second: it has given up
  };

  explicit ConnectAttempts(Nanoseconds timeout) : timeout_(timeout) {}

  // The owner has something for the peer. False: too early for another try.
  bool may_try(ConnectAttempt& attempt, TimePoint now) const {
    if (!attempt.waiting) [[likely]]
      return true;
    attempt.last_wanted = now;
    return now >= attempt.next_try;
  }
  // The peer is being tried. No effect if it waits already.
  [[gnu::cold]] void begin(ConnectAttempt& attempt, TimePoint now);
  // A try has failed. No effect if the peer does not wait.
  [[gnu::cold]] void refused(ConnectAttempt& attempt, TimePoint now);
  // The peer has accepted, or is given up. No effect if it does not wait.
  [[gnu::cold]] void end(ConnectAttempt& attempt);

  bool none() const { return waiting_.empty(); }

  // Ends the attempts whose time is over, and calls ended(PeerId, End) for each of them.
  template <class Ended>
  void expire(TimePoint now, Ended ended) {
    for (std::size_t i = 0; i < waiting_.size();) {
      ConnectAttempt& attempt = *waiting_[i];
      const std::optional<End> over = judge(attempt, now);
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
  [[gnu::cold]] std::optional<End> judge(ConnectAttempt& attempt, TimePoint now) const;

  Nanoseconds timeout_;
  std::vector<ConnectAttempt*> waiting_;
};

}  // namespace lintel::transport
