#include "api4/chains.h"

#include "api4/portals4_call.h"

namespace lintel::perf {
namespace api4 {

void CountedChain::settle(std::chrono::milliseconds limit) const {
  for (const Trigger& final : final_counts()) final.counter->expect(final.count, limit);
  check_call(PtlAtomicSync(), "PtlAtomicSync");  // what others wrote is now to be read
}

std::unique_ptr<Chain> RankInterface::lay_out(const ChainPlan& plan) {
  return plan.kind == ChainKind::kBarrier ? make_barrier_chain(*this, plan)
                                          : make_tree_chain(*this, plan);
}

}  // namespace api4

std::unique_ptr<ChainInterface> open_chain_interface() {
  return std::make_unique<api4::RankInterface>();
}

}  // namespace lintel::perf
