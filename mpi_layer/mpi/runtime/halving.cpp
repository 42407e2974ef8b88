#include "mpi_layer/mpi/runtime/halving.h"

#include <algorithm>

namespace lintel::mpi {

namespace {

// Pieces [first, end) of `begins`, and the items in them.
struct Pieces {
  int first;
  int end;
  Members::Begins begins;

  std::int64_t item() const { return begins[static_cast<std::size_t>(first)]; }
  std::int64_t items() const { return begins[static_cast<std::size_t>(end)] - item(); }
  Pieces half(bool upper) const {
    const int middle = (first + end) / 2;
    return upper ? Pieces{middle, end, begins} : Pieces{first, middle, begins};
  }
  // The other half of the pieces of which this is one half.
  Pieces sibling(bool is_upper) const {
    const int width = end - first;
    return is_upper ? Pieces{first - width, first, begins} : Pieces{end, end + width, begins};
  }
  Pieces with(const Pieces& sibling) const {
    return {std::min(first, sibling.first), std::max(end, sibling.end), begins};
  }
};

}  // namespace

Members::Members(const Team& team, int favoured) : team_(team), favoured_(favoured) {
  while (count_ * 2 <= team.size()) count_ *= 2;
  pairs_ = team.size() - count_;
}

int Members::rank_of(int member) const {
  if (member >= pairs_) return member + pairs_;
  return favoured_ == 2 * member + 1 ? favoured_ : 2 * member;
}

int Members::inactive_rank_of(int member) const {
  return member < pairs_ ? 4 * member + 1 - rank_of(member) : -1;
}

int Members::fold(Accumulator& items) const {
  const int member = member_of(team_.rank());
  const int inactive = inactive_rank_of(member);
  if (inactive < 0) return MPI_SUCCESS;
  const int acting = rank_of(member);
  if (team_.rank() == inactive) return team_.send(acting, items.own());
  const int error = team_.receive(inactive, items.others());
  if (error == MPI_SUCCESS) items.put(inactive < acting);
  return error;
}

int Members::unfold(const Accumulator& items) const {
  const int member = member_of(team_.rank());
  const int inactive = inactive_rank_of(member);
  if (inactive < 0) return MPI_SUCCESS;
  return team_.rank() == inactive ? team_.receive(rank_of(member), items.result())
                                  : team_.send(inactive, items.own());
}

int Members::combine(Accumulator& items) const {
  for (int bit = 1; bit < count_; bit *= 2) {
    const int partner = rank_of(own() ^ bit);
    if (const int error = team_.exchange(partner, items.own(), partner, items.others());
        error != MPI_SUCCESS)
      return error;
    items.put((own() & bit) != 0);
  }
  return MPI_SUCCESS;
}

// The first step decides the highest bit of the position. So the position is the number of the
// member with its bits reversed.
int Members::piece_of(int member) const {
  int piece = 0;
  for (int bit = 1; bit < count_; bit *= 2) piece = piece * 2 + ((member & bit) != 0 ? 1 : 0);
  return piece;
}

std::vector<std::int64_t> Members::cut(std::int64_t items) const {
  std::vector<std::int64_t> begins(static_cast<std::size_t>(count_) + 1);
  const std::int64_t piece = items / count_;
  const std::int64_t longer = items % count_;
  for (int i = 0; i <= count_; ++i)
    begins[static_cast<std::size_t>(i)] = i * piece + std::min<std::int64_t>(i, longer);
  return begins;
}

int Members::combine_pieces(Accumulator& items, Begins begins) const {
  TransferBatch sends(team_);
  const int error = combine_pieces(items, begins, sends);
  return error != MPI_SUCCESS ? error : sends.finish();
}

int Members::combine_pieces(Accumulator& items, Begins begins, TransferBatch& sends) const {
  Pieces kept{0, count_, begins};
  for (int bit = 1; bit < count_; bit *= 2) {
    const int partner = rank_of(own() ^ bit);
    const bool is_upper = (own() & bit) != 0;
    const Pieces given = kept.half(!is_upper);
    kept = kept.half(is_upper);
    const ItemBuffer out = items.own(given.item(), given.items());
    const auto send = [&] {
      return items.stays() ? sends.send(partner, out) : team_.send(partner, out);
    };
    const int error = team_.receive_while(send, partner, items.others(kept.item(), kept.items()));
    if (error != MPI_SUCCESS) return error;
    items.put(is_upper, kept.item(), kept.items());
  }
  return MPI_SUCCESS;
}

int Members::collect_pieces(const Accumulator& items, Begins begins) const {
  const int piece = piece_of(own());
  Pieces kept{piece, piece + 1, begins};
  for (int bit = count_ / 2; bit > 0; bit /= 2) {
    const int partner = rank_of(own() ^ bit);
    const Pieces sibling = kept.sibling((own() & bit) != 0);
    const int error = team_.exchange(partner, items.own(kept.item(), kept.items()), partner,
                                     items.own(sibling.item(), sibling.items()));
    if (error != MPI_SUCCESS) return error;
    kept = kept.with(sibling);
  }
  return MPI_SUCCESS;
}

int Members::collect_pieces_at(int to, const Accumulator& items, Begins begins) const {
  const int piece = piece_of(own());
  Pieces kept{piece, piece + 1, begins};
  for (int bit = count_ / 2; bit > 0; bit /= 2) {
    const int partner = rank_of(own() ^ bit);
    if (((own() ^ to) & bit) != 0) return team_.send(partner, items.own(kept.item(), kept.items()));
    const Pieces sibling = kept.sibling((own() & bit) != 0);
    if (const int error = team_.receive(partner, items.own(sibling.item(), sibling.items()));
        error != MPI_SUCCESS)
      return error;
    kept = kept.with(sibling);
  }
  return MPI_SUCCESS;
}

}  // namespace lintel::mpi
