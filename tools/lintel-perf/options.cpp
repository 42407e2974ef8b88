#include "options.h"

#include <CLI/CLI.hpp>
#include <functional>

#include "control.h"

namespace lintel::perf {
namespace {

std::string command_list() {
  return CLI::detail::join(measurements(), std::mem_fn(&Measurement::name), ", ");
}

// The options as CLI11 knows them, and what their texts mean. Texts are read after CLI11 has parsed
// the whole line, so that help is given whatever else is wrong.
class CommandLine {
 public:
  explicit CommandLine(PerfOptions& options) : options_(options), settings_(options.settings) {
    app_.set_version_flag("--version",
                          fmt::format("{} {} (protocol {})", kToolName, tool_version(), kProtocol));
    app_.require_subcommand(0, 1);
    app_.footer(
        "On one machine:   lintel-perf quick\n"
        "Through Portals 4: lintel-perf fetch-lat --api 4 --notify counters\n"
        "On two machines:  lintel-perf --server --bind 10.0.0.1           (on the first)\n"
        "                  lintel-perf put-bw --client 10.0.0.1           (on the second)\n"
        "Triggered chains: lintel-perf barrier --processes 8             (also broadcast, reduce; "
        "starts all processes)\n"
        "Exit code: 0 done, 1 the run failed (wrong bytes, an error of the library), 2 what was "
        "asked for cannot be done.");
    // Before the options, whose groups their own help would be in.
    for (const Measurement& measurement : measurements()) {
      app_.add_subcommand(measurement.name, measurement.title)
          ->fallthrough()
          ->callback([this, &measurement] { options_.measurement = &measurement; });
    }
    add_options();
  }

  // Returns false if it has printed help or version.
  bool parse(const std::vector<std::string>& arguments) {
    try {
      app_.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
    } catch (const CLI::CallForHelp&) {
      fmt::print("{}", app_.help("", CLI::AppFormatMode::All));
      return false;
    } catch (const CLI::CallForVersion& version) {
      fmt::print("{}\n", version.what());
      return false;
    } catch (const CLI::ExtrasError& error) {
      reject_extras(error);
    } catch (const CLI::ParseError& error) {
      refuse("{}; 'lintel-perf --help' tells what is expected", error.what());
    }
    for (const auto& read : readers_) read();
    settings_.percentiles = options_.show_percentiles || !options_.json_file.empty();
    check_combinations();
    check_chain();
    read_roles();
    read_sizes();
    return true;
  }

 private:
  // value_of(name, text, limits...) returns the value, or refuses the text.
  template <class Value, class ValueOf, class... Limits>
  void text(const char* name, const char* type, const std::string& help, Value& value,
            ValueOf value_of, Limits... limits) {
    auto* const option = app_.add_option(name)->description(help)->type_name(type);
    readers_.emplace_back([=, &value] {
      if (option->count() == 0) return;
      const auto text = option->as<std::string>();
      if (text.empty()) reject(name, text, type);
      value = Value(value_of(name, text, limits...));
    });
  }
  void text(const char* name, const char* type, const std::string& help, std::string& value) {
    text(name, type, help, value, [](const char*, const std::string& text) { return text; });
  }
  // A whole number of `what`.
  template <class Number>
  void count(const char* name, const char* help, const char* what, std::uint64_t min,
             std::uint64_t max, Number& value) {
    text(name, "N", help, value, parse_count, what, min, max);
  }
  // One of the names in `type`, "a|b|c", which stand for `choices` in that order.
  template <class Choice>
  void choice(const char* name, const char* type, const char* help, Choice& value,
              std::vector<Choice> choices) {
    text(name, type, help, value, [=](const char* option, const std::string& text) {
      const auto names = CLI::detail::split(type, '|');
      const auto found = std::find(names.begin(), names.end(), text);
      if (found == names.end()) reject(option, text, CLI::detail::join(names, " or "));
      return choices[static_cast<std::size_t>(found - names.begin())];
    });
  }

  // In the order of the help.
  void add_options() {
    add_roles();
    add_work();
    add_surroundings();
    add_output();
  }

  void add_roles() {
    app_.option_defaults()->group("Which process this is");
    app_.add_flag("--local", local_, "Start both processes on this machine (the default)");
    app_.add_flag("--server", options_.server, "Wait for clients and be the target");
    text("--client", "ADDR[:PID]",
         "Be the initiator; the server is at this host, and its process id is 17 unless said",
         client_);
    text("--bind", "ADDR",
         "The address or network interface to use (sets LINTEL_INTERFACE; default: loopback, for a "
         "client the one that leads to the server)",
         options_.bind);
    text("--pid", "N|any",
         fmt::format("The server's Portals process id (default {}); 'any' lets a server take a "
                     "free one and say it",
                     kServerPid),
         pid_);
    app_.add_flag("--once", options_.once, "The server ends after one client");
  }

