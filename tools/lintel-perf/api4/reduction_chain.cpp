#include "api4/reduction_chain.h"

#include <fmt/format.h>

#include <cstring>

#include "api4/portals4_call.h"
#include "api4/tree.h"
#include "failure.h"

namespace lintel::perf::chains {

using api4::check_call;
namespace {

constexpr std::uint64_t kWord = sizeof(std::uint64_t);

}  // namespace

ReductionChain::ReductionChain(const RankInterface& network, const ChainPlan& plan) : TreeChain(network, plan, Wave::kUp) {
  if (!plan.verify) return;
  for (std::uint64_t index = 0; index < plan.slots; ++index) {
    for (std::uint64_t word = 0; word < plan.size / kWord; ++word) {
      const std::uint64_t value = contribution(plan.rank, index, word);
      std::memcpy(slot(index).data() + word * kWord, &value, kWord);
    }
  }
}

// Mixed, so that no sum passes for another, and carries run through all bytes.
std::uint64_t ReductionChain::contribution(unsigned rank, std::uint64_t index, std::uint64_t word) const {
  std::uint64_t mixed = (plan_.serial << 48 ^ index << 24 ^ word << 8 ^ rank) + 0x9e3779b97f4a7c15;
  mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9;
  return mixed ^ mixed >> 27;
}

void ReductionChain::tell(Wave wave, unsigned to, std::uint64_t round, const Trigger& when) const {
  if (wave == Wave::kDown) return tell_nothing(wave, to, when);
  ptl_process_t target{};
  target.rank = to;
  check_call(PtlTriggeredAtomic(descriptor().handle(), offset_of(round), plan_.size, PTL_NO_ACK_REQ, target, kChainPortal,
                                static_cast<ptl_match_bits_t>(wave), offset_of(round), nullptr, 0, PTL_SUM, PTL_UINT64_T,
                                when.counter->handle(), when.count),
             "PtlTriggeredAtomic");
}

std::uint64_t ReductionChain::verify() const {
  const unsigned end = subtree_end(plan_.rank, plan_.processes);
  for (std::uint64_t index = 0; index < plan_.slots; ++index) {
    for (std::uint64_t word = 0; word < plan_.size / kWord; ++word) {
      std::uint64_t expected = 0;
      for (unsigned rank = plan_.rank; rank < end; ++rank) expected += contribution(rank, index, word);
      std::uint64_t found = 0;
      std::memcpy(&found, slot(index).data() + word * kWord, kWord);
      if (found == expected) continue;
      throw Failure(ExitCode::kFailed, fmt::format("word {} of reduction {} of {} is {:#x}; expected {:#x}, the sum over ranks {} to {}",
                                                   word, index + 1, plan_.rounds, found, expected, plan_.rank, end - 1));
    }
  }
  return plan_.rank == 0 ? plan_.slots * (plan_.processes - 1) : 0;
}

}  // namespace lintel::perf::chains
