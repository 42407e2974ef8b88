#include <unistd.h>

#include <algorithm>

#include "chain_processes.h"
#include "host.h"
#include "interface.h"
#include "report.h"
#include "roles.h"

namespace lintel::perf {
namespace {

using nlohmann::json;

// Of all processes together.
constexpr std::uint64_t kSlotMemory = std::uint64_t{64} << 20;
constexpr std::uint64_t kPassMemory = std::uint64_t{256} << 20;

class Conductor {
 public:
  Conductor(const Options& options, Report& report)
      : options_(options),
        report_(report),
        kind_(*options.measurement->chain),
        deadline_(options.deadline_seconds),
        patience_(std::max(options.deadline_seconds, 10.0) +
                  static_cast<double>(options.processes)) {}

  void run() {
    try {
      start_processes();
      const std::vector<std::uint64_t>& sizes =
          options_.sizes.empty() ? options_.measurement->default_sizes : options_.sizes;
      check_sizes(sizes);
      report_.measure_each(sizes, [this](std::uint64_t size) { return measure(size); });
      processes_.end();
    } catch (const ChainStopped& stopped) {
      if (rounds_ == 0) throw;
      fail("{}; {}", stopped.what(), processes_.how_far(rounds_));
    }
  }

 private:
  void start_processes() {
    for (unsigned rank = 0; rank < options_.processes; ++rank) {
      int cpu = -1;
      if (!options_.cpus.empty()) {
        cpu = rank == 0 ? options_.cpus.front() : options_.cpus.back();
        pin_to_cpu(cpu);  // the process inherits it
      }
      processes_.start([this](unsigned self, const ChainLink& link) {
        serve_chain_rank(kind_, self, static_cast<unsigned>(options_.processes), link);
      });
      report_.ranks.push_back({host_name(), "", cpu});
    }
    // Rank 0 opens its interface alone at first: what is wrong with the surroundings is told once.
    processes_.tell(0, {{"do", "open"}});
    const auto first = processes_.answer(0, "open", patience_);
    if (!first) {
      throw ChainStopped(
          fmt::format("rank 0 did not open its interface within {:g} s", patience_.count()));
    }
    std::vector<json> opened = processes_.ask_all(1, {{"do", "open"}}, "open", patience_);
    opened.insert(opened.begin(), *first);
    max_triggered_ = first->at("max_triggered");
    max_atomic_ = first->at("max_atomic");
    json names = json::array();
    for (std::size_t rank = 0; rank < opened.size(); ++rank) {
      const ptl_process_id_t id{opened[rank].at("nid"), opened[rank].at("pid")};
      report_.ranks[rank].address = to_string(id);
      names.push_back({id.nid, id.pid});
    }
    processes_.ask_all(0, {{"do", "map"}, {"names", names}}, "mapped", patience_);
  }

  void check_sizes(const std::vector<std::uint64_t>& sizes) const {
    const auto memory = static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) *
                        static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
    const bool reduces = kind_ == ChainKind::kReduction;
    const std::uint64_t most = reduces ? max_atomic_ : memory / 4 / options_.processes;
    for (const std::uint64_t size : sizes) {
      if (size <= most) continue;
      refuse("--sizes: '{}' is not usable with {}; expected at most {} bytes ({})", size,
             options_.measurement->name, most,
             reduces ? "max_atomic_size" : "two messages of each process in half of the memory");
    }
  }

  // Unless told: no more than some ten thousand messages, and what some hundred MB take.
  std::uint64_t default_rounds(std::uint64_t size) const {
    const std::uint64_t by_messages = 40'000 / messages_per_round(kind_, options_.processes);
    const std::uint64_t by_bytes =
        kPassMemory / std::max<std::uint64_t>(1, size * (options_.processes - 1));
    return std::clamp<std::uint64_t>(std::min(by_messages, by_bytes), 10, 1000);
  }

  // Messages of `size` bytes that every process has memory for.
  std::uint64_t slots_for(std::uint64_t size) const {
    return std::max<std::uint64_t>(
        2, kSlotMemory / (std::max<std::uint64_t>(1, size) * options_.processes));
  }

