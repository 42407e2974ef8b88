#include "api4/broadcast_chain.h"

#include <fmt/format.h>

#include "api4/portals4_call.h"
#include "failure.h"
#include "pattern.h"

namespace lintel::perf::chains {

using api4::check_call;

BroadcastChain::BroadcastChain(const RankInterface& network, const ChainPlan& plan) : TreeChain(network, plan, Wave::kDown) {
  if (!plan.verify) return;
  for (std::uint64_t index = 0; index < plan.slots; ++index) {
    if (plan.rank == 0) {
      fill_pattern(slot(index), pattern_of(index), 0);
    } else {
      fill_poison(slot(index), pattern_of(index), 0);
    }
  }
}

std::uint64_t BroadcastChain::pattern_of(std::uint64_t index) const { return pattern_id(Origin::kInitiator, plan_.serial, index); }

void BroadcastChain::tell(Wave wave, unsigned to, std::uint64_t round, const Trigger& when) const {
  if (wave == Wave::kUp) return tell_nothing(wave, to, when);
  ptl_process_t target{};
  target.rank = to;
  check_call(PtlTriggeredPut(descriptor().handle(), offset_of(round), plan_.size, PTL_NO_ACK_REQ, target, kChainPortal,
                             static_cast<ptl_match_bits_t>(wave), offset_of(round), nullptr, 0, when.counter->handle(), when.count),
             "PtlTriggeredPut");
}

std::uint64_t BroadcastChain::verify() const {
  if (plan_.rank == 0) return 0;
  for (std::uint64_t index = 0; index < plan_.slots; ++index) {
    const auto wrong = check_pattern(slot(index), pattern_of(index), 0);
    if (!wrong) continue;
    throw Failure(ExitCode::kFailed, fmt::format("byte {} of {} in slot {} of {} is {:#04x}; expected {:#04x}", wrong->offset, plan_.size,
                                                 index, plan_.slots, wrong->found, wrong->expected));
  }
  return plan_.slots;
}

}  // namespace lintel::perf::chains
