#pragma once
// OperationPlaces: how many operations may be under way, and each peer's share of them.
//
// There are two tables of `max` places: one for what this process begins, operations and messages
// that wait without one, and one for operations of other processes. A peer that answers nothing
// keeps its places until it is given up. So each peer has a share of each table, and what is begun
// with one peer never waits for another one. While nothing is begun with any other peer, one may
// have more of the first table; that more is not counted against the others.
// Owned by Operations; guarded by the process' lock.
// Invariant: a peer has at most a quarter of a table, and takes no more than half of what the
// others have left, with two exceptions. Of the first table a peer with which alone something is
// begun may have all, and each gets kInAnyCase places even if nothing is left: the table then grows
// beyond `max`.
// Does not: keep the operations, or what each peer holds: that is an argument.

#include <algorithm>
#include <cstddef>

namespace lintel::portals {

// The largest `max`, and the slots for both tables: one for the others' table; one for a peer with
// all places of the first, and one for the shares of the others beside it.
inline constexpr std::size_t kMostOfTable = std::size_t{1} << 18;
inline constexpr std::size_t kMostOperations = 3 * kMostOfTable;

class OperationPlaces {
 public:
  // What this process may begin with a peer even if others have the whole table.
  static constexpr std::size_t kInAnyCase = 4;

  // Places that one peer holds.
  struct Held {
    std::size_t own = 0;     // that this process began, and messages that wait without one
    std::size_t others = 0;  // that requests of the peer began
  };

  explicit OperationPlaces(std::size_t max)
      : max_(std::min(max, kMostOfTable)),
        most_of_peer_(std::max<std::size_t>(max_ / 4, 1)),
        most_own_(kMostOperations - max_) {}

  // The most that one peer has of a table.
  std::size_t most_of_peer() const { return most_of_peer_; }
  // Whether this process, or the peer, may begin something more.
  bool may_begin(const Held& held) const {
    return held.own == own_ ? held.own < max_
                            : in_share(held.own, own_in_share_) ||
                                  (held.own < std::min(kInAnyCase, max_) && own_ < most_own_);
  }
  bool may_accept(const Held& held) const { return in_share(held.others, others_); }

  // Counts a place that is taken, or given back, in `held` and here. `own`: of this process.
  void take(Held& held, bool own) {
    if (own) {
      ++own_;
      if (++held.own <= most_of_peer_) ++own_in_share_;
    } else {
      ++held.others;
      ++others_;
    }
  }
  void give_back(Held& held, bool own) {
    if (own) {
      --own_;
      if (held.own-- <= most_of_peer_) --own_in_share_;
    } else {
      --held.others;
      --others_;
    }
  }

 private:
  // Whether a peer that has `held` places of a table may have another one. `all`: places that are
  // taken.
  bool in_share(std::size_t held, std::size_t all) const {
    const std::size_t free = all < max_ ? max_ - all : 0;
    return held == 0 ? free > 0 : held < std::min(most_of_peer_, free / 2);
  }

  std::size_t max_;
  std::size_t most_of_peer_;
  std::size_t most_own_;          // slots that the others' table leaves, at least twice max_
  std::size_t own_ = 0;           // places taken of this process' table
  std::size_t own_in_share_ = 0;  // without those beyond a quarter
  std::size_t others_ = 0;        // and of the others' table
};

}  // namespace lintel::portals
