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
  explicit Shared(std::uint64_t processes) {
    pthread_barrierattr_t attributes;
    ::pthread_barrierattr_init(&attributes);
    ::pthread_barrierattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
    ::pthread_barrier_init(&barrier, &attributes, static_cast<unsigned>(processes));
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

// What the options say, the same in every process.
struct ChainLayout {
  ChainLayout(const PerfOptions& options, const Shared& shared)
      : settings(options.settings),
        kind(*options.measurement->chain),
        processes(options.processes),
        // Divided by how many operations of one round wait on the same counting event, at most.
        most_triggered(shared.max_triggered /
                       (kind == ChainKind::kBarrier ? 2 : stages_of(processes))) {}

  // Unless told: no more than some ten thousand messages, and what some hundred MB take.
  std::uint64_t rounds(std::uint64_t size) const {
    const std::uint64_t messages =  // of all processes together in one round
        kind == ChainKind::kBarrier ? processes * stages_of(processes) : 2 * (processes - 1);
    const std::uint64_t by_messages = 40'000 / messages;
    const std::uint64_t by_bytes = kPassMemory / std::max<std::uint64_t>(1, size * (processes - 1));
    return settings.iterations.value_or(
        std::clamp<std::uint64_t>(std::min(by_messages, by_bytes), 10, 1000));
  }
  // Messages of `size` bytes that every process has memory for.
  std::uint64_t slots(std::uint64_t size) const {
    return std::max<std::uint64_t>(2, kSlotMemory / std::max<std::uint64_t>(1, size) / processes);
  }
  // Rounds that can be laid out at once.
  std::uint64_t most_rounds(std::uint64_t size) const {
    const bool reduces = kind == ChainKind::kReduction;
    return reduces ? std::min(most_triggered, slots(size)) : most_triggered;
  }
  // What shows that a barrier is one would take part of its time, so a pass of its own is verified.
  bool verifies_in_time() const { return settings.validate && kind != ChainKind::kBarrier; }

  const Settings& settings;
  ChainKind kind;
  std::uint64_t processes;
  std::uint64_t most_triggered;  // rounds, as far as triggered operations go
};

// What each process of a chain does. Ends the process, with _Exit(): its reporting thread goes on,
// and after a failure the interface would wait for messages that nobody takes any more.
[[noreturn]] LINTEL_PERF_SEAM void run_rank(const PerfOptions& options, Shared& shared,
                                            unsigned rank);

}  // namespace lintel::perf
