#pragma once
// Broadcasts: puts carry the bytes down the tree, empty puts come up as acknowledgements.

#include "api4/tree_chain.h"

namespace lintel::perf::chains {

class BroadcastChain : public TreeChain {
 public:
  BroadcastChain(const RankInterface& network, const ChainPlan& plan);

  // Every byte of every slot, at every rank but 0.
  std::uint64_t verify() const override;

 protected:
  void tell(Wave wave, unsigned to, std::uint64_t round, const Trigger& when) const override;

 private:
  std::uint64_t pattern_of(std::uint64_t index) const;
};

}  // namespace lintel::perf::chains
