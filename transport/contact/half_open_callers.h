#pragma once
// HalfOpenCallers: connections that were accepted and have not said yet who they are. Bounds their
// number and their time, so
// that strangers who connect and say nothing cost little and keep nobody else out.
//
// A member of each network that accepts connections; the network's record of a connection derives
// from HalfOpenCaller.
// Borrows these records. Thread: the network's. Time is an argument.
// Does not: close connections; the network does, and calls remove().

#include <boost/intrusive/list.hpp>
#include <cstddef>

#include "base/clock.h"

namespace lintel::transport {

struct HalfOpenCaller {
  TimePoint accepted_at = kNever;
  boost::intrusive::list_member_hook<boost::intrusive::link_mode<boost::intrusive::auto_unlink>>
      hook;
};

class HalfOpenCallers {
 public:
  HalfOpenCallers(std::size_t most, Nanoseconds timeout) : most_(most), timeout_(timeout) {}
  HalfOpenCallers(const HalfOpenCallers&) = delete;
  HalfOpenCallers& operator=(const HalfOpenCallers&) = delete;

  // REQUIRES: displaced_by_next() == nullptr.
  [[gnu::cold]] void add(HalfOpenCaller& caller, TimePoint now);
  // It has said who it is, or has ended. No effect if it is not held.
  [[gnu::cold]] void remove(HalfOpenCaller& caller);

  // The one that must go before another is added: the oldest; nullptr: there is room.
  HalfOpenCaller* displaced_by_next() { return count_ == most_ ? &callers_.front() : nullptr; }
  // One that has said nothing within the timeout, or nullptr.
  [[gnu::cold]] HalfOpenCaller* overdue(TimePoint now);
  // When overdue() is to be asked next; kNever if there are no callers.
  TimePoint next_deadline() const {
    return callers_.empty() ? kNever : callers_.front().accepted_at + timeout_;
  }

 private:
  using Hook = boost::intrusive::member_hook<HalfOpenCaller, decltype(HalfOpenCaller::hook),
                                             &HalfOpenCaller::hook>;

  std::size_t most_;
  Nanoseconds timeout_;
  std::size_t count_ = 0;
  // oldest first
  boost::intrusive::list<HalfOpenCaller, Hook, boost::intrusive::constant_time_size<false>>
      callers_;
};

}  // namespace lintel::transport
