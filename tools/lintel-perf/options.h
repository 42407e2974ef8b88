#pragma once
// What can be measured, and how, with defaults by size; the command line that says it; and what
// the processes do then.

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "host.h"
#include "numbers.h"
#include "operations.h"
#include "report.h"

namespace lintel::perf {

enum class PutCompletion { kLocal, kRemote };
enum class PassiveMode { kCompute, kSleep };

// Collective operations of many processes, made of triggered operations; see chain.h.
enum class ChainKind { kBarrier, kBroadcast, kReduction };

struct Settings {
  Api api = Api::kPortals3;
  Notify notify = Notify::kEvents;
  std::optional<std::uint64_t> iterations;
  std::optional<std::uint64_t> warm_up;
  std::uint64_t window = 64;
  std::uint64_t repeats = 3;
  std::uint64_t pieces = 1;
  bool validate = true;
  bool percentiles = false;  // one more pass, in which every operation is timed by itself
  PutCompletion completion = PutCompletion::kRemote;
  PassiveMode passive_mode = PassiveMode::kCompute;
  Seconds passive_time{1};

  // Messages of one pass. One by one: less than half a second at the speed of a loopback; else at
  // most 512 MiB.
  std::uint64_t iterations_for(std::uint64_t size, bool one_by_one) const {
    constexpr std::uint64_t kMiB = 1 << 20;
    return iterations.value_or(one_by_one
                                   ? std::clamp<std::uint64_t>(256 * kMiB / size, 100, 10'000)
                                   : std::clamp<std::uint64_t>(512 * kMiB / size, 64, 50'000));
  }
  std::uint64_t warm_up_for(std::uint64_t chosen_iterations) const {
    return warm_up.value_or(std::clamp<std::uint64_t>(chosen_iterations / 10, 1, 1'000));
  }
};

enum class TrafficShape {
  kPingPong,  // each put is answered by one
  kAlone,     // one operation after the other
  kWindow,    // several under way at once
  kBothWays,  // a window each way
  kPassive    // to a target that calls nothing
};

// What is measured of one kind of operation: a time, or a bandwidth and perhaps a rate of messages.
struct MeasurementPart {
  TrafficShape shape;
  MeasuredAction action = MeasuredAction::kPut;
  std::vector<Metric> metrics = {};  // without values
};

// One sub-command: what it is called, what it says about itself, and what it runs at each size.
struct Measurement {
  const char* name;
  const char* title;
  const char* method;  // one sentence for the table's header, in the words of the API
  std::vector<MeasurementPart> parts = {};  // their metrics are columns, left to right
  // Empty: powers of two from 1 to the interface's limit for swaps.
  std::vector<std::uint64_t> default_sizes = powers_of_two(1, std::uint64_t{4} << 20);
  bool tells_progress = false;          // it takes so long
  std::optional<ChainKind> chain = {};  // many processes, and no parts

  bool has(TrafficShape shape) const {
    return std::ranges::count(parts, shape, &MeasurementPart::shape) > 0;
  }
  bool has(MeasuredAction action) const {
    return std::ranges::count(parts, action, &MeasurementPart::action) > 0;
  }
  // Several operations are under way at once.
  bool has_window() const { return has(TrafficShape::kWindow) || has(TrafficShape::kBothWays); }
  // Puts for which the kind of completion matters.
  bool has_completion() const { return has(MeasuredAction::kAckedPut); }
  // 64-bit words, by atomic operations: Portals 4 only.
  bool adds_words() const { return has(MeasuredAction::kAdd) || has(MeasuredAction::kFetchAdd); }
};

std::span<const Measurement> measurements();

struct PerfOptions {
  bool server = false;
  const Measurement* measurement = nullptr;  // null for a server: the client chooses
  std::vector<std::uint64_t> sizes;          // empty: up to the interface's limit for swaps
  Settings settings;
  Units units = Units::kMB;
  Seconds deadline{10};
  unsigned processes = 4;  // of a chain

  std::string server_address;  // of a client; empty: it starts the server itself
  std::uint32_t pid = 0;       // own, of a server; 0: any. The server's, of a client
  std::string bind;            // empty: not said
  bool once = false;           // a server serves one client

  std::vector<int> cpus;  // as given: this process's, or the initiator's and the target's
  std::string provider;   // empty: not said
  std::string json_file;  // empty: none; "-": stdout
  std::string csv_file;
  bool show_percentiles = false;
  std::vector<std::string> arguments;  // of which the rest was made

  // -1: not said.
  int initiator_cpu() const { return cpus.empty() ? -1 : cpus.front(); }
  int target_cpu() const { return cpus.empty() ? -1 : cpus.back(); }

  // Throws PerfFailure(kUnusable) unless all sizes are within the limit.
  void check_sizes(const Limit& limit) const {
    for (const std::uint64_t size : sizes) {
      if (size <= limit.most) continue;
      refuse("--sizes: '{}' is not usable with {}; expected at most {} bytes ({})", size,
             measurement->name, limit.most, limit.name);
    }
  }
};

// Parses a command line without the program's name. Prints help or version itself and returns
// nothing then. Throws PerfFailure(kUnusable) with one sentence.
std::optional<PerfOptions> parse_options(const std::vector<std::string>& arguments);

// What this process does, by its role. Each throws PerfFailure.
//
// Finds the target, or starts it on this machine, measures, and reports.
void run_client(const PerfOptions& options);
// Is the target for one client after the other, until killed, or for one client with --once.
// Returns the exit code of a served client. `shown_name`: where the second process of a pair shows
// its nid and pid, instead of on stdout.
ExitCode run_server(const PerfOptions& options, std::atomic<ProcessName>* shown_name = nullptr);
// Starts the processes of a chain, measures it, and reports. REQUIRES: options.measurement->chain;
// nothing of Portals has been called in this process.
void run_chain(const PerfOptions& options);

}  // namespace lintel::perf
