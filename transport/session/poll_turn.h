#pragma once
// PollTurn: the time, the sink and the reports of the poll under way.
//
// A part of a Session. Borrows the sink while a Scope lives. Thread: its owner's lock.
// Invariants: (1) the time never decreases; (2) there is a sink only while a Scope lives, so also
// none after a poll that has ended for lack of memory.

#include <algorithm>
#include <cstddef>

#include "base/assert.h"
#include "base/clock.h"
#include "transport/transport.h"

namespace lintel::transport {

class PollTurn {
 public:
  // A call of the owner that passes a sink. REQUIRES: none is under way.
  class Scope {
   public:
    Scope(PollTurn& turn, Sink& sink) : turn_(turn) {
      LINTEL_ASSERT(!turn.is_under_way());
      turn.sink_ = &sink;
    }
    ~Scope() { turn_.sink_ = nullptr; }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    PollTurn& turn_;
  };

  PollTurn() = default;
  PollTurn(const PollTurn&) = delete;
  PollTurn& operator=(const PollTurn&) = delete;

  TimePoint now() const { return now_; }
  // No effect if it is later already.
  void advance(TimePoint now) { now_ = std::max(now_, now); }
  // A poll begins: nothing is reported yet. Returns the time since the last poll; 0: there was
  // none.
  Nanoseconds begin(TimePoint now) {
    const TimePoint last = now_;
    now_ = now = std::max(now, last);
    reports_ = 0;
    if (polled_) [[likely]]
      return now - last;
    polled_ = true;
    return Nanoseconds(0);
  }

  bool is_under_way() const { return sink_ != nullptr; }
  std::size_t reports() const { return reports_; }
  // The sink, for so many reports. REQUIRES: is_under_way().
  Sink& report(std::size_t reports = 1) {
    count(reports);
    return *sink_;
  }
  // So many reports were made to the sink of the Scope.
  void count(std::size_t reports) { reports_ += reports; }
  // The sink, for what does not count. REQUIRES: is_under_way().
  Sink& sink() { return *sink_; }

 private:
  TimePoint now_{};
  bool polled_ = false;
  Sink* sink_ = nullptr;
  std::size_t reports_ = 0;  // of this poll
};

}  // namespace lintel::transport
