#pragma once
// HalfOpenCallers: connections that were accepted and whose connect request has not arrived. Bounds
// their number and their time, so that a connection that sends nothing costs little and blocks no
// other.
//
// A member of each network that accepts connections; the network's record of a connection derives
// from HalfOpenCaller. Borrows these records. Thread: the network's. Time is an argument.
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
  // Its connect request has arrived, or it has ended. No effect if it is not in the list.
  [[gnu::cold]] void remove(HalfOpenCaller& caller);

  // The caller to remove before another is added, which is the oldest; nullptr: there is room.
  HalfOpenCaller* displaced_by_next() { return count_ == most_ ? &callers_.front() : nullptr; }
  // A caller whose timeout has passed, or nullptr.
  [[gnu::cold]] HalfOpenCaller* overdue(TimePoint now);
  // When to call overdue() next; kNever if there are no callers.
  TimePoint next_deadline() const {
    return callers_.empty() ? kNever : callers_.front().accepted_at + timeout_;
  }

 private:
  using Hook = boost::intrusive::member_hook<HalfOpenCaller, decltype(HalfOpenCaller::hook),
                                             &HalfOpenCaller::hook>;

  std::size_t most_;
  Nanoseconds timeout_;
  std::size_t count_ = 0;
  // Oldest first.
  boost::intrusive::list<HalfOpenCaller, Hook, boost::intrusive::constant_time_size<false>>
      callers_;
};

}  // namespace lintel::transport