  // Rounds that can be laid out at once, as far as triggered operations go; and with memory.
  std::uint64_t most_triggered() const {
    return max_triggered_ / triggered_per_round(kind_, options_.processes);
  }
  std::uint64_t most_rounds(std::uint64_t size) const {
    return kind_ == ChainKind::kReduction ? std::min(most_triggered(), slots_for(size))
                                          : most_triggered();
  }

  Row measure(std::uint64_t size) {
    const Settings& settings = options_.settings;
    const std::uint64_t rounds = settings.iterations.value_or(default_rounds(size));
    Row row{.size_bytes = size, .iterations = rounds, .warm_up = settings.warm_up_for(rounds)};
    const std::uint64_t most = most_rounds(size);
    row.batches = (rounds + most - 1) / most;
    if (row.batches > 1) {
      row.note = fmt::format(
          "{} rounds in {} batches of at most {}: more cannot wait at once ({}); rank 0 sets off "
          "each",
          rounds, row.batches, most,
          most < most_triggered() ? "memory for every round"
                                  : fmt::format("max_triggered_ops is {}", max_triggered_));
    }
    run_pass(row, row.warm_up, false);
    // What shows that a barrier is one would take part of its time, so a pass of its own is
    // verified.
    const bool in_time = settings.validate && kind_ != ChainKind::kBarrier;
    Metric time{
        options_.measurement->name + std::string("_time"), "Time of a round", Quantity::kTime, {}};
    for (std::uint64_t pass = 0; pass < settings.repeats; ++pass) {
      time.passes.push_back(run_pass(row, rounds, in_time) / static_cast<double>(rounds));
    }
    if (settings.validate && !in_time) run_pass(row, rounds, true);
    row.metrics.push_back(std::move(time));
    return row;
  }

  // Returns the seconds from rank 0's first step to the end of the last round, of all batches
  // together.
  double run_pass(Row& row, std::uint64_t rounds, bool verify) {
    const std::uint64_t size = row.size_bytes;
    double seconds = 0;
    for (std::uint64_t left = rounds; left > 0; left -= rounds_) {
      rounds_ = std::min(left, most_rounds(size));
      processes_.ask_all(0,
                         {{"do", "lay-out"},
                          {"size", size},
                          {"rounds", rounds_},
                          {"slots", std::min(rounds_, slots_for(size))},
                          {"serial", ++serial_},
                          {"verify", verify}},
                         "ready", patience_);
      processes_.ask_all(1, {{"do", "enter"}}, "asleep", patience_);
      processes_.tell(0, {{"do", "start"}});
      seconds += await_end();
      processes_.ask_all(0, {{"do", "settle"}, {"limit_ms", whole_ms(deadline_).count()}},
                         "settled", patience_ + deadline_);
      for (const json& finished :
           processes_.ask_all(0, {{"do", "finish"}}, "finished", patience_)) {
        row.verified_messages += finished.at("verified").get<std::uint64_t>();
      }
    }
    return seconds;
  }

  // The chain may take its time, as long as rank 0 gets on.
  double await_end() {
    std::uint64_t before = 0;
    for (;;) {
      if (const auto done = processes_.answer(0, "done", deadline_)) return done->at("seconds");
      processes_.tell(0, {{"do", "report"}});
      const auto state = processes_.answer(0, "state", deadline_);
      const std::uint64_t now = state ? state->at("rounds").get<std::uint64_t>() : before;
      if (now <= before) {
        throw ChainStopped(fmt::format(
            "the chain stands still; expected a round to end within {:g} s (--deadline)",
            deadline_.count()));
      }
      before = now;
    }
  }

  const Options& options_;
  Report& report_;
  const ChainKind kind_;
  const Seconds deadline_;
  const Seconds patience_;  // for everything but the chain itself
  ChainProcesses processes_;
  std::uint64_t max_triggered_ = 0;
  std::uint64_t max_atomic_ = 0;
  std::uint64_t rounds_ = 0;  // of the present batch; 0 before the first
  std::uint64_t serial_ = 0;
};

}  // namespace

void run_chain(const Options& options) {
  Report report(options);
  report.write_after([&] { Conductor(options, report).run(); });
}

}  // namespace lintel::perf
