#include "options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cstdio>
#include <string_view>

#include "failure.h"

namespace lintel::run {
namespace {

struct RunOptionTexts {
  std::string ranks, binding, timeout, impi;
};

[[noreturn]] void refuse(const std::string& sentence) {
  throw RunFailure(kExitWrongUsage, sentence);
}

// Returns nothing if it is no decimal number from `least` to `most`.
std::optional<std::size_t> number_of(std::string_view text, std::size_t least, std::size_t most) {
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < least || number > most)
    return std::nullopt;
  return number;
}

std::size_t ranks_of(const std::string& text) {
  const auto ranks = number_of(text, 1, kMaxRanks);
  if (!ranks)
    refuse(fmt::format("-n: '{}' is not usable; expected a number of processes from 1 to {}", text,
                       kMaxRanks));
  return *ranks;
}

Binding binding_of(const std::string& text) {
  if (text == "none") return Binding::kNone;
  if (text == "core") return Binding::kCore;
  refuse(fmt::format("--bind: '{}' is not usable; expected none or core", text));
}

std::chrono::milliseconds timeout_of(const std::string& text) {
  constexpr double kMost = 1e7;
  double seconds = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), seconds, std::chars_format::fixed);
  if (error != std::errc() || end != text.data() + text.size() || !(seconds > 0) || seconds > kMost)
    refuse(fmt::format(
        "--timeout: '{}' is not usable; expected seconds, more than 0 and at most {:.0f}", text,
        kMost));
  return std::chrono::ceil<std::chrono::milliseconds>(std::chrono::duration<double>(seconds));
}

// RANK@HOST:PORT. Whether the host exists is checked when it is contacted.
std::string impi_of(const std::string& text) {
  constexpr std::size_t kMostClients = 32;
  constexpr std::string_view kInNames =
      "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-_";
  const std::string_view all = text;
  const std::size_t at = std::min(all.find('@'), all.size());
  const std::size_t colon = all.rfind(':');
  if (at == all.size() || colon == std::string_view::npos || colon < at)
    refuse(fmt::format(
        "--impi: '{}' is not usable; expected RANK@HOST:PORT, as in 0@127.0.0.1:4000", text));
  const std::string_view rank = all.substr(0, at);
  const std::string_view host = all.substr(at + 1, colon - at - 1);
  const std::string_view port = all.substr(colon + 1);
  if (!number_of(rank, 0, kMostClients - 1))
    refuse(fmt::format(
        "--impi: '{}' in '{}' is not usable; expected the rank of this client, from 0 to {}", rank,
        text, kMostClients - 1));
  if (host.empty() || host.find_first_not_of(kInNames) != std::string_view::npos)
    refuse(
        fmt::format("--impi: '{}' in '{}' is not usable; expected the name or the IPv4 address of "
                    "impi-server's host",
                    host, text));
  if (!number_of(port, 1, 65535))
    refuse(fmt::format(
        "--impi: '{}' in '{}' is not usable; expected the port of impi-server, from 1 to 65535",
        port, text));
  return text;
}

}  // namespace

std::optional<RunOptions> parse_options(int argc, const char* const* argv) {
  RunOptions options;
  RunOptionTexts texts;
  CLI::App app(
      "lintel-run -n N [options] program [arguments...]: starts N processes of one job on this "
      "machine.",
      "lintel-run");
  app.footer(
      "A program that opens Lintel's world finds the others over PMI-1; any other program runs as "
      "well. Standard input goes to rank 0. "
      "Signals\n"
      "go to all ranks. Exit code: 0 when all ranks end with 0, else that of the rank that failed "
      "first, 128 + N if signal N ended it; 124 "
      "at\n"
      "the time limit, 2 for a wrong command line, 126 and 127 for a program that cannot be run or "
      "is not there, 1 when a rank can no "
      "longer\n"
      "come to a barrier.");
  app.set_version_flag("--version", "lintel-run " LINTEL_RUN_VERSION);
  app.prefix_command();  // arguments after the program are the program's
  app.add_option("-n", texts.ranks, "How many processes")->type_name("N");
  app.add_flag("--tag-output", options.tag_output,
               "Begin each line of output with its rank: [3] ...");
  app.add_option(
         "--bind", texts.binding,
         "core: rank i on the i-th processor that is allowed here, round and round; none (default)")
      ->type_name("none|core");
  app.add_option("--timeout", texts.timeout, "End the job after so long, with exit code 124")
      ->type_name("SECONDS");
  app.add_option("--impi", texts.impi,
                 "The job is client RANK of the IMPI job that meets at this impi-server: one "
                 "MPI_COMM_WORLD of all clients")
      ->type_name("RANK@HOST:PORT");
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& wish) {  // help or version
    app.exit(wish);
    return std::nullopt;
  } catch (const CLI::ParseError& error) {
    refuse(fmt::format("{}; see lintel-run --help", error.what()));
  }
  options.program = app.remaining();
  if (!options.program.empty() && options.program.front() == "--")
    options.program.erase(options.program.begin());
  else if (!options.program.empty() && options.program.front().starts_with("-"))
    refuse(
        fmt::format("unknown option {}; expected -n, --tag-output, --bind, --timeout, --impi, "
                    "--version or --help before the program",
                    options.program.front()));
  if (texts.ranks.empty()) refuse("no number of processes; expected -n N");
  options.ranks = ranks_of(texts.ranks);
  if (!texts.binding.empty()) options.binding = binding_of(texts.binding);
  if (!texts.timeout.empty()) options.timeout = timeout_of(texts.timeout);
  if (app.count("--impi") > 0) options.impi = impi_of(texts.impi);
  if (options.program.empty())
    refuse("no program; expected a program, and its arguments, after the options");
  return options;
}

}  // namespace lintel::run
