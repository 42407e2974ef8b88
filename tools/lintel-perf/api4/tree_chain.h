#pragma once
// What broadcast and reduction have in common: a wave down a binomial tree, then one up, in each round. The next round begins when the wave is up again.
//
// Down: a process tells its children when its parent has told it. Up: it tells its parent when all its children have told it, a leaf at once. Which of
// the two waves carries bytes is what the chains differ in. Rounds do not overlap anywhere, so one counting event for each wave is enough.

#include <cstddef>
#include <span>
#include <vector>

#include "api4/chain.h"

namespace lintel::perf::chains {

class TreeChain : public Chain {
 public:
  void lay_out() final;
  std::uint64_t rounds_done() const final;

 protected:
  enum class Wave : ptl_match_bits_t { kDown = 1, kUp = 2 };

  // `carrier`: the wave that carries the bytes of the rounds' slots, from memory to memory. The other one's messages are empty.
  TreeChain(const RankInterface& network, const ChainPlan& plan, Wave carrier);

  // One message of `wave` to `to` in this round, with that slot's bytes if the wave carries them.
  virtual void tell(Wave wave, unsigned to, std::uint64_t round, const Trigger& when) const = 0;

  // An empty one.
  void tell_nothing(Wave wave, unsigned to, const Trigger& when) const;

  ptl_size_t offset_of(std::uint64_t round) const { return plan_.slot_of(round) * plan_.size; }
  std::span<std::byte> slot(std::uint64_t index) { return std::span(memory_).subspan(index * plan_.size, plan_.size); }
  std::span<const std::byte> slot(std::uint64_t index) const { return std::span(memory_).subspan(index * plan_.size, plan_.size); }
  const Descriptor& descriptor() const { return descriptor_; }

 private:
  void set_off() final { down_.increment(); }
  // When the wave is up again in this process.
  Trigger up(std::uint64_t round) const;
  Trigger end() const final { return up(plan_.rounds); }
  std::vector<Trigger> final_counts() const final;

  std::vector<std::byte> memory_;
  const std::vector<unsigned> children_;
  Counter down_;  // of rank 0: has been set off
  Counter up_;
  Descriptor descriptor_;
  Entry up_entry_;
  std::unique_ptr<Entry> down_entry_;
};

}  // namespace lintel::perf::chains
