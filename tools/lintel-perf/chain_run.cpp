// The processes of a chain, forked from one that itself opens no interface and watches over them.
// All ranks run one program, each deriving what it does from the options. They meet in shared
// memory, where they also leave what they found.

#include <pthread.h>
#include <semaphore.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <mutex>
#include <new>
#include <thread>

#include "chain.h"
#include "child_process.h"
#include "host.h"
#include "interface.h"
#include "report.h"
#include "roles.h"

namespace lintel::perf {
namespace {

// Of all processes together.
constexpr std::uint64_t kSlotMemory = std::uint64_t{64} << 20;
constexpr std::uint64_t kPassMemory = std::uint64_t{256} << 20;
constexpr std::uint64_t kNoAnswer = ~std::uint64_t{0};

// What all ranks do before they meet, and what they are then.
struct Step {
  const char* name;
  const char* done;
};
constexpr Step kOpen{"open", "open"};
constexpr Step kMap{"map", "mapped"};
constexpr Step kLayOut{"lay-out", "ready"};
constexpr Step kEnter{"enter", "asleep"};
constexpr Step kStart{"start", "done"};
constexpr Step kSettle{"settle", "settled"};
constexpr Step kFinish{"finish", "finished"};

class SharedSemaphore {
 public:
  SharedSemaphore() { ::sem_init(&semaphore_, 1, 0); }
  void post() { ::sem_post(&semaphore_); }
  void wait() {
    while (::sem_wait(&semaphore_) != 0) continue;
  }
  void wait_for(std::chrono::milliseconds limit) {
    timespec end{};
    ::clock_gettime(CLOCK_REALTIME, &end);
    end.tv_nsec += std::chrono::nanoseconds(limit).count();
    end.tv_sec += end.tv_nsec / 1'000'000'000;
    end.tv_nsec %= 1'000'000'000;
    ::sem_timedwait(&semaphore_, &end);
  }

 private:
  sem_t semaphore_{};
};

struct RankState {
  ProcessName name;
  std::uint64_t verified = 0;               // messages, at the present size
  std::atomic<std::uint64_t> meetings = 0;  // to which it has come
  SharedSemaphore asked;                    // how many rounds are done
  std::atomic<std::uint64_t> rounds = 0;    // the answer
  std::atomic<bool> failed = false;         // and why:
  ExitCode code = ExitCode::kFailed;
  std::array<char, 2048> sentence{};
};

// Memory of all processes. What is not atomic is written before a meeting or a post, and read after
// it.
struct Shared {
  explicit Shared(unsigned processes) {
    pthread_barrierattr_t attributes;
    ::pthread_barrierattr_init(&attributes);
    ::pthread_barrierattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
    ::pthread_barrier_init(&meeting, &attributes, processes);
  }

  pthread_barrier_t meeting;                // of the ranks
  SharedSemaphore admitted;                 // to the next size, once for each rank
  SharedSemaphore news;                     // for the starter
  std::atomic<const Step*> step = nullptr;  // to whose end some have come
  // Of rank 0:
  std::uint64_t max_triggered = 0;
  std::uint64_t max_atomic = 0;
  std::atomic<std::uint64_t> rounds = 0;  // of the present batch; 0 before the first
  std::atomic<bool> runs = false;         // the chain, now
  std::atomic<std::uint64_t> sizes_done = 0;
  std::array<double, 1000> passes{};  // seconds of each, at the last size
  std::array<RankState, 64> ranks;
};

// How a pass is laid out, the same in every process.
struct Layout {
  ChainKind kind;
  std::uint64_t processes;
  std::uint64_t max_triggered;

