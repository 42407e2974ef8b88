#pragma once
// Steps of reductions that need a power of two of ranks, for a team of any size: a pair of
// neighbouring ranks may count as one member.
//
// Partners are at distance 1, then 2, then 4. So a member always has the combination of
// neighbouring ranks, in their order. Collective over the team; they block. Errors are those of
// this process' transfers.

#include <span>
#include <vector>

#include "mpi_layer/mpi/runtime/accumulator.h"
#include "mpi_layer/mpi/runtime/team.h"
#include "mpi_layer/mpi/runtime/transfer_batch.h"

namespace lintel::mpi {

// The members: the greatest power of two that is at most the number of ranks. The first members are
// pairs of ranks. One rank of a pair is active. The other gives its items to the active one at the
// beginning, and waits for the end.
class Members {
 public:
  // `favoured`: a rank that is to be active if it is in a pair, or -1. The same in all ranks.
  explicit Members(const Team& team, int favoured = -1);

  int count() const { return count_; }
  // The member of this rank; -1 if the rank is not active.
  int own() const { return acts(team_.rank()) ? member_of(team_.rank()) : -1; }
  int member_of(int rank) const { return rank < 2 * pairs_ ? rank / 2 : rank - pairs_; }
  // The active rank of a member.
  int rank_of(int member) const;
  // The inactive rank of a member, or -1.
  int inactive_rank_of(int member) const;

  // Inactive ranks give their items to the active ones, which combine them.
  int fold(Accumulator& items) const;
  // Inactive ranks receive all items from the active ones.
  int unfold(const Accumulator& items) const;

  // ---- For active ranks
  // Combines all items of all ranks. Doubling: each step moves all items.
  int combine(Accumulator& items) const;

  // The items of a member: those from begins[i] to begins[i + 1] where i is piece_of(member).
  // `begins` has count() + 1 numbers.
  using Begins = std::span<const std::int64_t>;
  int piece_of(int member) const;
  // Pieces of equal length.
  std::vector<std::int64_t> cut(std::int64_t items) const;
  // Each member gets the combination of its piece over all ranks; its other items are undefined.
  // Halving: each step moves half as many items as the step before.
  int combine_pieces(Accumulator& items, Begins begins) const;
  // The same, but the send of the first step may be left under way in `sends`. Its acknowledgement
  // then comes with a later message of the peer, and nobody waits for it alone.
  int combine_pieces(Accumulator& items, Begins begins, TransferBatch& sends) const;
  // Each member gets all pieces; or only member `to` does.
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
