#include "options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>

#include "failure.h"
#include "interface.h"
#include "numbers.h"
#include "protocol.h"

namespace lintel::perf {
namespace {

constexpr double kDefaultDeadline = 10;

// The options as texts; empty means: not given.
struct Texts {
  bool local = false;
  bool server = false;
  std::string sizes, min, max, iterations, warm_up, window, repeats, iovec, completion, units, cpu, deadline, pid, client, passive_mode,
      passive_seconds, api, notify, announce_fd, protocol, processes;
};

std::string command_list() {
  std::string list;
  for (const Measurement& measurement : measurements()) list += (list.empty() ? "" : ", ") + std::string(measurement.name);
  return list;
}

template <class Choice>
Choice choose(const char* option, const std::string& text, std::initializer_list<std::pair<const char*, Choice>> choices) {
  std::string expected;
  for (const auto& [name, choice] : choices) {
    if (text == name) return choice;
    expected += (expected.empty() ? "" : " or ") + std::string(name);
  }
  throw Failure(ExitCode::kUnusable, fmt::format("{}: '{}' is not usable; expected {}", option, text, expected));
}

void add_options(CLI::App& app, Texts& texts, Options& options) {
  const std::string roles = "Which process this is";
  app.add_flag("--local", texts.local, "Start both processes on this machine (the default)")->group(roles);
  app.add_flag("--server", texts.server, "Wait for clients and be the target")->group(roles);
  app.add_option("--client", texts.client, "Be the initiator; the server is at this host, and its process id is 17 unless said")
      ->type_name("ADDR[:PID]")
      ->group(roles);
  app.add_option("--bind", options.bind,
                 "The address or network interface to use (sets LINTEL_INTERFACE; default: loopback, for a client the one that leads to "
                 "the server)")
      ->type_name("ADDR")
      ->group(roles);
  app.add_option("--pid", texts.pid,
                 fmt::format("The server's Portals process id (default {}); 'any' lets a server take a free one and say it", kServerPid))
      ->type_name("N|any")
      ->group(roles);
  app.add_flag("--once", options.once, "The server ends after one client")->group(roles);

  const std::string what = "What to measure";
  app.add_option("--api", texts.api, "Through which Portals the measured operations go (default 3)")->type_name("3|4")->group(what);
  app.add_option("--notify", texts.notify, "How completion is learnt: full events, or with --api 4 counting events (default events)")
      ->type_name("events|counters")
      ->group(what);
  app.add_option("--sizes", texts.sizes, "Message sizes in bytes, separated by commas; K, M, G are 2^10, 2^20, 2^30")
      ->type_name("LIST")
      ->group(what);
  app.add_option("--min", texts.min, "Smallest size; doubled up to --max (default 1)")->type_name("SIZE")->group(what);
  app.add_option("--max", texts.max, "Largest size (default 4M)")->type_name("SIZE")->group(what);
  app.add_option("--iterations", texts.iterations, "Messages, or rounds of a chain, of one pass (default: by size)")
      ->type_name("N")
      ->group(what);
  app.add_option("--warm-up", texts.warm_up, "Messages before the first pass, not timed (default: a tenth of the iterations, at most 1000)")
      ->type_name("N")
      ->group(what);
  app.add_option("--window", texts.window, "Operations under way at once, for bandwidth and message rate (default 64)")
      ->type_name("N")
      ->group(what);
  app.add_option("--repeats", texts.repeats, "Passes, of which the median is reported (default 3)")->type_name("N")->group(what);
  app.add_flag("--validate,!--no-validate", options.settings.validate, "Compare every byte, outside the timed part (default)")->group(what);
  app.add_option("--completion", texts.completion, "What ends a put: local = SEND_END (Portals 4: SEND), remote = ACK (default remote)")
      ->type_name("local|remote")
      ->group(what);
  app.add_option("--iovec", texts.iovec, "Make each memory descriptor of N pieces (default 1)")->type_name("N")->group(what);
  app.add_option("--passive-mode", texts.passive_mode, "What the passive target does (default compute)")
      ->type_name("compute|sleep")
      ->group(what);
  app.add_option("--passive-seconds", texts.passive_seconds, "For how long, at each size (default 1)")->type_name("SECONDS")->group(what);

  app.add_option("--processes", texts.processes, "Processes of a barrier, broadcast or reduce, 2 to 64 (default 4)")
      ->type_name("N")
      ->group(what);

  const std::string how = "Surroundings";
  app.add_option("--cpu", texts.cpu,
                 "Pin the processes: the initiator to CPU A, the target to CPU B; with --server or --client, A or the own one of the two; "
                 "of a chain, rank 0 to A, the others to B")
      ->type_name("A[,B]")
      ->group(how);
  app.add_option("--provider", options.provider, "network: direct, or a provider of libfabric (sets LINTEL_PROVIDER)")->type_name("NAME")->group(how);
  app.add_option("--deadline", texts.deadline,
                 fmt::format("Longest silence of the other process, or standstill of a chain (default {})", kDefaultDeadline))
      ->type_name("SECONDS")
      ->group(how);

  const std::string output = "Output";
  app.add_option("--units", texts.units, "Of bandwidth: MB = 1e6 bytes, MiB = 2^20 bytes, Gb = 1e9 bits (default MB)")
      ->type_name("MB|MiB|Gb")
      ->group(output);
  app.add_flag("--percentiles", options.show_percentiles, "Time each operation in one more pass; show P50, P90, P99, P99.9")->group(output);
  app.add_option("--json", options.json_file, "Write one JSON document; - for stdout, the table then goes to stderr")
      ->type_name("FILE")
      ->group(output);
  app.add_option("--csv", options.csv_file, "Write comma separated values; - for stdout")->type_name("FILE")->group(output);

  app.add_option("--announce-fd", texts.announce_fd, "")->group("");
  app.add_option("--pretend-protocol", texts.protocol, "")->group("");
}

void read_roles(const CLI::App& app, const Texts& texts, Options& options) {
  const bool local = texts.local;
  const bool server = texts.server;
  const bool client = app.count("--client") > 0;
  if (local + server + client > 1) {
    throw Failure(ExitCode::kUnusable,
                  fmt::format("{} together; expected one of --local, --server and --client ADDR", local && server ? "--local and --server"
                                                                                                  : local         ? "--local and --client"
                                                                                                          : "--server and --client"));
  }
  options.role = server ? Role::kServer : client ? Role::kClient : Role::kLocal;
  options.pid = kServerPid;
  if (server && texts.pid == "any") {
    options.pid = 0;
  } else if (!texts.pid.empty()) {
    options.pid = static_cast<std::uint32_t>(parse_count("--pid", texts.pid, "a Portals process id", 1, 65535));
  }
  if (client) std::tie(options.server_address, options.pid) = parse_peer("--client", texts.client, options.pid);
  if (server && options.measurement != nullptr) {
    throw Failure(ExitCode::kUnusable,
                  fmt::format("'{}' with --server; expected it at the client, which says what is measured", options.measurement->name));
  }
  if (!server && options.measurement == nullptr) {
    throw Failure(ExitCode::kUnusable, fmt::format("no sub-command; expected one of {}, or --server", command_list()));
  }
  if (!server && options.once) throw Failure(ExitCode::kUnusable, "--once without --server; expected both");
}

void read_size_texts(const Texts& texts, Options& options) {
  const bool range = !texts.min.empty() || !texts.max.empty();
  if (!texts.sizes.empty() && range)
    throw Failure(ExitCode::kUnusable, "--sizes together with --min or --max; expected one of the two ways");
  if (!texts.sizes.empty()) options.sizes = parse_size_list("--sizes", texts.sizes);
  if (!range) return;
  const std::uint64_t min = texts.min.empty() ? 1 : parse_size("--min", texts.min);
  const std::uint64_t max = texts.max.empty() ? std::max<std::uint64_t>(min, std::uint64_t{4} << 20) : parse_size("--max", texts.max);
  if (min > max)
    throw Failure(ExitCode::kUnusable, fmt::format("--min {} is above --max {}; expected --min to be at most --max", min, max));
  options.sizes = powers_of_two(min, max);
}

void read_sizes(const Texts& texts, Options& options) {
  read_size_texts(texts, options);
  if (options.measurement == nullptr || !options.measurement->adds_words) return;
  for (const std::uint64_t size : options.sizes) {
    if (size % 8 == 0) continue;
    throw Failure(ExitCode::kUnusable, fmt::format("--sizes: '{}' is not usable with {}; expected a multiple of 8 bytes, for 64-bit words",
                                                   size, options.measurement->name));
  }
}

void read_settings(const Texts& texts, Options& options) {
  static constexpr std::uint64_t kMost = 1'000'000'000;
  Settings& settings = options.settings;
  if (!texts.api.empty()) settings.api = choose<Api>("--api", texts.api, {{"3", Api::kPortals3}, {"4", Api::kPortals4}});
  if (!texts.notify.empty()) {
    settings.notify = choose<Notify>("--notify", texts.notify, {{"events", Notify::kEvents}, {"counters", Notify::kCounters}});
  }
  if (!texts.iterations.empty()) settings.iterations = parse_count("--iterations", texts.iterations, "messages", 1, kMost);
  if (!texts.warm_up.empty()) settings.warm_up = parse_count("--warm-up", texts.warm_up, "messages", 0, kMost);
  if (!texts.window.empty()) settings.window = parse_count("--window", texts.window, "operations", 1, 65536);
  if (!texts.repeats.empty()) settings.repeats = parse_count("--repeats", texts.repeats, "passes", 1, 1000);
  if (!texts.iovec.empty()) settings.pieces = parse_count("--iovec", texts.iovec, "pieces", 1, 4096);
  if (!texts.completion.empty()) {
    settings.completion =
        choose<Completion>("--completion", texts.completion, {{"local", Completion::kLocal}, {"remote", Completion::kRemote}});
  }
  if (!texts.passive_mode.empty()) {
    settings.passive_mode =
        choose<PassiveMode>("--passive-mode", texts.passive_mode, {{"compute", PassiveMode::kCompute}, {"sleep", PassiveMode::kSleep}});
  }
  if (!texts.passive_seconds.empty()) settings.passive_seconds = parse_seconds("--passive-seconds", texts.passive_seconds, 0.1, 3600);
  settings.percentiles = options.show_percentiles || !options.json_file.empty();
  if (!texts.units.empty())
    options.units = choose<Units>("--units", texts.units, {{"MB", Units::kMB}, {"MiB", Units::kMiB}, {"Gb", Units::kGb}});
  options.deadline_seconds = texts.deadline.empty() ? kDefaultDeadline : parse_seconds("--deadline", texts.deadline, 0.1, 86400);
  if (!texts.cpu.empty()) options.cpus = parse_cpus("--cpu", texts.cpu);
  if (!texts.announce_fd.empty())
    options.announce_fd = static_cast<int>(parse_count("--announce-fd", texts.announce_fd, "descriptors", 0, 1 << 20));
  if (!texts.protocol.empty())
    options.pretended_protocol = static_cast<int>(parse_count("--pretend-protocol", texts.protocol, "versions", 0, 1000));
  if (options.json_file == "-" && options.csv_file == "-") {
    throw Failure(ExitCode::kUnusable, "--json - together with --csv -; expected at most one of them on stdout");
  }
  if (settings.api == Api::kPortals3 && settings.notify == Notify::kCounters) {
    throw Failure(ExitCode::kUnusable, "--notify: 'counters' is not usable with --api 3, which has none; expected events, or --api 4");
  }
  if (settings.api == Api::kPortals3 && options.measurement != nullptr && options.measurement->adds_words) {
    throw Failure(ExitCode::kUnusable,
                  fmt::format("--api: '3' is not usable with {}, as Portals 3 has no atomic operations; expected --api 4",
                              options.measurement->name));
  }
  const bool both_ways = options.measurement != nullptr && std::string_view(options.measurement->name) == "put-bibw";
  if (both_ways && settings.completion == Completion::kLocal) {
    throw Failure(ExitCode::kUnusable, "--completion: 'local' is not usable with put-bibw; expected remote");
  }
}

// A chain starts its processes itself, has one message after the other, and reports times alone.
void read_chain(const CLI::App& app, const Texts& texts, Options& options) {
  if (options.measurement == nullptr || !options.measurement->chain) {
    if (app.count("--processes") == 0) return;
    throw Failure(ExitCode::kUnusable, "--processes without a chain; expected it with barrier, broadcast or reduce");
  }
  const char* name = options.measurement->name;
  for (const char* option : {"--server", "--client", "--pid", "--once", "--window", "--completion", "--iovec", "--passive-mode",
                             "--passive-seconds", "--units", "--percentiles", "--notify"}) {
    if (app.count(option) == 0) continue;
    throw Failure(
        ExitCode::kUnusable,
        fmt::format("{} with {}; expected none, as a chain starts its processes itself and reports the time of a round", option, name));
  }
  if (texts.api == "3") throw Failure(ExitCode::kUnusable, fmt::format("--api: '3' is not usable with {}; expected 4", name));
  options.settings.api = Api::kPortals4;
  options.settings.notify = Notify::kCounters;
  if (!texts.processes.empty()) options.processes = parse_count("--processes", texts.processes, "processes", 2, 64);
  if (options.measurement->chain == ChainKind::kBarrier && !(texts.sizes + texts.min + texts.max).empty()) {
    throw Failure(ExitCode::kUnusable, "a size with barrier; expected none, as its messages are empty");
  }
}

void check_chain_sizes(const Options& options) {
  if (options.measurement == nullptr || options.measurement->chain != ChainKind::kReduction) return;
  for (const std::uint64_t size : options.sizes) {
    if (size % 8 == 0) continue;
    throw Failure(ExitCode::kUnusable, fmt::format("--sizes: '{}' is not usable with reduce; expected multiples of 8 bytes", size));
  }
}

// CLI11's own sentences name the option but not what was expected.
[[noreturn]] void reject(const CLI::App& app, const CLI::ParseError& error) {
  if (const auto* extras = dynamic_cast<const CLI::ExtrasError*>(&error)) {
    static_cast<void>(extras);
    const auto rest = app.remaining(true);
    const std::string first = rest.empty() ? std::string(error.what()) : rest.back();
    if (!first.empty() && first.front() == '-') {
      throw Failure(ExitCode::kUnusable, fmt::format("unknown option '{}'; expected one that 'lintel-perf --help' lists", first));
    }
    throw Failure(ExitCode::kUnusable, fmt::format("unknown sub-command '{}'; expected one of {}", first, command_list()));
  }
  throw Failure(ExitCode::kUnusable, fmt::format("{}; 'lintel-perf --help' tells what is expected", error.what()));
}

// CLI11 takes an empty text for "not given".
void reject_empty(const CLI::App& app) {
  for (const CLI::Option* option : app.get_options()) {
    if (option->count() == 0 || option->get_items_expected_min() == 0 || !option->results().front().empty()) continue;
    throw Failure(ExitCode::kUnusable, fmt::format("{}: '' is not usable; expected {}", option->get_name(), option->get_type_name()));
  }
}

}  // namespace

std::optional<Options> parse_options(int argc, char** argv) {
  Options options;
  Texts texts;
  CLI::App app{
      "Measures one-sided bandwidth and latency between two processes, and triggered chains through many, with every byte verified.",
      "lintel-perf"};
  app.set_version_flag("--version", fmt::format("lintel-perf {} (protocol {})", tool_version(), kProtocol));
  app.require_subcommand(0, 1);
  app.footer(
      "On one machine:   lintel-perf quick\n"
      "Through Portals 4: lintel-perf fetch-lat --api 4 --notify counters\n"
      "On two machines:  lintel-perf --server --bind 10.0.0.1           (on the first)\n"
      "                  lintel-perf put-bw --client 10.0.0.1           (on the second)\n"
      "Triggered chains: lintel-perf barrier --processes 8             (also broadcast, reduce; starts all processes)\n"
      "Exit code: 0 done, 1 the run failed (wrong bytes, an error of the library), 2 what was asked for cannot be done.");
  add_options(app, texts, options);
  for (const Measurement& measurement : measurements()) {
    app.add_subcommand(measurement.name, measurement.title)->fallthrough()->callback([&options, &measurement] {
      options.measurement = &measurement;
    });
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    fmt::print("{}", app.help("", CLI::AppFormatMode::All));
    return std::nullopt;
  } catch (const CLI::CallForVersion& version) {
    fmt::print("{}\n", version.what());
    return std::nullopt;
  } catch (const CLI::ParseError& error) {
    reject(app, error);
  }
  reject_empty(app);
  read_settings(texts, options);
  read_chain(app, texts, options);
  read_roles(app, texts, options);
  read_sizes(texts, options);
  check_chain_sizes(options);
  return options;
}

}  // namespace lintel::perf
