#pragma once
// SessionCounters: the counters of a Session, guarded by the owner's lock. They only grow.
//
// It has more than 30 members because each cause for which a frame is dropped is counted apart.

#include <cstdint>

namespace lintel::transport {

struct SessionCounters {
  std::uint64_t frames_sent = 0;      // all kinds
  std::uint64_t frames_received = 0;  // all kinds, malformed ones included
  std::uint64_t messages_sent = 0;
  std::uint64_t messages_received = 0;
  std::uint64_t local_messages = 0;  // to this process itself
  std::uint64_t pings = 0;           // sent
  std::uint64_t pure_acks = 0;       // sent
  std::uint64_t hellos = 0;          // sent, repetitions included
  std::uint64_t would_block = 0;     // reserve() and post_write() that would block
  std::uint64_t peer_failures = 0;
  // Accepted in sessions that ended before their acknowledgement.
  std::uint64_t messages_unacknowledged = 0;
  std::uint64_t refused = 0;         // hellos that this side refused, for any reason
  std::uint64_t refused_secret = 0;  // of them: for a missing, an unknown or another job secret
  // Times that another process asked for a live peer's connection or session, without a proof.
  std::uint64_t contested = 0;
  std::uint64_t longest_poll_gap_ns = 0;

  std::uint64_t goodbyes_missed = 0;  // for lack of memory

  // Frames dropped, by cause.
  std::uint64_t duplicates = 0;   // received before
  std::uint64_t gaps = 0;         // frames before it are missing: the session was ended
  std::uint64_t stale_epoch = 0;  // of a session that has ended, or of none
  std::uint64_t malformed_short = 0;
  std::uint64_t malformed_magic = 0;
  std::uint64_t malformed_version = 0;
  std::uint64_t malformed_kind = 0;
  std::uint64_t malformed_length = 0;
  std::uint64_t malformed_slot = 0;
  std::uint64_t malformed_source = 0;           // from another process than the frame says
  std::uint64_t malformed_acknowledgement = 0;  // of frames that were never sent
  std::uint64_t malformed_record = 0;
  std::uint64_t malformed_introduction = 0;
  std::uint64_t unproved = 0;         // welcomes and confirmations without the right proof
  std::uint64_t callers_dropped = 0;  // before their time, for later ones
  std::uint64_t too_many_peers = 0;   // hello of one peer more than SessionOptions::max_peers

  std::uint64_t malformed() const {
    return malformed_short + malformed_magic + malformed_version + malformed_kind +
           malformed_length + malformed_slot + malformed_source + malformed_acknowledgement +
           malformed_record + malformed_introduction;
  }
};

}  // namespace lintel::transport
