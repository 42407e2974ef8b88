#pragma once
// PeerTimers: the timers of the peers of which an answer is awaited.
//
// Borrows the PeerSessions on its lists, and owns their `timer`, `connect_deadline` and `back_off`.
// Thread: its owner's lock. Time is an argument.
// Invariants: (1) a timer that was started without the time runs from the next stamp(); (2) while
// no timer runs, there is no deadline; (3) no timer is due before is_due() is true.
// Does not: ask a peer, or give one up. The owner of run() does.

#include <algorithm>
#include <new>

#include "base/clock.h"
#include "transport/session/peer_session.h"

namespace lintel::transport {

class PeerTimers {
 public:
  // An open session's timer runs for a quarter of `dead_peer_deadline`. A contact lasts for at most
  // `connect_deadline`; its timer runs for an eighth of it.
  PeerTimers(Nanoseconds dead_peer_deadline, Nanoseconds connect_deadline)
      : ping_interval_(dead_peer_deadline / kDeadlineQuarters),
        hello_interval_(connect_deadline / 8),
        connect_deadline_(connect_deadline) {}
  PeerTimers(const PeerTimers&) = delete;
  PeerTimers& operator=(const PeerTimers&) = delete;

  // Starts or restarts the timer of the peer, at the next stamp(), because the time is known only
  // in poll().
  void start(PeerSession& peer) {
    peer.timed_hook.unlink();
    peer.silent_quarters = 0;
    unstamped_.push_back(peer);
  }
  // Likewise, of a contact that this process begins.
  [[gnu::cold]] void start_contact(PeerSession& peer) {
    peer.back_off = {};
    start(peer);
  }
  void stop(PeerSession& peer) {
    peer.timed_hook.unlink();
    peer.timer = kNever;
  }
  bool has_unstamped() const { return !unstamped_.empty(); }
  void stamp(TimePoint now);

  // An awaited peer of an open session has answered. REQUIRES: its timer runs.
  void postpone(PeerSession& peer, TimePoint now) {
    peer.silent_quarters = 0;
    // The timer only moves later, so earliest_ stays a lower bound.
    peer.timer = now + ping_interval_;
  }
  // Lets the timer of a contact run out soon, after a longer time at each call.
  [[gnu::cold]] void retry_soon(PeerSession& peer, TimePoint now);
  // Runs the timer of a peer again for its whole interval. Called in run(), of the peer that it
  // names.
  void repeat(PeerSession& peer, TimePoint now);

  // May be true too early: run() then corrects it.
  bool is_due(TimePoint now) const { return now >= earliest_; }
  TimePoint next_deadline() const { return timed_.empty() ? kNever : earliest_; }
  // The last timer may have been stopped: run() need not find this out.
  [[gnu::cold]] void forget_deadline_if_none() {
    if (timed_.empty()) earliest_ = kNever;
  }
  // Calls on_timer(peer) for each peer whose timer has run out; its timer is stopped then, unless
  // on_timer() starts or repeats it. A bad_alloc of on_timer() ends the turn, and the next one
  // continues with the same peer, if it is still awaited, and the others.
  template <class OnTimer>
  void run(TimePoint now, OnTimer&& on_timer) {
    TimedList round;
    round.swap(timed_);
    earliest_ = kNever;
    while (!round.empty()) {
      PeerSession& peer = round.front();
      round.pop_front();
      if (peer.timer > now) {
        add(peer);
        continue;
      }
      try {
        on_timer(peer);
      } catch (const std::bad_alloc&) {
        if (!peer.timed_hook.is_linked() && peer.is_timed()) timed_.push_back(peer);
        timed_.splice(timed_.end(), round);
        earliest_ = now;
        throw;
      }
    }
  }

 private:
  void add(PeerSession& peer) {
    timed_.push_back(peer);
    earliest_ = std::min(earliest_, peer.timer);
  }

  Nanoseconds ping_interval_;
  Nanoseconds hello_interval_;
  Nanoseconds connect_deadline_;
  TimedList unstamped_;  // peers whose timer starts at the next stamp()
  TimedList timed_;
  TimePoint earliest_ = kNever;  // lower bound over timed_
};

}  // namespace lintel::transport
