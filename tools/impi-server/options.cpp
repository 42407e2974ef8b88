#include "options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "base/quantity.h"
#include "mpi_layer/impi/key_file.h"
#include "mpi_layer/impi/listen_address.h"
#include "tools/lintel-run/failure.h"

namespace lintel::impi_server {
namespace {

using namespace mpi::impi;

struct ServerOptionTexts {
  std::string clients, port = "0", authentication, host, key_file, timeout = "60s";
};

[[noreturn]] void refuse(const std::string& sentence) {
  throw run::RunFailure(run::kExitWrongUsage, sentence);
}

template <class T>
T value_of(mpi::Outcome<T> outcome, std::string_view option) {
  if (!outcome.ok())
    refuse(fmt::format("{}{}{}", option, option.empty() ? "" : ": ", outcome.sentence()));
  return *outcome;
}

std::uint64_t number_of(std::string_view option, const std::string& text, std::uint64_t least,
                        std::uint64_t most, std::string_view what) {
  const auto number = parse_integer(text);
  if (!number || *number < least || *number > most)
    refuse(fmt::format("{}: '{}' is not usable; expected {} from {} to {}", option, text, what,
                       least, most));
  return *number;
}

Nanoseconds timeout_of(const std::string& text) {
  constexpr Nanoseconds kMost = std::chrono::hours(24);
  const auto timeout = parse_duration(text);
  if (!timeout || *timeout < std::chrono::milliseconds(1) || *timeout > kMost)
    refuse(fmt::format("-timeout: '{}' is not usable; expected a time from 1ms to {}, such as 60s",
                       text, format_duration(kMost)));
  return *timeout;
}

Authentication authentication_of(const ServerOptionTexts& texts, const char* none,
                                 const char* key) {
  const Authentication all =
      texts.key_file.empty()
          ? value_of(mpi::impi::authentication_of(none, key), "")
          : Authentication(none != nullptr, value_of(read_key_file(texts.key_file), "-key-file"));
  if (all.is_empty()) {
    throw run::RunFailure(
        run::kExitFailed,
        "no client could authenticate; expected IMPI_AUTH_NONE to be set, or a key "
        "in IMPI_AUTH_KEY or by -key-file");
  }
  return texts.authentication.empty() ? all
                                      : value_of(all.preferring(texts.authentication), "-auth");
}

// IMPI's launchers have long options with one dash. Two dashes are accepted too.
std::vector<std::string> with_two_dashes(int argc, const char* const* argv) {
  constexpr std::array<std::string_view, 8> kLong = {"-server",   "-port",    "-auth",    "-host",
                                                     "-key-file", "-timeout", "-version", "-help"};
  std::vector<std::string> arguments;
  for (int i = argc - 1; i > 0; --i) {  // CLI11 expects the last one first
    const std::string_view argument = argv[i];
    const bool is_long = std::find(kLong.begin(), kLong.end(),
                                   argument.substr(0, argument.find('='))) != kLong.end();
    arguments.push_back(is_long ? fmt::format("-{}", argument) : std::string(argument));
  }
  return arguments;
}

}  // namespace

std::optional<ImpiServerOptions> parse_options(int argc, const char* const* argv, const char* none,
                                               const char* key) {
  ImpiServerOptions options{{0, Authentication(false, std::nullopt), Nanoseconds(0)}, {}, 0, false};
  ServerOptionTexts texts;
  CLI::App app(
      "impi-server -server N [options]: where the N clients of an IMPI job, each a job of its own "
      "MPI, find each other.\n"
      "Prints address:port, which each client is started with, and ends with the job. Long options "
      "have one dash or two.",
      "impi-server");
  app.footer(
      "Clients authenticate by NONE when IMPI_AUTH_NONE is set, to whatever, and by KEY when "
      "IMPI_AUTH_KEY or -key-file has a\n"
      "key, a decimal number of 64 bits that the clients have, too. It travels as it is, so beyond "
      "one machine use a network\n"
      "that you trust. Exit code: 0 when all clients have ended well; 1 when one was lost, which "
      "is named, or nothing could\n"
      "begin; 2 for a wrong command line.");
  app.set_version_flag("--version", "impi-server " IMPI_SERVER_VERSION);
  app.add_option("--server", texts.clients, fmt::format("How many clients, 1 to {}", kMaxClients))
      ->type_name("N");
  app.add_option("-p,--port", texts.port, "Port to listen on; 0, the default: any that is free")
      ->type_name("P");
  app.add_option("--auth", texts.authentication,
                 "Mechanisms in the order of preference: 0 (NONE), 1 (KEY); default: all that are "
                 "set, KEY first")
      ->type_name("LIST");
  app.add_option("--host", texts.host,
                 "The one IPv4 address, or network interface, to listen on; default: "
                 "LINTEL_INTERFACE, else 127.0.0.1")
      ->type_name("ADDRESS");
  app.add_option(
         "--key-file", texts.key_file,
         "File with the key, which nobody but its owner may read; in place of IMPI_AUTH_KEY")
      ->type_name("FILE");
  app.add_option("--timeout", texts.timeout,
                 "How long a connection may take to join, and a client to send its next label; "
                 "default: 60s")
      ->type_name("TIME");
  app.add_flag("-v", options.is_verbose, "Tell each step on standard error");
  try {
    app.parse(with_two_dashes(argc, argv));
  } catch (const CLI::Success& wish) {  // help or version
    app.exit(wish);
    return std::nullopt;
  } catch (const CLI::ParseError& error) {
    refuse(fmt::format("{}; see impi-server -help", error.what()));
  }
  if (texts.clients.empty()) refuse("no number of clients; expected -server N");
  options.server.clients = static_cast<unsigned>(
      number_of("-server", texts.clients, 1, kMaxClients, "a number of clients"));
  options.port = static_cast<std::uint16_t>(number_of("-port", texts.port, 0, 65535, "a port"));
  options.server.timeout = timeout_of(texts.timeout);
  options.address = value_of(listen_address(texts.host), "-host");
  options.server.authentication = authentication_of(texts, none, key);
  return options;
}

}  // namespace lintel::impi_server
