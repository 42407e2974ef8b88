#pragma once
// Where a collective function goes from one algorithm to another. All ranks of a call must choose
// alike, so the limits are of what all of them know: the number of ranks, and bytes in packing
// order.
//
// Trees and doubling take the logarithm of the ranks in steps, which counts when messages are
// short; they send or copy some bytes more than once, which counts when messages are long. The
// numbers are computed, not measured: for 4 and 8 ranks, where a step costs 10 us and 30 KB more
// could have been moved in that time, as over TCP on one machine; rounded to powers of two.

#include <cstdint>

namespace lintel::mpi {

// Broadcast, bytes of the message: below, a binomial tree; from here on the root scatters pieces,
// which then go round. With fewer ranks the tree sends no more. Its steps are of long messages,
// which cost three times as much: the limit is higher for that.
inline constexpr std::int64_t kLongBroadcast = std::int64_t{512} << 10;
inline constexpr int kLongBroadcastRanks = 4;

// Gather and scatter, bytes of one rank's part: below, a binomial tree whose inner ranks carry the
// parts of others; from here on the root's own messages, each of which costs it less than carrying
// its part would.
inline constexpr std::int64_t kLongPart = std::int64_t{8} << 10;

// Gather to all, bytes of all parts together: below, each step doubles what a rank has; from here
// on the parts go round, without a copy.
inline constexpr std::int64_t kLongGatherToAll = std::int64_t{64} << 10;

// All to all, bytes of one rank's part for another: below kLongExchange, each part travels with
// others in a logarithm of steps; with fewer ranks there is no step to save. Below kPairedExchange,
// straight and all at once, so that there is one wait, which is what costs where ranks share
// processors; from here on in pairs, one after the other.
inline constexpr std::int64_t kLongExchange = 1024;
inline constexpr int kShortExchangeRanks = 5;
inline constexpr std::int64_t kPairedExchange = std::int64_t{8} << 10;

// Reductions to one or all, bytes of a rank's items: below, each step combines all items; from here
// on ranks divide the items among themselves and combine a part.
inline constexpr std::int64_t kLongReduction = std::int64_t{32} << 10;

// Reduce-scatter, bytes of a rank's items for all: below, halving of a copy; from here on each rank
// sends each other what that one combines.
inline constexpr std::int64_t kLongReduceScatter = std::int64_t{128} << 10;

}  // namespace lintel::mpi
