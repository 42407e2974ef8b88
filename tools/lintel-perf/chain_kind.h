#pragma once
// The chains: collective operations of many processes that are made of triggered operations alone. What follows from their form; no API.

#include <bit>
#include <cstdint>

namespace lintel::perf {

enum class ChainKind { kBarrier, kBroadcast, kReduction };

// Stages of a dissemination barrier, and children of rank 0 in a binomial tree: log2, rounded up. REQUIRES: processes >= 2.
constexpr std::uint64_t stages_of(std::uint64_t processes) { return static_cast<std::uint64_t>(std::bit_width(processes - 1)); }

// Messages of all processes together in one round.
constexpr std::uint64_t messages_per_round(ChainKind kind, std::uint64_t processes) {
  return kind == ChainKind::kBarrier ? processes * stages_of(processes) : 2 * (processes - 1);
}

// How many triggered operations of one round wait on the counting event that has most of them.
constexpr std::uint64_t triggered_per_round(ChainKind kind, std::uint64_t processes) {
  return kind == ChainKind::kBarrier ? 2 : stages_of(processes);
}

}  // namespace lintel::perf
