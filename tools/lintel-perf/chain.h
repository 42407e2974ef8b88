#pragma once
// The chains: collective operations of many processes that are made of triggered operations alone.
// What follows from their form, and what the processes of a chain and the one that starts them have
// in common; api4/ implements the ranks.

#include <pthread.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstdint>

#include "operations.h"
#include "options.h"

namespace lintel::perf {

// Stages of a dissemination barrier, and children of rank 0 in a binomial tree: log2, rounded up.
// REQUIRES: processes >= 2.
constexpr std::uint64_t stages_of(std::uint64_t processes) {
  return static_cast<std::uint64_t>(std::bit_width(processes - 1));
}

// Of all processes together.
inline constexpr std::uint64_t kSlotMemory = std::uint64_t{64} << 20;
inline constexpr std::uint64_t kPassMemory = std::uint64_t{256} << 20;
inline constexpr auto kReportEvery = std::chrono::milliseconds(250);

// What all ranks do before they synchronize.
enum class ChainStep { kOpen, kMap, kLayOut, kEnter, kStart, kSettle, kFinish };

struct RankState {
  ProcessName name;
  std::uint64_t verified = 0;             // messages, at the present size
  std::atomic<std::uint64_t> steps = 0;   // that it has done
  std::atomic<std::uint64_t> rounds = 0;  // done of the present batch, at the last report
  std::atomic<std::uint64_t> reports = 0;
  std::atomic<ExitCode> code = ExitCode::kOk;  // when it has failed, and why:
  std::array<char, 2048> sentence{};
};

// Memory of all processes. What is not atomic is written before a barrier or an atomic, and read
// after it.
struct Shared {
  explicit Shared(unsigned processes) {
    pthread_barrierattr_t attributes;
    ::pthread_barrierattr_init(&attributes);
    ::pthread_barrierattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
    ::pthread_barrier_init(&barrier, &attributes, processes);
  }

  pthread_barrier_t barrier;                       // of the ranks
  std::atomic<ChainStep> step = ChainStep::kOpen;  // that some have done
  std::atomic<std::uint64_t> sizes_begun = 0;
  std::array<RankState, 64> ranks;
  // By rank 0:
  std::uint64_t max_triggered = 0;        // operations on one counting event
  std::uint64_t max_atomic = 0;           // bytes
  std::atomic<std::uint64_t> rounds = 0;  // of the present batch; 0 before the first
  std::atomic<std::uint64_t> sizes_done = 0;
  std::array<double, 1000> passes{};  // seconds of each, at the last size
};

// What the processes of a chain do at one size, as the options say, the same in every process; and
// what a process lays out of that at a time.
struct ChainPlan {
  ChainPlan(const PerfOptions& options, const Shared& shared, std::uint64_t message_bytes)
      : kind(*options.measurement->chain), processes(options.processes), size(message_bytes) {
    const bool barrier = kind == ChainKind::kBarrier;
    const std::uint64_t stages = stages_of(processes);
    const std::uint64_t others = processes - 1;
    // Divided by how many operations of one round wait on the same counting event, at most.
    most_triggered = shared.max_triggered / (barrier ? 2 : stages);
    most_slots =
        std::max<std::uint64_t>(2, kSlotMemory / std::max<std::uint64_t>(1, size) / processes);
    most_rounds =
        kind == ChainKind::kReduction ? std::min(most_triggered, most_slots) : most_triggered;
    // Unless told: no more than some ten thousand messages, and what some hundred MB take.
    const std::uint64_t messages =  // of all processes together in one round
        barrier ? processes * stages : 2 * others;
    const std::uint64_t by_bytes = kPassMemory / std::max<std::uint64_t>(1, size * others);
    rounds = options.settings.iterations.value_or(
        std::clamp<std::uint64_t>(std::min(40'000 / messages, by_bytes), 10, 1000));
  }

  // Messages that have memory of their own; round r uses slot_of(r).
  std::uint64_t slots() const { return std::min(rounds, most_slots); }
  // The last round shares its slot with no other.
  std::uint64_t slot_of(std::uint64_t round) const {
    return round == rounds ? slots() - 1 : (round - 1) % (slots() - 1);
  }

  ChainKind kind;
  unsigned processes;
  std::uint64_t size;            // bytes of a message
  std::uint64_t most_triggered;  // rounds, as far as triggered operations go
  std::uint64_t most_slots;      // that every process has memory for
  std::uint64_t most_rounds;     // that can be laid out at once
  std::uint64_t rounds;          // of a pass, or of what is laid out
  unsigned rank = 0;
  std::uint64_t serial = 0;  // number of the chain, so that no two have the same bytes
  bool verify = false;
};

// What each process of a chain does. Ends the process, with _Exit(): its reporting thread goes on,
// and after a failure the interface would wait for messages that nobody takes any more.
[[noreturn]] void run_rank(const PerfOptions& options, Shared& shared, unsigned rank);

}  // namespace lintel::perf