  // Unless told: no more than some ten thousand messages, and what some hundred MB take.
  std::uint64_t default_rounds(std::uint64_t size) const {
    const std::uint64_t by_messages = 40'000 / messages_per_round(kind, processes);
    const std::uint64_t by_bytes = kPassMemory / std::max<std::uint64_t>(1, size * (processes - 1));
    return std::clamp<std::uint64_t>(std::min(by_messages, by_bytes), 10, 1000);
  }
  // Messages of `size` bytes that every process has memory for.
  std::uint64_t slots(std::uint64_t size) const {
    return std::max<std::uint64_t>(2, kSlotMemory / (std::max<std::uint64_t>(1, size) * processes));
  }
  // Rounds that can be laid out at once, as far as triggered operations go; and with memory.
  std::uint64_t most_triggered() const {
    return max_triggered / triggered_per_round(kind, processes);
  }
  std::uint64_t most_rounds(std::uint64_t size) const {
    return kind == ChainKind::kReduction ? std::min(most_triggered(), slots(size))
                                         : most_triggered();
  }
};

Layout layout_of(const Options& options, const Shared& shared) {
  return {*options.measurement->chain, options.processes, shared.max_triggered};
}

const std::vector<std::uint64_t>& sizes_of(const Options& options) {
  return options.sizes.empty() ? options.measurement->default_sizes : options.sizes;
}

class Rank {
 public:
  Rank(const Options& options, Shared& shared, unsigned rank)
      : options_(options), shared_(shared), own_(shared.ranks[rank]), rank_(rank) {}

  void run() {
    // Rank 0 opens its interface alone at first: what is wrong with the surroundings is told once.
    if (rank_ == 0) open();
    meet(kOpen);
    if (rank_ != 0) open();
    meet(kOpen);
    std::vector<ProcessName> names;
    for (std::uint64_t rank = 0; rank < options_.processes; ++rank) {
      names.push_back(shared_.ranks[rank].name);
    }
    network_->set_map(names);
    meet(kMap);
    shared_.news.post();
    std::thread([this] { answer(); }).detach();
    for (const std::uint64_t size : sizes_of(options_)) measure(size);
  }

 private:
  void open() {
    network_ = open_chain_interface();
    own_.name = network_->name();
    if (rank_ != 0) return;
    shared_.max_triggered = network_->max_triggered();
    shared_.max_atomic = network_->max_atomic();
  }

  void meet(const Step& step) {
    shared_.step = &step;
    ++own_.meetings;
    ::pthread_barrier_wait(&shared_.meeting);
  }

  // In a thread of its own, while the other one sleeps or waits for the chain.
  void answer() {
    for (;;) {
      own_.asked.wait();
      const std::lock_guard lock(mutex_);
      own_.rounds = chain_ ? chain_->rounds_done() : 0;
      shared_.news.post();
    }
  }

  void measure(std::uint64_t size) {
    shared_.admitted.wait();
    own_.verified = 0;
    const Settings& settings = options_.settings;
    const std::uint64_t rounds =
        settings.iterations.value_or(layout_of(options_, shared_).default_rounds(size));
    run_pass(size, settings.warm_up_for(rounds), false);
    // What shows that a barrier is one would take part of its time, so a pass of its own is
    // verified.
    const bool in_time = settings.validate && options_.measurement->chain != ChainKind::kBarrier;
    for (std::uint64_t pass = 0; pass < settings.repeats; ++pass) {
      const double seconds = run_pass(size, rounds, in_time);
      if (rank_ == 0) shared_.passes[pass] = seconds;
    }
    if (settings.validate && !in_time) run_pass(size, rounds, true);
    if (rank_ != 0) return;
    ++shared_.sizes_done;
    shared_.news.post();
  }

