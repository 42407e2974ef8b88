#pragma once
// The chains: collective operations of many processes that are made of triggered operations alone.
// What follows from their form, and what one rank does; api4/ implements it.

#include <bit>
#include <chrono>
#include <cstdint>
#include <memory>
#include <vector>

#include "operations.h"

namespace lintel::perf {

enum class ChainKind { kBarrier, kBroadcast, kReduction };

// Stages of a dissemination barrier, and children of rank 0 in a binomial tree: log2, rounded up.
// REQUIRES: processes >= 2.
constexpr std::uint64_t stages_of(std::uint64_t processes) {
  return static_cast<std::uint64_t>(std::bit_width(processes - 1));
}

// Messages of all processes together in one round.
constexpr std::uint64_t messages_per_round(ChainKind kind, std::uint64_t processes) {
  return kind == ChainKind::kBarrier ? processes * stages_of(processes) : 2 * (processes - 1);
}

// How many triggered operations of one round wait on the counting event that has most of them.
constexpr std::uint64_t triggered_per_round(ChainKind kind, std::uint64_t processes) {
  return kind == ChainKind::kBarrier ? 2 : stages_of(processes);
}

struct ChainPlan {
  ChainKind kind = ChainKind::kBarrier;
  unsigned rank = 0;
  unsigned processes = 0;
  std::uint64_t size = 0;  // bytes of a message
  std::uint64_t rounds = 0;
  std::uint64_t slots = 0;   // messages that have memory of their own; round r uses slot_of(r)
  std::uint64_t serial = 0;  // number of the chain, so that no two have the same bytes
  bool verify = false;

  // The last round shares its slot with no other.
  std::uint64_t slot_of(std::uint64_t round) const {
    return round == rounds ? slots - 1 : (round - 1) % (slots - 1);
  }
};

// One rank's part in a chain: rounds of a collective operation that are laid out as triggered
// operations and then run by themselves. Laid out, it has sent nothing.
//
// The order of calls, with a barrier of all ranks between each two: enter() by all but rank 0;
// run() by rank 0, while the others call nothing; settle(); verify(); the end.
class LINTEL_PERF_SEAM Chain {
 public:
  virtual ~Chain() = default;
  Chain(const Chain&) = delete;
  Chain& operator=(const Chain&) = delete;

  // From now on this process takes part, without any call.
  virtual void enter() = 0;
  // Starts the chain and returns when all rounds are done.
  virtual void run() = 0;
  // Waits for all that this process still has to get from the others. Throws PerfFailure(kFailed)
  // if it does not come, or more than that has come.
  virtual void settle(std::chrono::milliseconds limit) const = 0;
  // Compares what came with what had to come. Returns the number of messages; throws
  // PerfFailure(kFailed). REQUIRES: plan.verify.
  virtual std::uint64_t verify() const = 0;
  // From any thread.
  virtual std::uint64_t rounds_done() const = 0;

 protected:
  Chain() = default;
};

// The interface of one rank. Outlives every chain that is laid out on it. One per process.
class LINTEL_PERF_SEAM ChainInterface {
 public:
  virtual ~ChainInterface() = default;
  ChainInterface(const ChainInterface&) = delete;
  ChainInterface& operator=(const ChainInterface&) = delete;

  virtual ProcessName name() const = 0;
  virtual std::uint64_t max_triggered() const = 0;  // operations on one counting event
  virtual std::uint64_t max_atomic() const = 0;     // bytes
  // Names all ranks; before anything is laid out.
  virtual void set_map(const std::vector<ProcessName>& names) = 0;
  virtual std::unique_ptr<Chain> lay_out(const ChainPlan& plan) = 0;

 protected:
  ChainInterface() = default;
};

// Throws PerfFailure(kUnusable) if the interface cannot be had.
LINTEL_PERF_SEAM std::unique_ptr<ChainInterface> open_chain_interface();

}  // namespace lintel::perf
