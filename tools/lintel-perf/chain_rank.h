#pragma once
// What each process of a chain does. All ranks run one program, each deriving what it does from the
// options. They synchronize in shared memory, where they also leave what they found.

#include <pthread.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "chain.h"
#include "clock.h"
#include "options.h"

namespace lintel::perf {

// Of all processes together.
inline constexpr std::uint64_t kSlotMemory = std::uint64_t{64} << 20;
inline constexpr std::uint64_t kPassMemory = std::uint64_t{256} << 20;
inline constexpr auto kReportEvery = std::chrono::milliseconds(250);

// What all ranks do before they synchronize, and what they are then.
struct ChainStep {
  const char* name;
  const char* done;
};
inline constexpr ChainStep kOpen{"open", "open"}, kMap{"map", "mapped"},
    kLayOut{"lay-out", "ready"}, kEnter{"enter", "asleep"}, kStart{"start", "done"},
    kSettle{"settle", "settled"}, kFinish{"finish", "finished"};

struct RankState {
  ProcessName name;
  std::uint64_t verified = 0;             // messages, at the present size
  std::atomic<std::uint64_t> steps = 0;   // that it has done
  std::atomic<std::uint64_t> rounds = 0;  // done of the present batch, at the last report
  std::atomic<std::uint64_t> reports = 0;
  std::atomic<bool> failed = false;  // and why:
  ExitCode code = ExitCode::kFailed;
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

  pthread_barrier_t barrier;                    // of the ranks
  std::atomic<const ChainStep*> step = &kOpen;  // that some have done
  std::atomic<std::uint64_t> sizes_begun = 0;
  std::array<RankState, 64> ranks;
  // By rank 0:
  std::uint64_t max_triggered = 0;
  std::uint64_t max_atomic = 0;
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
        most_triggered(shared.max_triggered / triggered_per_round(kind, processes)) {}

  // Unless told: no more than some ten thousand messages, and what some hundred MB take.
  std::uint64_t rounds(std::uint64_t size) const {
    const std::uint64_t by_messages = 40'000 / messages_per_round(kind, processes);
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

inline const std::vector<std::uint64_t>& sizes_of(const PerfOptions& options) {
  return options.sizes.empty() ? options.measurement->default_sizes : options.sizes;
}

class ChainRank {
 public:
  ChainRank(const PerfOptions& options, Shared& shared, unsigned rank)
      : options_(options), shared_(shared), own_(shared.ranks[rank]), rank_(rank) {}

  void run() {
    // Rank 0 opens its interface alone at first: what is wrong with the surroundings is told once.
    if (rank_ == 0) open();
    finish_step(kOpen);
    if (rank_ != 0) open();
    finish_step(kOpen);
    std::vector<ProcessName> names;
    for (std::uint64_t rank = 0; rank < options_.processes; ++rank) {
      names.push_back(shared_.ranks[rank].name);
    }
    network_->set_map(names);
    finish_step(kMap);
    std::thread([this] { report(); }).detach();
    const auto& sizes = sizes_of(options_);
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      while (shared_.sizes_begun <= i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      measure(sizes[i]);
    }
    network_.reset();
  }

 private:
  void open() {
    network_ = open_chain_interface();
    own_.name = network_->name();
    if (rank_ != 0) return;
    shared_.max_triggered = network_->max_triggered();
    shared_.max_atomic = network_->max_atomic();
  }

  void finish_step(const ChainStep& step) {
    shared_.step = &step;
    ++own_.steps;
    ::pthread_barrier_wait(&shared_.barrier);
  }

  // In a thread of its own, while the other one sleeps or waits for the chain.
  [[noreturn]] void report() {
    for (;;) {
      std::this_thread::sleep_for(kReportEvery);
      const std::lock_guard lock(mutex_);
      own_.rounds = chain_ ? chain_->rounds_done() : 0;
      ++own_.reports;
    }
  }

  void measure(std::uint64_t size) {
    const ChainLayout layout(options_, shared_);
    const std::uint64_t rounds = layout.rounds(size);
    own_.verified = 0;
    run_pass(layout, size, layout.settings.warm_up_for(rounds), false);
    for (std::uint64_t pass = 0; pass < layout.settings.repeats; ++pass) {
      const double seconds = run_pass(layout, size, rounds, layout.verifies_in_time());
      if (rank_ == 0) shared_.passes[pass] = seconds;
    }
    if (layout.settings.validate && !layout.verifies_in_time()) {
      run_pass(layout, size, rounds, true);
    }
    if (rank_ == 0) ++shared_.sizes_done;
  }

  // Returns, at rank 0, the seconds from its first step to the end of the last round, of all
  // batches together.
  double run_pass(const ChainLayout& layout, std::uint64_t size, std::uint64_t rounds,
                  bool verify) {
    double seconds = 0;
    for (std::uint64_t left = rounds, batch = 0; left > 0; left -= batch) {
      batch = std::min(left, layout.most_rounds(size));
      if (rank_ == 0) shared_.rounds = batch;
      set_chain(network_->lay_out({.kind = layout.kind,
                                   .rank = rank_,
                                   .processes = static_cast<unsigned>(layout.processes),
                                   .size = size,
                                   .rounds = batch,
                                   .slots = std::min(batch, layout.slots(size)),
                                   .serial = ++serial_,
                                   .verify = verify}));
      finish_step(kLayOut);
      if (rank_ != 0) chain_->enter();
      finish_step(kEnter);
      if (rank_ == 0) seconds += seconds_of([this] { chain_->run(); });
      finish_step(kStart);
      chain_->settle(whole_ms(Seconds(options_.deadline_seconds)));
      finish_step(kSettle);
      if (verify) own_.verified += chain_->verify();
      set_chain(nullptr);
      finish_step(kFinish);
    }
    return seconds;
  }

  void set_chain(std::unique_ptr<Chain> chain) {
    const std::lock_guard lock(mutex_);
    chain_ = std::move(chain);
  }

  const PerfOptions& options_;
  Shared& shared_;
  RankState& own_;
  const unsigned rank_;
  std::uint64_t serial_ = 0;
  std::unique_ptr<ChainInterface> network_;
  std::mutex mutex_;  // guards chain_ against the thread that reports
  std::unique_ptr<Chain> chain_;
};

// Ends with _Exit(): the reporting thread goes on, and after a failure the interface would wait for
// messages that nobody takes any more.
[[noreturn]] inline void run_rank(const PerfOptions& options, Shared& shared, unsigned rank) {
  RankState& own = shared.ranks[rank];
  const auto give_up = [&](ExitCode code, const char* sentence) {
    own.code = code;
    std::strncpy(own.sentence.data(), sentence, own.sentence.size() - 1);
    own.failed = true;
    std::_Exit(static_cast<int>(code));
  };
  try {
    (new ChainRank(options, shared, rank))->run();  // the reporting thread uses it until the end
  } catch (const PerfFailure& failure) {
    give_up(failure.code(), failure.what());
  } catch (const std::exception& error) {
    give_up(ExitCode::kFailed, error.what());
  }
  std::_Exit(0);
}

}  // namespace lintel::perf
