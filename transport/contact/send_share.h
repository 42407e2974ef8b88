#pragma once
// SendShare: how many records of a network's pool (send frames, or writes) one peer holds, and
// whether it may take another one.
//
// A peer that accepts nothing keeps what it holds until it is given up. So no peer may take more
// than a quarter of the pool, nor more than half of what the others have left. Peers that stop one
// after the other therefore get less and less. Of a pool of 128, twelve of them leave a record.
// There may be more, so each peer has a few records of its own, which the network adds to its pool
// when nothing of that is left. Their number has a limit too, so that peers without number do not
// take all memory: at that limit nobody gets another record until one is given back.
//
// A member of each network's record of a peer, which must not move: records of the pool refer to
// it. Thread: the network's.

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace lintel::transport {

struct SendShare {
  // What a peer gets even if nothing of the pool is left: a frame for what waits and one for
  // control, and a write.
  static constexpr std::uint32_t kOwnFrames = 2;
  static constexpr std::uint32_t kOwnWrites = 1;

  // The most records that there are of a pool of that size, with those that were added.
  static constexpr std::size_t most_in_all(std::size_t pool) { return 8 * pool; }

  std::uint32_t held = 0;
  // Of a caller that has proved nothing: it gets only records of its own, and those do not count as
  // taken from the pool.
  bool apart = false;

  // The most that one peer gets of a pool of that size.
  static constexpr std::size_t most(std::size_t pool) { return std::max<std::size_t>(pool / 4, 1); }
  // The most that the peer gets now. `free`: records of the pool that nobody holds.
  static constexpr std::size_t limit(std::size_t free, std::size_t pool) {
    return std::min(most(pool), free / 2);
  }
  bool may_take(std::size_t free, std::size_t pool) const {
    return held == 0 ? free > 0 : held < limit(free, pool);
  }
  // `own`: those that the peer gets in any case.
  bool may_take(std::size_t free, std::size_t pool, std::uint32_t own) const {
    return held < own || (!apart && may_take(free, pool));
  }
};

}  // namespace lintel::transport
