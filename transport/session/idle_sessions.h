#pragma once
// IdleSessions: says which open session is to be asked next whether its peer is alive.
//
// Some networks do not tell of a death, and none tells that a machine is gone if nothing is sent to
// it. So while more sessions are open than a limit, peers that say nothing are asked. Sessions that
// were opened with the job's secret are not part of this: a job has so many processes and no more,
// and one that is stopped in a debugger is not lost while nothing is awaited from it.
//
// Owns three lists; borrows the PeerSessions in them, and owns their `idle_quarters` and
// `looked_at`. Thread: its owner's lock. Time is an argument.
// Invariants: (1) a peer is on the list kYoung if it was never asked, on kAsked if it was asked and
// not heard since, on kProven if it has answered; (2) each list is in the order of
// `looked_at`, and all of one list wait equally long for the next look: the first one is due first,
// and a turn costs the same however many there are.
// Does not: send the question, end a session, or hear of messages. A look finds when the peer was
// last heard.

#include <cstddef>
#include <cstdint>

#include "base/clock.h"
#include "transport/session/peer_session.h"

namespace lintel::transport {

class IdleSessions {
 public:
  // How far the looks of one poll are. Their number is bounded, so that the time of a poll is.
  struct Turn {
    std::size_t looks = 0;
    std::size_t list = 0;
  };

  // Looks at peers only while more than `most` sessions are on its lists. A peer that does not
  // answer is lost within `dead_peer_deadline`.
  IdleSessions(std::size_t most, Nanoseconds dead_peer_deadline)
      : most_(most), dead_peer_deadline_(dead_peer_deadline) {}
  IdleSessions(const IdleSessions&) = delete;
  IdleSessions& operator=(const IdleSessions&) = delete;

  // The session of the peer has opened. No effect if the job's secret has opened it.
  [[gnu::cold]] void add(PeerSession& peer, TimePoint now);
  // The session of the peer has ended. No effect if it is on no list.
  [[gnu::cold]] void remove(PeerSession& peer);

  bool is_due(TimePoint now) const { return count_ > most_ && now >= next_look_; }
  // When is_due() is true next; kNever: not before another session opens.
  TimePoint next_deadline() const { return count_ > most_ ? next_look_ : kNever; }
  // The next peer that the owner is to ask, or to give up if its `idle_quarters` exceed
  // kDeadlineQuarters; nullptr: the turn is over. Peers may be added and removed between two calls.
  // REQUIRES: a new turn when is_due(), which is continued with the same `now`.
  [[gnu::cold]] PeerSession* next_to_ask(Turn& turn, TimePoint now);

 private:
  // In the order of a turn: answers of those that were asked make room to ask others.
  enum List : std::size_t { kAsked, kYoung, kProven, kLists };

  Nanoseconds wait_of(std::size_t list) const;
  bool may_look(std::size_t list) const;
  bool look_at(PeerSession& peer, std::size_t list, TimePoint now);

  std::size_t most_;
  Nanoseconds dead_peer_deadline_;
  UnusedList lists_[kLists];
  std::size_t count_ = 0;        // in all lists
  std::size_t asked_count_ = 0;  // in that of kAsked
  TimePoint next_look_ = kNever;
};

}  // namespace lintel::transport
