#pragma once
// Steps of reductions that need a power of two of ranks, for a team of any size: pairs of
// neighbours count as one of the members.
//
// Partners are at distance 1, then 2, then 4: what a member has combined is always of neighbouring
// ranks, and is combined in their order. Collective over the team; block. Errors are those of this
// process' transfers.

#include <span>
#include <vector>

#include "mpi_layer/mpi/runtime/accumulator.h"
#include "mpi_layer/mpi/runtime/team.h"

namespace lintel::mpi {

// The greatest power of two of members that a team has ranks for. The first members are pairs: one
// of the two acts, the other gives it its items at the begin and waits for the end.
class Members {
 public:
  // `favoured`: a rank that shall act, if it is in a pair, or -1. The same in all ranks.
  explicit Members(const Team& team, int favoured = -1);

  int count() const { return count_; }
  // Of this rank; -1 if it does not act.
  int own() const { return acts(team_.rank()) ? member_of(team_.rank()) : -1; }
  int member_of(int rank) const { return rank < 2 * pairs_ ? rank / 2 : rank - pairs_; }
  // The rank that acts for a member.
  int rank_of(int member) const;
  // The rank that does not, or -1.
  int silent_rank_of(int member) const;

  // The silent give what they have: those that act have the whole pair's then.
  int fold(Accumulator& items) const;
  // The silent get all items of their pair.
  int unfold(const Accumulator& items) const;

  // ---- For those that act ----
  // All items of all ranks combined. Doubling: all in each step.
  int combine(Accumulator& items) const;

  // The items of a member: those from begins[i] to begins[i + 1] where i is piece_of(member).
  // `begins` has count() + 1 numbers.
  using Begins = std::span<const std::int64_t>;
  int piece_of(int member) const;
  // Equal ones.
  std::vector<std::int64_t> cut(std::int64_t items) const;
  // Each member has its piece of all ranks combined; the rest of its items has no value. Halving:
  // the half of the last step's in each step.
  int combine_pieces(Accumulator& items, Begins begins) const;
  // Each member has all pieces; or only member `to`.
  int collect_pieces(const Accumulator& items, Begins begins) const;
  int collect_pieces_at(int to, const Accumulator& items, Begins begins) const;

 private:
  bool acts(int rank) const { return rank_of(member_of(rank)) == rank; }

  const Team& team_;
  int favoured_;
  int count_ = 1;
  int pairs_;
};

}  // namespace lintel::mpi
