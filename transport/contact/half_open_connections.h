#pragma once
// HalfOpenConnections: connections that were accepted and whose maker owes something: its request,
// or its proof. Bounds their number and their time, so that a connection that sends nothing costs
// little and blocks no other.
//
// A member of each network that accepts connections, one for each thing that is owed; the network's
// record of a connection derives from HalfOpenConnection. Borrows these records. Thread: the
// network's. Time is an argument.
// Does not: close connections; the network does, and calls remove().

#include <boost/intrusive/list.hpp>
#include <cstddef>

#include "base/clock.h"

namespace lintel::transport {

struct HalfOpenConnection {
  TimePoint accepted_at = kNever;
  boost::intrusive::list_member_hook<boost::intrusive::link_mode<boost::intrusive::auto_unlink>>
      hook;
};

class HalfOpenConnections {
 public:
  HalfOpenConnections(std::size_t most, Nanoseconds timeout) : most_(most), timeout_(timeout) {}
  HalfOpenConnections(const HalfOpenConnections&) = delete;
  HalfOpenConnections& operator=(const HalfOpenConnections&) = delete;

  // REQUIRES: displaced_by_next() == nullptr.
  [[gnu::cold]] void add(HalfOpenConnection& connection, TimePoint now);
  // What it owes has arrived, or it has ended. No effect if it is not in the list.
  [[gnu::cold]] void remove(HalfOpenConnection& connection);

  // The connection to remove before another is added, which is the oldest; nullptr: there is room.
  HalfOpenConnection* displaced_by_next() {
    return count_ == most_ ? &connections_.front() : nullptr;
  }
  // A connection whose timeout has passed, or nullptr.
  [[gnu::cold]] HalfOpenConnection* overdue(TimePoint now);
  // When to call overdue() next; kNever if there are no connections.
  TimePoint next_deadline() const {
    return connections_.empty() ? kNever : connections_.front().accepted_at + timeout_;
  }

 private:
  using Hook = boost::intrusive::member_hook<HalfOpenConnection, decltype(HalfOpenConnection::hook),
                                             &HalfOpenConnection::hook>;

  std::size_t most_;
  Nanoseconds timeout_;
  std::size_t count_ = 0;
  // Oldest first.
  boost::intrusive::list<HalfOpenConnection, Hook, boost::intrusive::constant_time_size<false>>
      connections_;
};

}  // namespace lintel::transport
