#pragma once
// FaultPlan: the faults that a FaultyTransport injects and how often, and the parser of its text.
//
// The text is a list such as "seed=7,drop=0.01,delay=0.2:1ms":
//   seed=N            of the random numbers; the same seed and calls give the same faults
//   drop=P            a message is lost after it has left
//   duplicate=P       a message arrives twice
//   delay=P:D         a message waits up to D; later ones to the same peer wait behind it
//   block=P:N         a period of no room begins: the next N calls would block
//   write_error=P     a write whose bytes arrive completes with an error
//   post_failure=P    a call returns that the peer is lost
//   reset=P           the connection is lost when a message or a write has been sent
//   death=PID:N         the peer of that pid dies at the Nth message to it; this is reported
//   silent_death=PID:N  the same, but it is not reported
// P is a probability from 0 to 1, D a duration with its unit.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/ids.h"

namespace lintel::transport {

struct FaultPlan {
  struct PeerDeath {
    Pid pid;
    std::uint64_t nth_message = 1;
    bool silent = false;
  };

  std::uint64_t seed = 1;
  double drop = 0;
  double duplicate = 0;
  double delay = 0;
  Nanoseconds longest_delay{0};
  double block = 0;
  std::uint64_t block_calls = 0;
  double write_error = 0;
  double post_failure = 0;
  double reset = 0;
  std::optional<PeerDeath> death;

  // Of single messages and writes.
  bool has_other_than_resets() const {
    return drop > 0 || duplicate > 0 || delay > 0 || block > 0 || write_error > 0 ||
           post_failure > 0 || death.has_value();
  }
};

// Returns "" and sets `plan`. Otherwise returns a sentence that names the value and what was
// expected, and does not change `plan`.
std::string parse_fault_plan(std::string_view text, FaultPlan& plan);

}  // namespace lintel::transport
