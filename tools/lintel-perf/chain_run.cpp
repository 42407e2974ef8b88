// The process that starts those of a chain, itself opens no interface, and watches over them.

#include <unistd.h>

#include <deque>

#include "chain.h"
#include "interface.h"

namespace lintel::perf {
namespace {

class Starter {
 public:
  Starter(const PerfOptions& options, Report& report)
      : options_(options),
        report_(report),
        step_limit_(std::max(options.deadline, Seconds(10)) + Seconds(options.processes)),
        shared_(shared_with_children<Shared>(options.processes)) {}

  void run() {
    start_processes();
    check_sizes();
    report_.measure_each(options_.sizes, [this](std::uint64_t size) { return measure(size); });
    const auto end = after(Seconds(5));
    for (ChildProcess& process : processes_) process.end_within(left_until(end));
  }

 private:
  void start_processes() {
    for (unsigned rank = 0; rank < options_.processes; ++rank) {
      const int cpu = rank == 0 ? options_.initiator_cpu() : options_.target_cpu();
      pin_to_cpu(cpu);  // the process inherits it
      processes_.emplace_back(Seconds(0), [&]() -> int { run_rank(options_, shared_, rank); });
      report_.ranks.push_back({host_name(), "", cpu});
    }
    await([this] { return fewest_steps() >= 3; });  // all names are there
    for (unsigned rank = 0; rank < options_.processes; ++rank) {
      report_.ranks[rank].address = to_string(shared_.ranks[rank].name);
    }
  }

  void check_sizes() const {
    const auto memory = static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) *
                        static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
    options_.check_sizes(options_.measurement->chain == ChainKind::kReduction
                             ? Limit{shared_.max_atomic, "max_atomic_size"}
                             : Limit{memory / 4 / options_.processes,
                                     "two messages of each process in half of the memory"});
  }

  TableRow measure(std::uint64_t size) {
    const ChainPlan plan(options_, shared_, size);
    TableRow row{.size_bytes = size,
                 .iterations = plan.rounds,
                 .warm_up = options_.settings.warm_up_for(plan.rounds),
                 .batches = (plan.rounds + plan.most_rounds - 1) / plan.most_rounds};
    if (row.batches > 1) {
      row.note = fmt::format(
          "{} rounds in {} batches of at most {}: more cannot wait at once ({}); rank 0 sets off "
          "each",
          plan.rounds, row.batches, plan.most_rounds,
          plan.most_rounds < plan.most_triggered
              ? "memory for every round"
              : fmt::format("max_triggered_ops is {}", shared_.max_triggered));
    }
    const std::uint64_t begun = ++shared_.sizes_begun;
    await([&] { return shared_.sizes_done == begun; });
    Metric time{options_.measurement->name + std::string("_time"), "Time of a round"};
    for (std::uint64_t pass = 0; pass < options_.settings.repeats; ++pass) {
      time.passes.push_back(shared_.passes[pass] / static_cast<double>(plan.rounds));
    }
    row.metrics = {time};
    for (const RankState& rank : shared_.ranks) row.verified_messages += rank.verified;
    return row;
  }

  // The one that has done the fewest steps.
  std::size_t last_rank() const {
    const auto ranks = std::span(shared_.ranks).first(processes_.size());
    const auto last = std::ranges::min_element(
        ranks, {}, [](const RankState& rank) { return rank.steps.load(); });
    return static_cast<std::size_t>(last - ranks.begin());
  }
  std::uint64_t fewest_steps() const { return shared_.ranks[last_rank()].steps; }

  // Waits until `reached()`. Throws PerfFailure if a process ends or nothing moves meanwhile, and
  // with its own words if one fails.
  template <class Reached>
  void await(Reached reached) {
    std::pair<std::uint64_t, std::uint64_t> before;
    for (auto since = Clock::now(); !reached();) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      check_processes();
      const std::pair progress{fewest_steps(), shared_.ranks[0].rounds.load()};
      if (progress != before) since = Clock::now();
      before = progress;
      check_standstill(Clock::now() - since);
    }
  }

