#include "bench/raw/options.h"

#include <fmt/core.h>
#include <sched.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cstdio>

namespace lintel::bench {
namespace {

struct ModeName {
  Mode mode;
  std::string_view name;
};
constexpr std::array<ModeName, 5> kModes{{{Mode::kPingPong, "pingpong"},
                                          {Mode::kRate, "rate"},
                                          {Mode::kSendBandwidth, "bw-send"},
                                          {Mode::kWriteBandwidth, "bw-write"},
                                          {Mode::kReadBandwidth, "bw-read"}}};
constexpr std::uint64_t kLargestSize = std::uint64_t{1} << 30;

bool cpu_is_usable(int cpu) {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  return cpu >= 0 && cpu < CPU_SETSIZE && sched_getaffinity(0, sizeof allowed, &allowed) == 0 &&
         CPU_ISSET(static_cast<std::size_t>(cpu), &allowed);
}

// The first two processors that this process may use, or none if there is only one: two spinning
// processes must not share a core.
std::pair<int, int> default_cpus() {
  std::vector<int> usable;
  for (int cpu = 0; cpu < CPU_SETSIZE && usable.size() < 2; ++cpu) {
    if (cpu_is_usable(cpu)) usable.push_back(cpu);
  }
  return usable.size() == 2 ? std::pair{usable[0], usable[1]} : std::pair{-1, -1};
}

}  // namespace

std::string_view name_of(Mode mode) {
  const auto* found = std::find_if(kModes.begin(), kModes.end(),
                                   [mode](const ModeName& entry) { return entry.mode == mode; });
  return found->name;
}

std::vector<std::size_t> sizes_of(const RawOptions& options, Mode mode) {
  if (mode == Mode::kRate) return {8};
  if (!options.sizes.empty()) return options.sizes;
  std::vector<std::size_t> sizes{16 << 10, 64 << 10, 256 << 10, 1 << 20, 4 << 20};
  if (mode == Mode::kPingPong) sizes.insert(sizes.begin(), {8, 1024});
  return sizes;
}

std::size_t largest_size(const RawOptions& options) {
  std::size_t largest = 0;
  for (const Mode mode : options.modes) {
    for (const std::size_t size : sizes_of(options, mode)) largest = std::max(largest, size);
  }
  return largest;
}

std::uint64_t iterations_of(const RawOptions& options, Mode mode, std::size_t size) {
  if (options.iterations != 0) return options.iterations;
  // About 0.1 to 0.7 s a repeat at a few GB/s.
  const std::uint64_t by_bytes = (mode == Mode::kPingPong ? 1'000'000'000 : 2'000'000'000) / size;
  return std::clamp<std::uint64_t>(by_bytes, 200, mode == Mode::kPingPong ? 20'000 : 100'000);
}

Parsed parse(int argc, char** argv) {
  RawOptions options;
  std::vector<std::string> modes;
  std::vector<std::uint64_t> sizes;
  std::vector<int> cpus;
  std::vector<std::string> addresses;

  CLI::App app(
      "Measures libfabric itself, without Lintel: two processes on this machine, both polling.",
      "lintel-raw-fabric");
  app.set_version_flag("--version", LINTEL_VERSION);
  std::vector<std::string> names;
  for (const ModeName& entry : kModes) names.emplace_back(entry.name);
  app.add_option("modes", modes,
                 "What to measure, one or more: pingpong (half round trip of send and receive), "
                 "rate (8-byte sends, each a message of its "
                 "own), bw-send, bw-write, bw-read (one-way bandwidth)")
      ->required()
      ->check(CLI::IsMember(names));
  app.add_option(
      "--provider", options.provider,
      "libfabric provider, for example net, \"tcp;ofi_rxm\", shm (default: net, else tcp)");
  app.add_option("--sizes", sizes,
                 "Message sizes in bytes, K and M are powers of two, separated by commas; rate "
                 "always takes 8")
      ->delimiter(',')
      ->transform(CLI::AsSizeValue(false))
      ->check(CLI::Range(std::uint64_t{1}, kLargestSize));
  app.add_option("--iterations", options.iterations, "Messages of one repeat (default: by size)")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1'000'000'000}));
  app.add_option("--warm-up", options.warm_up, "Messages before the clock starts")
      ->check(CLI::Range(std::uint64_t{0}, std::uint64_t{1'000'000'000}))
      ->capture_default_str();
  app.add_option("--window", options.window, "Operations under way at a time")
      ->check(CLI::Range(1, 4096))
      ->capture_default_str();
  app.add_option("--repeats", options.repeats, "Repeats of each size; the median is reported")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  app.add_option("--cpu", cpus, "Processors of the two processes, as A,B (default: the first two)")
      ->delimiter(',')
      ->expected(2);
  app.add_option("--addresses", addresses,
                 "IPv4 addresses of the initiator and the target, as A,B (default: loopback)")
      ->delimiter(',')
      ->expected(2)
      ->check(CLI::ValidIPV4);
  app.add_option("--target-namespace", options.target_namespace,
                 "The target's network namespace, by its path, as /run/netns/b (default: the "
                 "initiator's; needs CAP_SYS_ADMIN)");
  app.add_option("--json", options.json_path,
                 "Also write one JSON document to this file; - is standard output");

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    const bool asked_for_text = error.get_exit_code() == 0;
    app.exit(error);
    return {std::nullopt, asked_for_text ? 0 : 2};
  }
  for (const std::string& mode : modes) {
    const auto* found = std::find_if(kModes.begin(), kModes.end(),
                                     [&](const ModeName& entry) { return entry.name == mode; });
    options.modes.push_back(found->mode);
  }
  options.sizes.assign(sizes.begin(), sizes.end());
  if (!addresses.empty()) options.addresses = {addresses[0], addresses[1]};
  options.cpus = cpus.empty() ? default_cpus() : std::pair{cpus[0], cpus[1]};
  for (const int cpu : cpus) {
    if (!cpu_is_usable(cpu)) {
      fmt::print(stderr, "--cpu: this process may not run on processor {}.\n", cpu);
      return {std::nullopt, 2};
    }
  }
  return {options, 0};
}

}  // namespace lintel::bench