  // Returns, at rank 0, the seconds from its first step to the end of the last round, of all
  // batches together.
  double run_pass(std::uint64_t size, std::uint64_t rounds, bool verify) {
    const Layout layout = layout_of(options_, shared_);
    double seconds = 0;
    for (std::uint64_t left = rounds, batch = 0; left > 0; left -= batch) {
      batch = std::min(left, layout.most_rounds(size));
      if (rank_ == 0) shared_.rounds = batch;
      set_chain(network_->lay_out({.kind = layout.kind,
                                   .rank = rank_,
                                   .processes = static_cast<unsigned>(options_.processes),
                                   .size = size,
                                   .rounds = batch,
                                   .slots = std::min(batch, layout.slots(size)),
                                   .serial = ++serial_,
                                   .verify = verify}));
      meet(kLayOut);
      if (rank_ != 0) chain_->enter();
      meet(kEnter);
      if (rank_ == 0) {
        shared_.runs = true;
        seconds += seconds_of([this] { chain_->run(); });
        shared_.runs = false;
      }
      meet(kStart);
      chain_->settle(whole_ms(Seconds(options_.deadline_seconds)));
      meet(kSettle);
      if (verify) own_.verified += chain_->verify();
      set_chain(nullptr);
      meet(kFinish);
    }
    return seconds;
  }

  void set_chain(std::unique_ptr<Chain> chain) {
    const std::lock_guard lock(mutex_);
    chain_ = std::move(chain);
  }

  const Options& options_;
  Shared& shared_;
  RankState& own_;
  const unsigned rank_;
  std::uint64_t serial_ = 0;
  std::unique_ptr<ChainInterface> network_;
  std::mutex mutex_;  // guards chain_ against the thread that answers
  std::unique_ptr<Chain> chain_;
};

// The interface stays open: closing it would wait for messages that nobody takes any more.
[[noreturn]] void end_failed(Shared& shared, RankState& own, ExitCode code, const char* sentence) {
  own.code = code;
  std::strncpy(own.sentence.data(), sentence, own.sentence.size() - 1);
  own.failed = true;
  shared.news.post();
  std::_Exit(static_cast<int>(code));
}

int run_rank(const Options& options, Shared& shared, unsigned rank) {
  RankState& own = shared.ranks[rank];
  try {
    Rank(options, shared, rank).run();
  } catch (const Failure& failure) {
    end_failed(shared, own, failure.code(), failure.what());
  } catch (const std::exception& error) {
    end_failed(shared, own, ExitCode::kFailed, error.what());
  }
  std::_Exit(static_cast<int>(ExitCode::kOk));  // the answering thread may use what exit() ends
}

// A process died, or nothing has moved for too long.
class ChainStopped : public Failure {
 public:
  explicit ChainStopped(const std::string& sentence) : Failure(ExitCode::kFailed, sentence) {}
};

class Starter {
 public:
  Starter(const Options& options, Report& report)
      : options_(options),
        report_(report),
        deadline_(options.deadline_seconds),
        patience_(std::max(options.deadline_seconds, 10.0) +
                  static_cast<double>(options.processes)),
        shared_(*new (map_memory()) Shared(static_cast<unsigned>(options.processes))) {}

  void run() {
    try {
      start_processes();
      check_sizes();
      report_.measure_each(sizes_of(options_),
                           [this](std::uint64_t size) { return measure(size); });
      const auto end = after(kTimeToEnd);
      for (ChildProcess& process : processes_) process.end_within(left_until(end));
    } catch (const ChainStopped& stopped) {
      if (shared_.rounds == 0) throw;
      fail("{}; {}", stopped.what(), how_far());
    }
  }

 private:
  static constexpr Seconds kTimeToEnd{5};
  static constexpr Seconds kTimeToAnswer{1};

  // Until this process ends.
  static void* map_memory() {
    void* memory =
        ::mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) fail("mmap failed: {}", std::strerror(errno));
    return memory;
  }

  void start_processes() {
    for (unsigned rank = 0; rank < options_.processes; ++rank) {
      int cpu = -1;
      if (!options_.cpus.empty()) {
        cpu = rank == 0 ? options_.cpus.front() : options_.cpus.back();
        pin_to_cpu(cpu);  // the process inherits it
      }
      processes_.emplace_back([&] { return run_rank(options_, shared_, rank); });
      report_.ranks.push_back({host_name(), "", cpu});
    }
    await([this] { return fewest_meetings() >= 3; });  // the map is set
    for (unsigned rank = 0; rank < options_.processes; ++rank) {
      const ProcessName& name = shared_.ranks[rank].name;
      report_.ranks[rank].address =
          to_string(ptl_process_id_t{name.nid, static_cast<ptl_pid_t>(name.pid)});
    }
  }

