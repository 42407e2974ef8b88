#pragma once
// Barriers by dissemination: in stage k of a round each process tells the one 2^k ranks further that it has entered, and that those behind it have.
//
// Stage k of a round is done when its message has come and stage k - 1 is done: two increments of one counting event. A message may be one round early, never
// two, as nobody is further than one round ahead of anybody: so even and odd rounds have counting events of their own, or the next round's message would
// pass for what is missing in this one.
//
// A verified chain has two more operations in each round. Before a process tells anybody that it has entered, it adds one to a word of that round at rank 0,
// and waits for the ack. When it leaves the round it reads that word: everybody has to be in it.

#include <array>

#include "api4/chain.h"

namespace lintel::perf::chains {

class BarrierChain : public Chain {
 public:
  BarrierChain(const RankInterface& network, const ChainPlan& plan);

  void lay_out() override;
  void enter() override;
  std::uint64_t verify() const override;
  std::uint64_t rounds_done() const override;

 protected:
  void set_off() override { enter(); }
  Trigger end() const override { return done(plan_.rounds); }
  std::vector<Trigger> final_counts() const override;

 private:
  struct Stage {
    explicit Stage(const RankInterface& network) : counters{{Counter(network), Counter(network)}} {}
    std::array<Counter, 2> counters;  // of even and of odd rounds
  };

  const Counter& counter(std::uint64_t stage, std::uint64_t round) const { return stages_[stage]->counters[round % 2]; }
  // When stage `stage` of the round is done; the last one: the round.
  Trigger stage_done(std::uint64_t stage, std::uint64_t round) const { return {&counter(stage, round), 2 * ((round + 1) / 2)}; }
  Trigger done(std::uint64_t round) const { return stage_done(stages_.size() - 1, round); }

  void tell(std::uint64_t stage, std::uint64_t round, const Trigger& when) const;
  Trigger announce(std::uint64_t round, const Trigger& when) const;
  void look(std::uint64_t round) const;

  std::vector<std::uint64_t> entered_words_;  // verified, rank 0: how many have entered each round
  std::vector<std::uint64_t> seen_;           // verified: the words as this process left the round
  std::uint64_t one_ = 1;
  Counter begun_;
  Counter announced_;
  Counter looked_;
  std::vector<std::unique_ptr<Stage>> stages_;
  std::vector<std::unique_ptr<Entry>> entries_;
  Descriptor nothing_;
  Descriptor one_descriptor_;
  Descriptor seen_descriptor_;
};

}  // namespace lintel::perf::chains
