#include "api4/tree_chain.h"

#include "api4/portals4_call.h"
#include "api4/tree.h"

namespace lintel::perf::chains {

using api4::check_call;

TreeChain::TreeChain(const RankInterface& network, const ChainPlan& plan, Wave carrier)
    : Chain(network, plan),
      memory_(plan.size * plan.slots),
      children_(children_of(plan.rank, plan.processes)),
      down_(network),
      up_(network),
      descriptor_(network, memory_),
      up_entry_(network, PTL_RANK_ANY, static_cast<ptl_match_bits_t>(Wave::kUp),
                carrier == Wave::kUp ? std::span(memory_) : std::span<std::byte>(), &up_) {
  if (plan.rank == 0) return;
  down_entry_ = std::make_unique<Entry>(network, parent_of(plan.rank), static_cast<ptl_match_bits_t>(Wave::kDown),
                                        carrier == Wave::kDown ? std::span(memory_) : std::span<std::byte>(), &down_);
}

void TreeChain::tell_nothing(Wave wave, unsigned to, const Trigger& when) const {
  ptl_process_t target{};
  target.rank = to;
  check_call(PtlTriggeredPut(descriptor_.handle(), 0, 0, PTL_NO_ACK_REQ, target, kChainPortal, static_cast<ptl_match_bits_t>(wave), 0,
                             nullptr, 0, when.counter->handle(), when.count),
             "PtlTriggeredPut");
}

Trigger TreeChain::up(std::uint64_t round) const {
  return children_.empty() ? Trigger{&down_, round} : Trigger{&up_, round * children_.size()};
}

void TreeChain::lay_out() {
  for (std::uint64_t round = 1; round <= plan_.rounds; ++round) {
    const Trigger begin = plan_.rank == 0 && round > 1 ? up(round - 1) : Trigger{&down_, round};
    for (const unsigned child : children_) tell(Wave::kDown, child, round, begin);
    if (plan_.rank > 0) tell(Wave::kUp, parent_of(plan_.rank), round, up(round));
  }
}

std::vector<Trigger> TreeChain::final_counts() const {
  return {{&down_, plan_.rank == 0 ? 1 : plan_.rounds}, {&up_, plan_.rounds * children_.size()}};
}

std::uint64_t TreeChain::rounds_done() const { return children_.empty() ? down_.successes() : up_.successes() / children_.size(); }

}  // namespace lintel::perf::chains