  void add_work() {
    static constexpr std::uint64_t kMost = 1'000'000'000;
    app_.option_defaults()->group("What to measure");
    choice("--api", "3|4", "Through which Portals the measured operations go (default 3)",
           settings_.api, {Api::kPortals3, Api::kPortals4});
    choice(
        "--notify", "events|counters",
        "How completion is learnt: full events, or with --api 4 counting events (default events)",
        settings_.notify, {Notify::kEvents, Notify::kCounters});
    text("--sizes", "LIST",
         "Message sizes in bytes, separated by commas; K, M, G are 2^10, 2^20, 2^30",
         options_.sizes, parse_size_list);
    text("--min", "SIZE", "Smallest size; doubled up to --max (default 1)", min_, parse_size);
    text("--max", "SIZE", "Largest size (default 4M)", max_, parse_size);
    count("--iterations", "Messages, or rounds of a chain, of one pass (default: by size)",
          "messages", 1, kMost, settings_.iterations);
    count("--warm-up",
          "Messages before the first pass, not timed (default: a tenth of the iterations, at most "
          "1000)",
          "messages", 0, kMost, settings_.warm_up);
    count("--window", "Operations under way at once, for bandwidth and message rate (default 64)",
          "operations", 1, 65536, settings_.window);
    count("--repeats", "Passes, of which the median is reported (default 3)", "passes", 1, 1000,
          settings_.repeats);
    app_.add_flag("--validate,!--no-validate", settings_.validate,
                  "Compare every byte, outside the timed part (default)");
    choice("--completion", "local|remote",
           "What ends a put: local = SEND_END (Portals 4: SEND), remote = ACK (default remote)",
           settings_.completion, {PutCompletion::kLocal, PutCompletion::kRemote});
    count("--iovec", "Make each memory descriptor of N pieces (default 1)", "pieces", 1, 4096,
          settings_.pieces);
    choice("--passive-mode", "compute|sleep", "What the passive target does (default compute)",
           settings_.passive_mode, {PassiveMode::kCompute, PassiveMode::kSleep});
    text("--passive-seconds", "SECONDS", "For how long, at each size (default 1)",
         settings_.passive_time, parse_seconds, 0.1, 3600);
    count("--processes", "Processes of a barrier, broadcast or reduce, 2 to 64 (default 4)",
          "processes", 2, 64, options_.processes);
  }

  void add_surroundings() {
    app_.option_defaults()->group("Surroundings");
    text("--cpu", "A[,B]",
         "Pin the processes: the initiator to CPU A, the target to CPU B; with --server or "
         "--client, A or the own one of the two; of a chain, rank 0 to A, the others to B",
         options_.cpus, parse_cpus);
    text("--provider", "NAME", "network: direct, or a provider of libfabric (sets LINTEL_PROVIDER)",
         options_.provider);
    text("--deadline", "SECONDS",
         fmt::format("Longest silence of the other process, or standstill of a chain (default {})",
                     options_.deadline.count()),
         options_.deadline, parse_seconds, 0.1, 86400);
  }

  void add_output() {
    app_.option_defaults()->group("Output");
    choice("--units", "MB|MiB|Gb",
           "Of bandwidth: MB = 1e6 bytes, MiB = 2^20 bytes, Gb = 1e9 bits (default MB)",
           options_.units, {Units::kMB, Units::kMiB, Units::kGb});
    app_.add_flag("--percentiles", options_.show_percentiles,
                  "Time each operation in one more pass; show P50, P90, P99, P99.9");
    text("--json", "FILE", "Write one JSON document; - for stdout, the table then goes to stderr",
         options_.json_file);
    text("--csv", "FILE", "Write comma separated values; - for stdout", options_.csv_file);
  }

  // CLI11's own sentence names what is too much, but not what was expected.
  [[noreturn]] void reject_extras(const CLI::ExtrasError& error) const {
    const auto rest = app_.remaining(true);
    const std::string first = rest.empty() ? std::string(error.what()) : rest.back();
    if (first.starts_with('-')) {
      refuse("unknown option '{}'; expected one that 'lintel-perf --help' lists", first);
    }
    refuse("unknown sub-command '{}'; expected one of {}", first, command_list());
  }

  bool given(const char* option) const { return app_.count(option) > 0; }
  const Measurement& asked() const {
    static const Measurement kNone{"", "", ""};
    return options_.measurement == nullptr ? kNone : *options_.measurement;
  }
  template <class... Arguments>
  static void refuse_if(bool wrong, fmt::format_string<Arguments...> sentence,
                        Arguments&&... arguments) {
    if (wrong) refuse(sentence, std::forward<Arguments>(arguments)...);
  }

