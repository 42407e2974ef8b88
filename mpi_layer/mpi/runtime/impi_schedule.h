#pragma once
// The global phases of collective functions between clients of IMPI: who sends to whom, in which
// order. Nothing else may go between clients in these functions.
//
// Pure functions of what all clients know. Up to Masters::max_linear masters talk with one rank
// directly, more by a tree. What a step moves, and what is done before and after, is
// impi_collectives.h's.

#include <cstdint>
#include <span>
#include <vector>

namespace lintel::mpi {

struct GlobalStep {
  enum class Kind : std::uint8_t { kSend, kReceive };
  Kind kind = Kind::kSend;
  int peer = 0;  // a rank
  bool operator==(const GlobalStep&) const = default;
};
using GlobalPhase = std::vector<GlobalStep>;

// The ranks of the masters, by their numbers.
struct Masters {
  std::span<const int> ranks;
  int max_linear;
};

// A root takes the place of its client's master, whose number is `master`.
struct GlobalRoot {
  int rank;
  int master;
};

// For master `own`.
GlobalPhase barrier_phase(const Masters& masters, int own);
// For the root, or master `own` of another client than the root's; `own` is the root's master
// there.
GlobalPhase broadcast_phase(const Masters& masters, const GlobalRoot& root, int own);
// Likewise. What is received is the left operand, what this rank has so far the right one.
GlobalPhase reduction_phase(const Masters& masters, const GlobalRoot& root, int own);

}  // namespace lintel::mpi
