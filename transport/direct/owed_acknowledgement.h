#pragma once
// OwedAcknowledgement: when the peer of a connection is to be told what has arrived from it.
//
// What was received and not acknowledged is due at once if it must be. But a message in the other
// direction takes the acknowledgement along, so it waits a little for one.
//
// A part of a connection of DirectTransport; guarded by its owner's lock. Time and the number of
// the poll() are arguments.
// Does not: send it, or know how many bytes are owed.

#include <cstdint>

#include "base/clock.h"
#include "transport/direct/stream_format.h"

namespace lintel::transport {

class OwedAcknowledgement {
 public:
  // A peer keeps what is not acknowledged, so it learns of it in any case.
  static constexpr Nanoseconds kAfter = std::chrono::milliseconds(5);
  // While more arrives, so many bytes share an acknowledgement, which takes a call of its own if
  // nothing is sent to the peer, as during a stream of gets.
  // Measure: bench/compare/builds --only bandwidth --sizes 262144,1048576
  static constexpr std::uint64_t kMaxUnacknowledged = 4 * 1024 * 1024;
  // So many polls without anything new mean that the peer waits. Fewer are pauses within a stream,
  // in which a call for each acknowledgement would cost more than it gives.
  static constexpr std::uint64_t kIdlePolls = 4;

  // A piece with these PieceFlags has arrived in this poll.
  void want(std::uint16_t flags, std::uint64_t poll) {
    if (wanted_ == 0) wanted_since_ = poll;
    wanted_ |= flags;
  }
  bool is_wanted() const { return wanted_ != 0; }
  // The peer knows of everything that has arrived, or is about to; or the connection has ended.
  void sent() { wanted_ = 0; }
  // Something has arrived.
  void heard(std::uint64_t poll, TimePoint now) {
    heard_in_ = poll;
    heard_at_ = now;
  }

  // Whether to send an acknowledgement now; so many bytes are `unacknowledged`, not 0.
  // `waits_itself`: this process has sent everything and waits for an acknowledgement. Then so does
  // the peer, most likely: both send long messages to each other, as in MPI_Alltoall, and neither
  // sends the next before this one has ended.
  // Measure: bench/compare/builds --only mpi-alltoall --sizes 131072,262144
  bool is_due(std::uint64_t poll, TimePoint now, std::uint64_t unacknowledged,
              bool waits_itself) const {
    if (now - heard_at_ >= kAfter) return true;
    if (wanted_ == 0) return false;  // also in the middle of a long write
    if ((wanted_ & kAcknowledgeSoon) != 0) return wanted_since_ < poll;
    const std::uint64_t pause = waits_itself ? 0 : kIdlePolls;
    return heard_in_ + pause < poll || unacknowledged >= kMaxUnacknowledged;
  }
  // When is_due() is to be asked at the latest: in the next poll() if the peer wants one, also if
  // that has an earlier time than this one, from a coarse clock.
  TimePoint deadline() const { return wanted_ != 0 ? TimePoint{0} : heard_at_ + kAfter; }

 private:
  std::uint16_t wanted_ = 0;  // PieceFlags
  std::uint64_t wanted_since_ = 0;
  std::uint64_t heard_in_ = 0;
  TimePoint heard_at_{};
};

}  // namespace lintel::transport