  void check_combinations() const {
    const bool portals3 = settings_.api == Api::kPortals3;
    refuse_if(options_.json_file == "-" && options_.csv_file == "-",
              "--json - together with --csv -; expected at most one of them on stdout");
    refuse_if(portals3 && settings_.notify == Notify::kCounters,
              "--notify: 'counters' is not usable with --api 3, which has none; expected events, "
              "or --api 4");
    refuse_if(portals3 && asked().adds_words(),
              "--api: '3' is not usable with {}, as Portals 3 has no atomic operations; expected "
              "--api 4",
              asked().name);
    refuse_if(settings_.completion == PutCompletion::kLocal && asked().has(TrafficShape::kBothWays),
              "--completion: 'local' is not usable with put-bibw; expected remote");
    refuse_if(!asked().chain && given("--processes"),
              "--processes without a chain; expected it with barrier, broadcast or reduce");
  }

  // A chain starts its processes itself, has one message after the other, and reports times alone.
  void check_chain() {
    if (!asked().chain) return;
    for (const char* option :
         {"--server", "--client", "--pid", "--once", "--window", "--completion", "--iovec",
          "--passive-mode", "--passive-seconds", "--units", "--percentiles", "--notify"}) {
      refuse_if(given(option),
                "{} with {}; expected none, as a chain starts its processes itself and reports the "
                "time of a round",
                option, asked().name);
    }
    refuse_if(given("--api") && settings_.api == Api::kPortals3,
              "--api: '3' is not usable with {}; expected 4", asked().name);
    settings_.api = Api::kPortals4;
    settings_.notify = Notify::kCounters;
    refuse_if(asked().chain == ChainKind::kBarrier &&
                  (given("--sizes") || given("--min") || given("--max")),
              "a size with barrier; expected none, as its messages are empty");
  }

  void read_roles() {
    const bool server = options_.server;
    const bool client = !client_.empty();
    const bool measures = options_.measurement != nullptr;
    refuse_if(local_ + server + client > 1,
              "{} and {} together; expected one of --local, --server and --client ADDR",
              local_ ? "--local" : "--server", local_ && server ? "--server" : "--client");
    options_.pid = kServerPid;
    if (server && pid_ == "any") {
      options_.pid = 0;
    } else if (!pid_.empty()) {
      options_.pid =
          static_cast<std::uint32_t>(parse_count("--pid", pid_, "a Portals process id", 1, 65535));
    }
    if (client) {
      std::tie(options_.server_address, options_.pid) =
          parse_peer("--client", client_, options_.pid);
    }
    refuse_if(server && measures,
              "'{}' with --server; expected it at the client, which says what is measured",
              asked().name);
    refuse_if(!server && !measures, "no sub-command; expected one of {}, or --server",
              command_list());
    refuse_if(!server && options_.once, "--once without --server; expected both");
  }

  void read_sizes() {
    if (min_ || max_) {
      refuse_if(given("--sizes"),
                "--sizes together with --min or --max; expected one of the two ways");
      const std::uint64_t min = min_.value_or(1);
      const std::uint64_t max = max_.value_or(std::max(min, std::uint64_t{4} << 20));
      refuse_if(min > max, "--min {} is above --max {}; expected --min to be at most --max", min,
                max);
      options_.sizes = powers_of_two(min, max);
    } else if (options_.sizes.empty()) {
      options_.sizes = asked().default_sizes;
    }
    const bool reduces = asked().chain == ChainKind::kReduction;
    if (!reduces && !asked().adds_words()) return;
    for (const std::uint64_t size : options_.sizes) {
      refuse_if(size % 8 != 0, "--sizes: '{}' is not usable with {}; expected {}", size,
                asked().name,
                reduces ? "multiples of 8 bytes" : "a multiple of 8 bytes, for 64-bit words");
    }
  }

  PerfOptions& options_;
  Settings& settings_;
  CLI::App app_{
      "Measures one-sided bandwidth and latency between two processes, and triggered chains "
      "through many, with every byte verified.",
      kToolName};
  std::vector<std::function<void()>> readers_;  // of the options with texts
  bool local_ = false;
  std::string client_;
  std::string pid_;
  std::optional<std::uint64_t> min_;
  std::optional<std::uint64_t> max_;
};

}  // namespace

std::optional<PerfOptions> parse_options(const std::vector<std::string>& arguments) {
  PerfOptions options;
  options.arguments = arguments;
  if (!CommandLine(options).parse(arguments)) return std::nullopt;
  return options;
}

}  // namespace lintel::perf
