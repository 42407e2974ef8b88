#pragma once
// BinomialTree: a binomial tree over all ranks of a team. Its depth is the logarithm of their
// number. Positions count the ranks cyclically from the root. The subtree of a position consists of
// that position and those that follow it, so its data are contiguous.
//
// A value, computed by each rank for itself.

#include <array>
#include <cstddef>
#include <span>

namespace lintel::mpi {

class BinomialTree {
 public:
  // A rank, its position, and the number of positions in its subtree.
  struct Branch {
    int rank = 0;
    int position = 0;
    int span = 0;
  };

  BinomialTree(int root, int rank, int size) {
    const auto rank_at = [&](int position) { return (position + root) % size; };
    const int position = (rank - root + size) % size;
    int bit = 1;
    while (bit < size && (position & bit) == 0) bit *= 2;
    own_ = {rank, position, position + bit < size ? bit : size - position};
    if (position != 0) parent_ = rank_at(position - bit);
    for (bit /= 2; bit > 0; bit /= 2) {
      const int child = position + bit;
      if (child < size)
        children_[count_++] = {rank_at(child), child, child + bit < size ? bit : size - child};
    }
  }

  bool is_root() const { return own_.position == 0; }
  const Branch& own() const { return own_; }
  int parent() const { return parent_; }  // a rank. REQUIRES: not the root
  // In order of size, the largest subtree first.
  std::span<const Branch> children() const { return {children_.data(), count_}; }

 private:
  Branch own_;
  int parent_ = -1;
  std::size_t count_ = 0;
  std::array<Branch, 31> children_;
};

}  // namespace lintel::mpi
