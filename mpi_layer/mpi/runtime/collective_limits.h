#pragma once
// The thresholds between the algorithms of collective functions. All ranks of a call must choose
// the same algorithm. Therefore the thresholds depend only on what all ranks know: the number of
// ranks, and bytes in packing order.
//
// Trees and doubling need a number of steps that is the logarithm of the ranks, which is best for
// short messages. They send or copy some bytes more than once, which costs most for long messages.
// Measure, for 4 and 8 ranks that share two processors: bench/compare/thresholds NAME
// (doc/performance.md, "Limits of collective functions"). Where that favours what would cost more
// between machines, the value is computed instead: if a step costs 10 us, in which 30 KB could be
// moved.

#include <cstdint>

namespace lintel::mpi {

// Broadcast, bytes of the message. Below: a binomial tree. From here on: the root scatters pieces,
// which are then passed round a ring. With fewer ranks the tree sends no more bytes. The limit is
// computed, with steps of three times the cost, because the ring sends long messages. Ranks that
// share two processors take half as long for 1 MiB by the tree, which sends less in all; on 8
// machines, the tree would send each byte three times, one after the other, and the ring twice.
inline constexpr std::int64_t kLongBroadcast = 512 * 1024;
inline constexpr int kLongBroadcastRanks = 4;

// Gather and scatter, bytes of one rank's part. Below: a binomial tree whose inner ranks forward
// the parts of others. From here on: one message between the root and each rank, which costs less
// than to forward the part.
inline constexpr std::int64_t kLongPart = 8 * 1024;

// Gather to all, bytes of all parts together. Below: each step doubles the parts that a rank has.
// From here on: a ring, without a copy.
inline constexpr std::int64_t kLongGatherToAll = 64 * 1024;

// All to all, bytes of one rank's part for another. Below kLongExchange: parts are sent together in
// a logarithmic number of steps; with fewer ranks this saves no step. Below kPairedExchange:
// directly and all at once, so that each rank waits only once, because waits are expensive where
// ranks share processors. From there on: in pairs, one after the other.
inline constexpr std::int64_t kLongExchange = 4 * 1024;
inline constexpr int kShortExchangeRanks = 5;
inline constexpr std::int64_t kPairedExchange = 32 * 1024;

// Reductions to one or all, bytes of a rank's items. Below: each step combines all items. From here
// on: each rank combines a part of the items.
inline constexpr std::int64_t kLongReduction = 32 * 1024;

// Reduce-scatter, bytes of a rank's items for all. Below: halving of a copy. From here on: each
// rank sends to each other rank the items which that rank combines.
inline constexpr std::int64_t kLongReduceScatter = 128 * 1024;

}  // namespace lintel::mpi
