// What each process of a chain does. All ranks run one program, each deriving what it does from the
// options. They synchronize in shared memory, where they also leave what they found.

#include <cstdlib>
#include <cstring>
#include <mutex>
#include <optional>

#include "api4/chains.h"
#include "host.h"

namespace lintel::perf {
namespace {

using namespace api4;
using enum ChainStep;

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
    map_ranks();
    finish_step(kMap);
    std::thread([this] { report(); }).detach();
    for (std::size_t i = 0; i < options_.sizes.size(); ++i) {
      while (shared_.sizes_begun <= i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      measure(options_.sizes[i]);
    }
    network_.reset();
  }

 private:
  void open() {
    network_.emplace(PTL_NI_LOGICAL, "", "LINTEL_* variables that the library accepts",
                     "a provider and an interface that this host has (--provider, --bind)");
    own_.name = {network_->id().phys.nid, network_->id().phys.pid};
    if (rank_ != 0) return;
    shared_.max_triggered = static_cast<std::uint64_t>(network_->limits().max_triggered_ops);
    shared_.max_atomic = network_->limits().max_atomic_size;
  }

  // Names all ranks. There is one portal, which has no event queue: chains count.
  void map_ranks() {
    std::vector<ptl_process_t> map;
    for (std::uint64_t rank = 0; rank < options_.processes; ++rank) {
      const ProcessName& name = shared_.ranks[rank].name;
      map.push_back({.phys = {name.nid, name.pid}});
    }
    check_call(PtlSetMap(network_->handle(), map.size(), map.data()), "PtlSetMap");
    ptl_pt_index_t portal = 0;
    check_call(PtlPTAlloc(network_->handle(), 0, PTL_EQ_NONE, kChainPortal, &portal), "PtlPTAlloc");
  }

  void finish_step(ChainStep step) {
    shared_.step = step;
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
    const Settings& settings = options_.settings;
    const ChainPlan plan(options_, shared_, size);
    // What shows that a barrier is one would take part of its time, so a pass of its own is
    // verified.
    const bool verify_in_time = settings.validate && plan.kind != ChainKind::kBarrier;
    own_.verified = 0;
    run_pass(plan, settings.warm_up_for(plan.rounds), false);
    for (std::uint64_t pass = 0; pass < settings.repeats; ++pass) {
      const double seconds = run_pass(plan, plan.rounds, verify_in_time);
      if (rank_ == 0) shared_.passes[pass] = seconds;
    }
    if (settings.validate && !verify_in_time) run_pass(plan, plan.rounds, true);
    if (rank_ == 0) ++shared_.sizes_done;
  }

  // Returns, at rank 0, the seconds from its first step to the end of the last round, of all
  // batches together.
  double run_pass(ChainPlan plan, std::uint64_t rounds, bool verify) {
    double seconds = 0;
    plan.rank = rank_;
    plan.verify = verify;
    for (std::uint64_t left = rounds; left > 0; left -= plan.rounds) {
      plan.rounds = std::min(left, plan.most_rounds);
      plan.serial = ++serial_;
      if (rank_ == 0) shared_.rounds = plan.rounds;
      set_chain(lay_out(network_->handle(), plan));
      finish_step(kLayOut);
      if (rank_ != 0) chain_->enter();
      finish_step(kEnter);
      if (rank_ == 0) seconds += seconds_of([this] { chain_->run(); });
      finish_step(kStart);
      chain_->settle(whole_ms(options_.deadline));
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
  std::optional<MatchingInterface> network_;
  std::mutex mutex_;  // guards chain_ against the thread that reports
  std::unique_ptr<Chain> chain_;
};

}  // namespace

void run_rank(const PerfOptions& options, Shared& shared, unsigned rank) {
  RankState& own = shared.ranks[rank];
  try {
    (new ChainRank(options, shared, rank))->run();  // the reporting thread uses it until the end
  } catch (const std::exception& error) {
    std::strncpy(own.sentence.data(), error.what(), own.sentence.size() - 1);
    own.code = code_of(error);
  }
  std::_Exit(static_cast<int>(own.code.load()));
}

}  // namespace lintel::perf
