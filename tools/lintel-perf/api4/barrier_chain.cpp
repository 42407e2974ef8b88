// Stage k of a round is done when its message has come and stage k - 1 is done: two increments of one
// counting event. A message may be one round early, never two, as nobody is further than one round ahead
// of anybody: so even and odd rounds have counting events of their own, or the next round's message would
// pass for what is missing in this one.
//
// A verified chain has two more operations in each round. Before a process tells anybody that it has
// entered, it adds one to a word of that round at rank 0, and waits for the ack. When it leaves the round
// it reads that word: everybody has to be in it.

#include <array>

#include "api4/chains.h"

namespace lintel::perf::api4 {
namespace {

constexpr ptl_match_bits_t kWordBits = 1ULL << 32;
constexpr std::uint64_t kWordBytes = sizeof(std::uint64_t);

ptl_match_bits_t bits(std::uint64_t stage, std::uint64_t round) { return stage << 1 | round % 2; }

class BarrierChain final : public CountedChain {
 public:
  BarrierChain(const RankInterface& network, const ChainPlan& plan)
      : CountedChain(plan),
        entered_words_(plan.verify && plan.rank == 0 ? plan.rounds : 0),
        seen_(plan.verify ? plan.rounds : 0),
        begun_(network),
        announced_(network),
        looked_(network),
        nothing_(network, {}),
        one_memory_(network, std::as_writable_bytes(std::span(&one_, 1)), PTL_MD_EVENT_CT_ACK,
                    &announced_),
        seen_memory_(network, std::as_writable_bytes(std::span(seen_)), PTL_MD_EVENT_CT_REPLY,
                     &looked_) {
    for (std::uint64_t stage = 0; stage < stages_of(plan.processes); ++stage) {
      stages_.push_back(std::make_unique<Stage>(network));
      const std::uint64_t behind = plan.rank + plan.processes - (std::uint64_t{1} << stage);
      for (std::uint64_t parity = 0; parity < 2; ++parity) {
        add_entry(network, static_cast<ptl_rank_t>(behind % plan.processes), bits(stage, parity),
                  {}, &counter(stage, parity));
      }
    }
    if (!entered_words_.empty()) {
      add_entry(network, PTL_RANK_ANY, kWordBits, std::as_writable_bytes(std::span(entered_words_)),
                nullptr);
    }
    lay_out();
  }

  void enter() override { begun_.increment(); }

  std::uint64_t verify() const override {
    for (std::uint64_t round = 1; round <= seen_.size(); ++round) {
      if (seen_[round - 1] == plan_.processes) continue;
      fail("barrier {} of {} was left when {} processes had entered it; expected {}", round,
           plan_.rounds, seen_[round - 1], plan_.processes);
    }
    return seen_.size() * stages_.size();
  }

  std::uint64_t rounds_done() const override {
    const auto& counters = stages_.back()->counters;
    return counters[0].successes() / 2 + counters[1].successes() / 2;
  }

 private:
  struct Stage {
    explicit Stage(const RankInterface& network)
        : counters{{ChainCounter(network), ChainCounter(network)}} {}
    std::array<ChainCounter, 2> counters;  // of even and of odd rounds
  };

  void add_entry(const RankInterface& network, ptl_rank_t from, ptl_match_bits_t match_bits,
                 std::span<std::byte> memory, const ChainCounter* counted) {
    entries_.push_back(std::make_unique<ChainEntry>(network, from, match_bits, memory, counted));
  }

  const ChainCounter& counter(std::uint64_t stage, std::uint64_t round) const {
    return stages_[stage]->counters[round % 2];
  }
  // When stage `stage` of the round is done; the last one: the round.
  Trigger stage_done(std::uint64_t stage, std::uint64_t round) const {
    return {&counter(stage, round), 2 * ((round + 1) / 2)};
  }
  Trigger done(std::uint64_t round) const { return stage_done(stages_.size() - 1, round); }

  void lay_out() const {
    for (std::uint64_t round = 1; round <= plan_.rounds; ++round) {
      Trigger when = round == 1 ? Trigger{&begun_, 1} : done(round - 1);
      const ChainTarget words{0, kWordBits};
      const ptl_size_t word = (round - 1) * kWordBytes;
      if (plan_.verify) {
        one_memory_.add(when, words, 0, word, kWordBytes, PTL_CT_ACK_REQ);
        when = {&announced_, round};
      }
      for (std::uint64_t stage = 0; stage < stages_.size(); ++stage) {
        // The message, and the half of the stage's end that is not the message from behind.
        const std::uint64_t ahead = (plan_.rank + (std::uint64_t{1} << stage)) % plan_.processes;
        nothing_.put(when, {static_cast<ptl_rank_t>(ahead), bits(stage, round)}, 0, 0);
        counter(stage, round).increment(when);
        when = stage_done(stage, round);
      }
      if (plan_.verify) seen_memory_.get(when, words, word, kWordBytes);
    }
  }

  void set_off() override { enter(); }
  Trigger end() const override { return done(plan_.rounds); }
  std::vector<Trigger> final_counts() const override {
    std::vector<Trigger> counts;
    for (std::uint64_t stage = 0; stage < stages_.size(); ++stage) {
      counts.push_back(stage_done(stage, plan_.rounds));
      counts.push_back(stage_done(stage, plan_.rounds - 1));  // the other counting event
    }
    if (plan_.verify) {
      counts.insert(counts.end(), {{&announced_, plan_.rounds}, {&looked_, plan_.rounds}});
    }
    return counts;
  }

  std::vector<std::uint64_t> entered_words_;  // verified, rank 0: how many have entered each round
  std::vector<std::uint64_t> seen_;           // verified: the words as this process left the round
  std::uint64_t one_ = 1;
  ChainCounter begun_;
  ChainCounter announced_;
  ChainCounter looked_;
  std::vector<std::unique_ptr<Stage>> stages_;
  std::vector<std::unique_ptr<ChainEntry>> entries_;
  ChainMemory nothing_;
  ChainMemory one_memory_;
  ChainMemory seen_memory_;
};

}  // namespace

std::unique_ptr<Chain> make_barrier_chain(const RankInterface& network, const ChainPlan& plan) {
  return std::make_unique<BarrierChain>(network, plan);
}

}  // namespace lintel::perf::api4