  void check_sizes() const {
    const auto memory = static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) *
                        static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
    const bool reduces = options_.measurement->chain == ChainKind::kReduction;
    const std::uint64_t most = reduces ? shared_.max_atomic : memory / 4 / options_.processes;
    for (const std::uint64_t size : sizes_of(options_)) {
      if (size <= most) continue;
      refuse("--sizes: '{}' is not usable with {}; expected at most {} bytes ({})", size,
             options_.measurement->name, most,
             reduces ? "max_atomic_size" : "two messages of each process in half of the memory");
    }
  }

  Row measure(std::uint64_t size) {
    const Settings& settings = options_.settings;
    const Layout layout = layout_of(options_, shared_);
    const std::uint64_t rounds = settings.iterations.value_or(layout.default_rounds(size));
    Row row{.size_bytes = size, .iterations = rounds, .warm_up = settings.warm_up_for(rounds)};
    const std::uint64_t most = layout.most_rounds(size);
    row.batches = (rounds + most - 1) / most;
    if (row.batches > 1) {
      row.note = fmt::format(
          "{} rounds in {} batches of at most {}: more cannot wait at once ({}); rank 0 sets off "
          "each",
          rounds, row.batches, most,
          most < layout.most_triggered()
              ? "memory for every round"
              : fmt::format("max_triggered_ops is {}", layout.max_triggered));
    }
    const std::uint64_t done = shared_.sizes_done;
    for (std::uint64_t i = 0; i < options_.processes; ++i) shared_.admitted.post();
    await([&] { return shared_.sizes_done > done; });
    Metric time{
        options_.measurement->name + std::string("_time"), "Time of a round", Quantity::kTime, {}};
    for (std::uint64_t pass = 0; pass < settings.repeats; ++pass) {
      time.passes.push_back(shared_.passes[pass] / static_cast<double>(rounds));
    }
    for (const RankState& rank : shared_.ranks) row.verified_messages += rank.verified;
    row.metrics.push_back(std::move(time));
    return row;
  }

  std::uint64_t fewest_meetings() const { return shared_.ranks[last_rank()].meetings; }
  // The one that has come to the fewest meetings.
  std::size_t last_rank() const {
    const auto end = shared_.ranks.begin() + static_cast<std::ptrdiff_t>(options_.processes);
    const auto last = std::min_element(
        shared_.ranks.begin(), end,
        [](const RankState& a, const RankState& b) { return a.meetings < b.meetings; });
    return static_cast<std::size_t>(last - shared_.ranks.begin());
  }

  // Waits until `reached()`. Throws ChainStopped if a process ends or nothing moves meanwhile,
  // Failure with its own words if one fails.
  template <class Reached>
  void await(Reached reached) {
    std::uint64_t meetings = 0;
    std::uint64_t rounds = 0;
    auto since = Clock::now();
    while (!reached()) {
      shared_.news.wait_for(std::chrono::milliseconds(100));
      check_processes();
      const auto now = Clock::now();
      if (const std::uint64_t latest = fewest_meetings(); latest != meetings) {
        meetings = latest;
        rounds = 0;
        since = now;
      } else if (shared_.runs && now - since > deadline_) {
        const std::uint64_t latest_rounds = ask({0}, deadline_)[0];
        if (latest_rounds == kNoAnswer || latest_rounds <= rounds) {
          throw ChainStopped(fmt::format(
              "the chain stands still; expected a round to end within {:g} s (--deadline)",
              deadline_.count()));
        }
        rounds = latest_rounds;
        since = Clock::now();
      } else if (!shared_.runs) {
        check_patience(now - since);
      }
    }
  }

