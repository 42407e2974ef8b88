#pragma once
// Suspension: why the TCP connection under a connection was lost, and until when another one may
// take its place.
//
// A part of a connection of DirectTransport; guarded by its owner's lock. Time is an argument.
// Does not: make connections.

#include <cstdint>

#include "base/clock.h"
#include "base/result.h"

namespace lintel::transport {

class Suspension {
 public:
  // A TCP connection that lasts for longer is of use, also if nothing arrives on it.
  static constexpr Nanoseconds kStableAfter = std::chrono::seconds(1);

  // The TCP connection was lost. `arrived` grows with each byte that is known to have arrived on
  // either side; `timeout` from now is the limit. TCP connections that are lost one after the other
  // before anything arrives are of no use: then the limit of the first one stays.
  void begin(Error loss, std::uint64_t arrived, TimePoint now, Nanoseconds timeout) {
    const bool was_of_use =
        until_ == kNever || arrived != arrived_ || now - resumed_at_ > kStableAfter;
    if (was_of_use) until_ = now + timeout;
    arrived_ = arrived;
    loss_ = loss;
  }
  // Another one has taken the place.
  void resumed(TimePoint now) { resumed_at_ = now; }
  // This process was stopped; the peer gets its time.
  void prolong(Nanoseconds by) { until_ = until_ + by; }

  TimePoint until() const { return until_; }
  Error loss() const { return loss_; }

 private:
  Error loss_;
  TimePoint until_ = kNever;  // never: none was lost yet
  TimePoint resumed_at_ = kNever;
  std::uint64_t arrived_ = 0;
};

}  // namespace lintel::transport
