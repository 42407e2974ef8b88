#pragma once
// The global phases of collective functions between clients of IMPI: who sends to whom, in which
// order. No other messages may be sent between clients in these functions.
//
// Pure functions of what all clients know. Up to Masters::max_linear masters, one rank exchanges
// messages with all others directly; with more masters, a tree is used. impi_collectives.h decides
// what a step moves, and what is done before and after it.

#include <cstdint>
#include <span>
#include <vector>

namespace lintel::mpi {

struct GlobalStep {
  enum class StepDirection : std::uint8_t { kSend, kReceive };
  StepDirection kind = StepDirection::kSend;
  int peer = 0;  // its rank
  bool operator==(const GlobalStep&) const = default;
};
using GlobalPhase = std::vector<GlobalStep>;

// The ranks of the masters, by number.
struct Masters {
  std::span<const int> ranks;
  int max_linear;
};

// A root replaces the master of its client, whose number is `master`.
struct GlobalRoot {
  int rank;
  int master;
};

// For master `own`.
GlobalPhase barrier_phase(const Masters& masters, int own);
// For the root, with the number of its client's master as `own`; or for master `own` of another
// client.
GlobalPhase broadcast_phase(const Masters& masters, const GlobalRoot& root, int own);
// For the same ranks. What is received is the left operand; what this rank has so far is the right
// one.
GlobalPhase reduction_phase(const Masters& masters, const GlobalRoot& root, int own);

}  // namespace lintel::mpi
