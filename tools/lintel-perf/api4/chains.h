#pragma once
// What all chains have in common: rank 0 sets them off, and counting events tell what is done.

#include <memory>

#include "api4/chain_objects.h"

namespace lintel::perf::api4 {

class CountedChain : public Chain {
 public:
  void enter() override {}
  void run() final {
    set_off();
    const Trigger last = end();
    last.counter->wait(last.count);
  }
  void settle(std::chrono::milliseconds limit) const final;

 protected:
  explicit CountedChain(const ChainPlan& plan) : plan_(plan) {}

  virtual void set_off() = 0;
  // When the last round is done here.
  virtual Trigger end() const = 0;
  // What the counters have at the end of all.
  virtual std::vector<Trigger> final_counts() const = 0;

  const ChainPlan plan_;
};

// Barriers by dissemination: in stage k of a round each process tells the one 2^k ranks further that it
// has entered, and that those behind it have. See barrier_chain.cpp.
std::unique_ptr<Chain> make_barrier_chain(const RankInterface& network, const ChainPlan& plan);

// Broadcasts and reductions: a wave down a binomial tree, then one up, in each round. See tree_chain.cpp.
std::unique_ptr<Chain> make_tree_chain(const RankInterface& network, const ChainPlan& plan);

}  // namespace lintel::perf::api4
