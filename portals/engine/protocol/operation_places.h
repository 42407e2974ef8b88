#pragma once
// OperationPlaces: how many operations may be under way, how much memory those of other processes
// may take, and each peer's share of both.
//
// There are two tables of `max` places. One is for what this process begins: operations, and
// messages that wait without one. The other is for operations of other processes. A peer that
// answers nothing keeps its places until it is given up. So each peer has a share of each table,
// and what is begun with one peer never waits for another one. While nothing is begun with other
// peers, one may have all of the first table; what exceeds its share does not reduce theirs.
// Owned by Operations; guarded by the process' lock.
// Invariant: a peer has at most a quarter of a table, and takes no more than half of what the
// others have left, with two exceptions. Of the first table a peer with which alone something is
// begun may have all, and each gets kReservedPerPeer places even if nothing is left: the table then
// grows beyond `max`.
// The memory of the other table is shared in the same way. An operation there takes kPlaceBytes,
// and more while its peer makes it keep more.
// Does not: keep the operations, or what each peer holds: that is an argument.

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace lintel::portals {

// The largest `max`, and the slots for both tables: one for the others' table; one for a peer with
// all places of the first, and one for the shares of the others beside it.
inline constexpr std::size_t kMostOfTable = std::size_t{1} << 18;
inline constexpr std::size_t kMostOperations = 3 * kMostOfTable;

class OperationPlaces {
 public:
  // What this process may begin with a peer even if others have the whole table.
  static constexpr std::size_t kReservedPerPeer = 4;
  // An operation of another process, with memory for a source and for a sink, see transfers.cpp.
  static constexpr std::size_t kPlaceBytes = 1088;

  // Places that one peer holds.
  struct Held {
    std::size_t own = 0;     // that this process began, and messages that wait without one
    std::size_t others = 0;  // that requests of the peer began
    std::size_t memory = 0;  // of the latter
  };

  // `memory`: bytes for the operations of other processes.
  explicit OperationPlaces(std::size_t max, std::size_t memory = SIZE_MAX)
      : max_(std::min(max, kMostOfTable)),
        most_own_(kMostOperations - max_),
        memory_limit_(memory) {}

  // The most that one peer has of a table.
  std::size_t most_of_peer() const { return most_of(max_); }
  // Whether this process, or the peer, may begin something more.
  bool may_begin(const Held& held) const {
    return held.own == own_ ? held.own < max_
                            : in_share(held.own, 1, own_in_share_, max_) ||
                                  (held.own < std::min(kReservedPerPeer, max_) && own_ < most_own_);
  }
  bool may_accept(const Held& held) const {
    return in_share(held.others, 1, others_, max_) && may_keep(held, kPlaceBytes);
  }
  // Whether the operations of the peer may take so many bytes more.
  bool may_keep(const Held& held, std::size_t bytes) const {
    return in_share(held.memory, bytes, memory_, memory_limit_);
  }
  // One of them takes `now` bytes beside its place, and took `before`.
  void resize(Held& held, std::size_t before, std::size_t now) {
    held.memory += now - before;
    memory_ += now - before;
  }

  // Counts a place that is taken, or given back, in `held` and here. `own`: of this process.
  void take(Held& held, bool own) {
    if (own) {
      ++own_;
      if (++held.own <= most_of_peer()) ++own_in_share_;
    } else {
      ++held.others;
      ++others_;
      resize(held, 0, kPlaceBytes);
    }
  }
  void give_back(Held& held, bool own) {
    if (own) {
      --own_;
      if (held.own-- <= most_of_peer()) --own_in_share_;
    } else {
      --held.others;
      --others_;
      resize(held, kPlaceBytes, 0);
    }
  }

 private:
  static std::size_t most_of(std::size_t limit) { return std::max<std::size_t>(limit / 4, 1); }
  // Whether a peer that has `held` places of a table, or bytes, may have so many more. `all`: those
  // that are taken of `limit`.
  static bool in_share(std::size_t held, std::size_t more, std::size_t all, std::size_t limit) {
    const std::size_t free = all < limit ? limit - all : 0;
    if (held == 0) return more <= free;
    const std::size_t share = std::min(most_of(limit), free / 2);
    return held <= share && more <= share - held;
  }

  std::size_t max_;
  std::size_t most_own_;          // slots that the others' table leaves, at least twice max_
  std::size_t own_ = 0;           // places taken of this process' table
  std::size_t own_in_share_ = 0;  // without those beyond a quarter
  std::size_t others_ = 0;        // and of the others' table
  std::size_t memory_limit_;
  std::size_t memory_ = 0;
};

}  // namespace lintel::portals