  void check_patience(Seconds silence) const {
    const Step* const step = shared_.step;
    const Seconds limit = step == &kSettle ? patience_ + deadline_ : patience_;
    if (silence <= limit) return;
    if (step == nullptr || fewest_meetings() == 0) {
      throw ChainStopped(
          fmt::format("rank 0 did not open its interface within {:g} s", limit.count()));
    }
    throw ChainStopped(fmt::format("rank {} gave no answer to '{}' for {:g} s; expected '{}'",
                                   last_rank(), step->name, limit.count(), step->done));
  }

  void check_processes() {
    check_signals();
    for (std::size_t rank = 0; rank < processes_.size(); ++rank) {
      const RankState& state = shared_.ranks[rank];
      if (!state.failed) continue;
      // It may have failed because another one was killed, which is then the better reason.
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      check_signals();
      throw Failure(state.code, fmt::format("rank {}: {}", rank, state.sentence.data()));
    }
    for (std::size_t rank = 0; rank < processes_.size(); ++rank) {
      const auto end = processes_[rank].end_within({});
      if (!end || WEXITSTATUS(*end) == 0) continue;  // it leaves when all is done
      throw ChainStopped(fmt::format("rank {}: process {} ended with exit code {}", rank,
                                     processes_[rank].id(), WEXITSTATUS(*end)));
    }
  }
  void check_signals() {
    for (std::size_t rank = 0; rank < processes_.size(); ++rank) {
      const auto end = processes_[rank].end_within({});
      if (!end || !WIFSIGNALED(*end)) continue;
      throw ChainStopped(fmt::format("rank {}: process {} died of signal {}", rank,
                                     processes_[rank].id(), WTERMSIG(*end)));
    }
  }

  // How many rounds these ranks have done, each kNoAnswer if it gives none within `limit`.
  std::vector<std::uint64_t> ask(const std::vector<std::size_t>& ranks, Seconds limit) {
    for (const std::size_t rank : ranks) {
      shared_.ranks[rank].rounds = kNoAnswer;
      shared_.ranks[rank].asked.post();
    }
    const auto end = after(limit);
    const auto silent = [&](std::size_t rank) { return shared_.ranks[rank].rounds == kNoAnswer; };
    while (std::any_of(ranks.begin(), ranks.end(), silent) && Clock::now() < end) {
      shared_.news.wait_for(std::chrono::milliseconds(20));
    }
    std::vector<std::uint64_t> rounds;
    for (const std::size_t rank : ranks) rounds.push_back(shared_.ranks[rank].rounds);
    return rounds;
  }

  // "rounds done of 100: rank 0: 37, ranks 1 to 3: no answer, rank 4: dead". Takes up to a second.
  std::string how_far() {
    std::vector<std::string> states(processes_.size(), "dead");
    std::vector<std::size_t> alive;
    for (std::size_t rank = 0; rank < states.size(); ++rank) {
      if (!processes_[rank].end_within({})) alive.push_back(rank);
    }
    const auto rounds = ask(alive, kTimeToAnswer);
    for (std::size_t i = 0; i < alive.size(); ++i) {
      states[alive[i]] = rounds[i] == kNoAnswer ? "no answer" : std::to_string(rounds[i]);
    }
    std::string list;
    for (std::size_t rank = 0, next = 0; rank < states.size(); rank = next) {
      while (next < states.size() && states[next] == states[rank]) ++next;
      const std::string who = next - rank == 1 ? fmt::format("rank {}", rank)
                                               : fmt::format("ranks {} to {}", rank, next - 1);
      list += fmt::format("{}{}: {}", rank == 0 ? "" : ", ", who, states[rank]);
    }
    return fmt::format("rounds done of {}: {}", shared_.rounds.load(), list);
  }

  const Options& options_;
  Report& report_;
  const Seconds deadline_;
  const Seconds patience_;  // for everything but the chain itself
  Shared& shared_;
  std::deque<ChildProcess> processes_;
};

}  // namespace

void run_chain(const Options& options) {
  Report report(options);
  report.write_after([&] { Starter(options, report).run(); });
}

}  // namespace lintel::perf
