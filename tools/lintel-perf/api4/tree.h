#pragma once
// A binomial tree of ranks with rank 0 at its root: a rank's parent has its lowest bit cleared, and a rank's subtree are the ranks from it on.

#include <algorithm>
#include <vector>

namespace lintel::perf::chains {

// REQUIRES: rank > 0.
constexpr unsigned parent_of(unsigned rank) { return rank & (rank - 1); }

// One past the last rank of the subtree.
constexpr unsigned subtree_end(unsigned rank, unsigned processes) {
  return rank == 0 ? processes : std::min(processes, rank + (rank & (0U - rank)));
}

// The one with the largest subtree, which takes longest, comes first.
inline std::vector<unsigned> children_of(unsigned rank, unsigned processes) {
  std::vector<unsigned> children;
  for (unsigned bit = 1; rank + bit < subtree_end(rank, processes); bit <<= 1) children.insert(children.begin(), rank + bit);
  return children;
}

}  // namespace lintel::perf::chains