  void check_standstill(Seconds still) {
    using enum ChainStep;
    // Their names, and what a rank is that has done them.
    static constexpr std::pair<const char*, const char*> kSteps[] = {
        {"open", "open"},  {"map", "mapped"},     {"lay-out", "ready"},  {"enter", "asleep"},
        {"start", "done"}, {"settle", "settled"}, {"finish", "finished"}};
    const ChainStep step = shared_.step;
    const Seconds limit = step == kStart    ? std::max<Seconds>(options_.deadline, 2 * kReportEvery)
                          : step == kSettle ? step_limit_ + options_.deadline
                                            : step_limit_;
    if (still <= limit) return;
    if (step == kStart) {
      stop(fmt::format("the chain stands still; expected a round to end within {:g} s (--deadline)",
                       options_.deadline.count()));
    }
    const auto& [name, done] = kSteps[static_cast<std::size_t>(step)];
    stop(fewest_steps() == 0
             ? fmt::format("rank 0 did not open its interface within {:g} s", limit.count())
             : fmt::format("rank {} gave no answer to '{}' for {:g} s; expected '{}'", last_rank(),
                           name, limit.count(), done));
  }

  void check_processes() {
    check_deaths();
    for (std::size_t rank = 0; rank < processes_.size(); ++rank) {
      const RankState& state = shared_.ranks[rank];
      if (state.code == ExitCode::kOk) continue;
      // It may have failed because another one was killed, which is then the better reason.
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      check_deaths();
      throw PerfFailure(state.code, fmt::format("rank {}: {}", rank, state.sentence.data()));
    }
  }

  // One that ends with exit code 0 has done all, one that has failed says why.
  void check_deaths() {
    for (std::size_t rank = 0; rank < processes_.size(); ++rank) {
      const auto end = processes_[rank].end_within({});
      if (!end || end->code == 0 || shared_.ranks[rank].code != ExitCode::kOk) continue;
      stop(fmt::format("rank {}: process {} {} {}", rank, processes_[rank].id(),
                       end->by_signal ? "died of signal" : "ended with exit code", end->code));
    }
  }

  // A process died, or nothing has moved for too long.
  [[noreturn]] void stop(const std::string& reason) {
    if (shared_.rounds == 0) fail("{}", reason);
    fail("{}; {}", reason, how_far());
  }

  // "rounds done of 100: rank 0: 37, ranks 1 to 3: no answer, rank 4: dead". Takes a second, in
  // which all that can report do.
  std::string how_far() {
    std::vector<std::uint64_t> reports;
    for (const RankState& rank : shared_.ranks) reports.push_back(rank.reports);
    std::this_thread::sleep_for(4 * kReportEvery);
    std::vector<std::string> states;
    for (std::size_t rank = 0; rank < processes_.size(); ++rank) {
      const RankState& state = shared_.ranks[rank];
      states.push_back(processes_[rank].end_within({})  ? "dead"
                       : state.reports == reports[rank] ? "no answer"
                                                        : std::to_string(state.rounds));
    }
    std::string list;
    for (std::size_t rank = 0, next = 0; rank < states.size(); rank = next) {
      while (next < states.size() && states[next] == states[rank]) ++next;
      list += rank == 0 ? "" : ", ";
      list += next - rank == 1 ? fmt::format("rank {}", rank)
                               : fmt::format("ranks {} to {}", rank, next - 1);
      list += ": " + states[rank];
    }
    return fmt::format("rounds done of {}: {}", shared_.rounds.load(), list);
  }

  const PerfOptions& options_;
  Report& report_;
  const Seconds step_limit_;  // for everything but the chain itself
  Shared& shared_;
  std::deque<ChildProcess> processes_;
};

}  // namespace

void run_chain(const PerfOptions& options) {
  Report report(options);
  report.write_after([&] { Starter(options, report).run(); });
}

}  // namespace lintel::perf
