#include "api4/barrier_chain.h"

#include <fmt/format.h>

#include "api4/portals4_call.h"
#include "failure.h"

namespace lintel::perf::chains {

using api4::check_call;
namespace {

constexpr ptl_match_bits_t kWordBits = 1ULL << 32;

ptl_match_bits_t bits(std::uint64_t stage, std::uint64_t round) { return stage << 1 | round % 2; }

}  // namespace

BarrierChain::BarrierChain(const RankInterface& network, const ChainPlan& plan)
    : Chain(network, plan),
      entered_words_(plan.verify && plan.rank == 0 ? plan.rounds : 0),
      seen_(plan.verify ? plan.rounds : 0),
      begun_(network),
      announced_(network),
      looked_(network),
      nothing_(network, {}),
      one_descriptor_(network, std::as_writable_bytes(std::span(&one_, 1)), PTL_MD_EVENT_CT_ACK, &announced_),
      seen_descriptor_(network, std::as_writable_bytes(std::span(seen_)), PTL_MD_EVENT_CT_REPLY, &looked_) {
  const std::uint64_t stages = stages_of(plan.processes);
  for (std::uint64_t stage = 0; stage < stages; ++stage) {
    stages_.push_back(std::make_unique<Stage>(network));
    const auto behind = static_cast<ptl_rank_t>((plan.rank + plan.processes - (std::uint64_t{1} << stage)) % plan.processes);
    for (std::uint64_t parity = 0; parity < 2; ++parity) {
      entries_.push_back(std::make_unique<Entry>(network, behind, bits(stage, parity), std::span<std::byte>(), &counter(stage, parity)));
    }
  }
  if (!entered_words_.empty()) {
    entries_.push_back(
        std::make_unique<Entry>(network, PTL_RANK_ANY, kWordBits, std::as_writable_bytes(std::span(entered_words_)), nullptr));
  }
}

// The message of one stage, and the half of that stage's end that is not the message from behind.
void BarrierChain::tell(std::uint64_t stage, std::uint64_t round, const Trigger& when) const {
  ptl_process_t ahead{};
  ahead.rank = static_cast<ptl_rank_t>((plan_.rank + (std::uint64_t{1} << stage)) % plan_.processes);
  check_call(PtlTriggeredPut(nothing_.handle(), 0, 0, PTL_NO_ACK_REQ, ahead, kChainPortal, bits(stage, round), 0, nullptr, 0,
                             when.counter->handle(), when.count),
             "PtlTriggeredPut");
  check_call(PtlTriggeredCTInc(counter(stage, round).handle(), {1, 0}, when.counter->handle(), when.count), "PtlTriggeredCTInc");
}

Trigger BarrierChain::announce(std::uint64_t round, const Trigger& when) const {
  check_call(PtlTriggeredAtomic(one_descriptor_.handle(), 0, sizeof one_, PTL_CT_ACK_REQ, {}, kChainPortal, kWordBits,
                                (round - 1) * sizeof one_, nullptr, 0, PTL_SUM, PTL_UINT64_T, when.counter->handle(), when.count),
             "PtlTriggeredAtomic");
  return {&announced_, round};
}

void BarrierChain::look(std::uint64_t round) const {
  const Trigger when = done(round);
  const ptl_size_t offset = (round - 1) * sizeof(std::uint64_t);
  check_call(PtlTriggeredGet(seen_descriptor_.handle(), offset, sizeof(std::uint64_t), {}, kChainPortal, kWordBits, offset, nullptr,
                             when.counter->handle(), when.count),
             "PtlTriggeredGet");
}

void BarrierChain::lay_out() {
  for (std::uint64_t round = 1; round <= plan_.rounds; ++round) {
    Trigger when = round == 1 ? Trigger{&begun_, 1} : done(round - 1);
    if (plan_.verify) when = announce(round, when);
    for (std::uint64_t stage = 0; stage < stages_.size(); ++stage) {
      tell(stage, round, when);
      when = stage_done(stage, round);
    }
    if (plan_.verify) look(round);
  }
}

void BarrierChain::enter() { begun_.increment(); }

std::vector<Trigger> BarrierChain::final_counts() const {
  std::vector<Trigger> counts;
  for (std::uint64_t stage = 0; stage < stages_.size(); ++stage) {
    counts.push_back(stage_done(stage, plan_.rounds));
    counts.push_back(stage_done(stage, plan_.rounds - 1));  // the other counting event
  }
  if (plan_.verify) counts.insert(counts.end(), {{&announced_, plan_.rounds}, {&looked_, plan_.rounds}});
  return counts;
}

std::uint64_t BarrierChain::verify() const {
  for (std::uint64_t round = 1; round <= seen_.size(); ++round) {
    if (seen_[round - 1] == plan_.processes) continue;
    throw Failure(ExitCode::kFailed, fmt::format("barrier {} of {} was left when {} processes had entered it; expected {}", round,
                                                 plan_.rounds, seen_[round - 1], plan_.processes));
  }
  return seen_.size() * stages_.size();
}

std::uint64_t BarrierChain::rounds_done() const {
  return counter(stages_.size() - 1, 0).successes() / 2 + counter(stages_.size() - 1, 1).successes() / 2;
}

}  // namespace lintel::perf::chains
