#include "options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <cstdio>

#include "failure.h"

namespace lintel::run {
namespace {

struct Texts {
  std::string ranks, binding, timeout;
};

[[noreturn]] void refuse(const std::string& sentence) { throw Failure(kExitWrongUsage, sentence); }

std::size_t ranks_of(const std::string& text) {
  std::size_t ranks = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), ranks);
  if (error != std::errc() || end != text.data() + text.size() || ranks == 0 || ranks > kMaxRanks)
    refuse(fmt::format("-n: '{}' is not usable; expected a number of processes from 1 to {}", text, kMaxRanks));
  return ranks;
}

Binding binding_of(const std::string& text) {
  if (text == "none") return Binding::kNone;
  if (text == "core") return Binding::kCore;
  refuse(fmt::format("--bind: '{}' is not usable; expected none or core", text));
}

std::chrono::milliseconds timeout_of(const std::string& text) {
  constexpr double kMost = 1e7;
  double seconds = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds, std::chars_format::fixed);
  if (error != std::errc() || end != text.data() + text.size() || !(seconds > 0) || seconds > kMost)
    refuse(fmt::format("--timeout: '{}' is not usable; expected seconds, more than 0 and at most {:.0f}", text, kMost));
  return std::chrono::ceil<std::chrono::milliseconds>(std::chrono::duration<double>(seconds));
}

}  // namespace

std::optional<Options> parse_options(int argc, const char* const* argv) {
  Options options;
  Texts texts;
  CLI::App app("lintel-run -n N [options] program [arguments...]: starts N processes of one job on this machine.", "lintel-run");
  app.footer(
      "A program that opens Lintel's world finds the others over PMI-1; any other program runs as well. Standard input goes to rank 0. "
      "Signals\n"
      "go to all ranks. Exit code: 0 when all ranks end with 0, else that of the rank that failed first, 128 + N if signal N ended it; 124 "
      "at\n"
      "the time limit, 2 for a wrong command line, 126 and 127 for a program that cannot be run or is not there, 1 when a rank can no "
      "longer\n"
      "come to a barrier.");
  app.set_version_flag("--version", "lintel-run " LINTEL_RUN_VERSION);
  app.prefix_command();  // what follows the program is the program's
  app.add_option("-n", texts.ranks, "How many processes")->type_name("N");
  app.add_flag("--tag-output", options.tag_output, "Begin each line of output with its rank: [3] ...");
  app.add_option("--bind", texts.binding, "core: rank i on the i-th processor that is allowed here, round and round; none (default)")
      ->type_name("none|core");
  app.add_option("--timeout", texts.timeout, "End the job after so long, with exit code 124")->type_name("SECONDS");
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
    refuse(fmt::format("unknown option {}; expected -n, --tag-output, --bind, --timeout, --version or --help before the program",
                       options.program.front()));
  if (texts.ranks.empty()) refuse("no number of processes; expected -n N");
  options.ranks = ranks_of(texts.ranks);
  if (!texts.binding.empty()) options.binding = binding_of(texts.binding);
  if (!texts.timeout.empty()) options.timeout = timeout_of(texts.timeout);
  if (options.program.empty()) refuse("no program; expected a program, and its arguments, after the options");
  return options;
}

}  // namespace lintel::run
