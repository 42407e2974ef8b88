#pragma once
// One rank's part in a chain: rounds of a collective operation that are laid out as triggered operations and then run by themselves.
//
// The order of calls, with a meeting of all ranks between each two: the constructor; lay_out(); enter() by all but rank 0; run() by rank 0, while the others
// call nothing; settle(); verify(); the end. rounds_done() may be called by any thread after lay_out().

#include <chrono>
#include <cstdint>
#include <memory>
#include <vector>

#include "api4/chain_objects.h"
#include "chain_kind.h"

namespace lintel::perf::chains {

struct ChainPlan {
  unsigned rank = 0;
  unsigned processes = 0;
  std::uint64_t size = 0;  // bytes of a message
  std::uint64_t rounds = 0;
  std::uint64_t slots = 0;   // messages that have memory of their own; round r uses slot_of(r)
  std::uint64_t serial = 0;  // number of the chain, so that no two have the same bytes
  bool verify = false;

  // The last round shares its slot with no other.
  std::uint64_t slot_of(std::uint64_t round) const { return round == rounds ? slots - 1 : (round - 1) % (slots - 1); }
};

class Chain {
 public:
  virtual ~Chain() = default;

  // Makes the entries and everything that is to happen. Sends nothing.
  virtual void lay_out() = 0;

  // From now on this process takes part, without any call.
  virtual void enter() {}

  // Sets the chain off and returns when all rounds are done.
  void run();

  // Waits for all that this process still has to get from the others. Throws Failure(kFailed) if it does not come, or more than that has come.
  void settle(std::chrono::milliseconds limit) const;

  // Compares what came with what had to come. Returns the number of messages; throws Failure(kFailed).
  virtual std::uint64_t verify() const = 0;

  virtual std::uint64_t rounds_done() const = 0;

 protected:
  Chain(const RankInterface& network, const ChainPlan& plan) : network_(network), plan_(plan) {}

  virtual void set_off() = 0;
  // When the last round is done here.
  virtual Trigger end() const = 0;
  // What the counters have at the end of all.
  virtual std::vector<Trigger> final_counts() const = 0;

  const RankInterface& network_;
  const ChainPlan plan_;
};

std::unique_ptr<Chain> make_chain(ChainKind kind, const RankInterface& network, const ChainPlan& plan);

}  // namespace lintel::perf::chains
