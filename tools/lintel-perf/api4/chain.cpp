#include "api4/chain.h"

#include "api4/barrier_chain.h"
#include "api4/broadcast_chain.h"
#include "api4/portals4_call.h"
#include "api4/reduction_chain.h"

namespace lintel::perf::chains {

using api4::check_call;

void Chain::run() {
  set_off();
  const Trigger last = end();
  last.counter->wait(last.count);
}

void Chain::settle(std::chrono::milliseconds limit) const {
  for (const Trigger& final : final_counts()) final.counter->expect(final.count, limit);
  check_call(PtlAtomicSync(), "PtlAtomicSync");  // what others wrote is now to be read
}

std::unique_ptr<Chain> make_chain(ChainKind kind, const RankInterface& network, const ChainPlan& plan) {
  switch (kind) {
    case ChainKind::kBroadcast: return std::make_unique<BroadcastChain>(network, plan);
    case ChainKind::kReduction: return std::make_unique<ReductionChain>(network, plan);
    case ChainKind::kBarrier: break;
  }
  return std::make_unique<BarrierChain>(network, plan);
}

}  // namespace lintel::perf::chains
