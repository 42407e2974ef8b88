#pragma once
// Reductions: empty puts down the tree begin a round, atomics carry sums of 64-bit words up. Each round has a slot of its own, in which a process finds its
// own words at first, and those of its subtree added to them at the end; at rank 0 that is the result.

#include "api4/tree_chain.h"

namespace lintel::perf::chains {

class ReductionChain : public TreeChain {
 public:
  // REQUIRES: plan.slots == plan.rounds.
  ReductionChain(const RankInterface& network, const ChainPlan& plan);

  // Every word of every round's sum over the subtree; at rank 0 that is the result. Counts the contributions in the result.
  std::uint64_t verify() const override;

 protected:
  void tell(Wave wave, unsigned to, std::uint64_t round, const Trigger& when) const override;

 private:
  // What `rank` contributes to word `word` of slot `index`.
  std::uint64_t contribution(unsigned rank, std::uint64_t index, std::uint64_t word) const;
};

}  // namespace lintel::perf::chains
