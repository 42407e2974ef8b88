#include "mpi_layer/impi/sockets/client_settings.h"

#include <algorithm>
#include <string_view>

#include "base/environment.h"
#include "base/quantity.h"
#include "mpi_layer/impi/command.h"

namespace lintel::mpi::impi {
namespace {

std::optional<std::uint32_t> number_from(std::string_view text, std::uint32_t least,
                                         std::uint32_t most) {
  const auto number = parse_integer(text);
  if (!number || *number < least || *number > most) return std::nullopt;
  return static_cast<std::uint32_t>(*number);
}

std::optional<std::uint32_t> client_rank(std::string_view text) {
  return number_from(text, 0, kMaxClients - 1);
}

Problem refusal(const char* name, const std::string& value, const std::string& expected) {
  return Problem{std::string(name) + "=" + value + " is not accepted: expected " + expected};
}

std::string rank_range() { return "from 0 to " + std::to_string(kMaxClients - 1); }

// RANK@HOST:PORT
bool take_server(const std::string& text, ClientSettings& settings) {
  const std::size_t at = text.find('@');
  const std::size_t colon = text.rfind(':');
  if (at == std::string::npos || colon == std::string::npos || colon <= at + 1) return false;
  const auto rank = client_rank(std::string_view(text).substr(0, at));
  const auto port = number_from(std::string_view(text).substr(colon + 1), 1, UINT16_MAX);
  if (!rank || !port) return false;
  settings.rank = *rank;
  settings.server_host = text.substr(at + 1, colon - at - 1);
  settings.server_port = static_cast<std::uint16_t>(*port);
  return settings.server_host.find_first_of("@: \t") == std::string::npos;
}

// RANK,RANK...
bool take_native(const std::string& text, ClientSettings& settings) {
  for (std::string_view rest = text; !rest.empty();) {
    const std::size_t end = std::min(rest.find(','), rest.size());
    const auto rank = client_rank(rest.substr(0, end));
    if (!rank || end + 1 == rest.size()) return false;
    settings.native_clients.push_back(*rank);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return true;
}

const char* text_or_null(const std::optional<std::string>& text) {
  return text ? text->c_str() : nullptr;
}

}  // namespace

Outcome<ClientSettings> client_settings(const ClientVariables& variables) {
  ClientSettings settings{.interface = variables.interface, .peer_timeout = variables.peer_timeout};
  if (!take_server(variables.impi, settings)) {
    return refusal("LINTEL_IMPI", variables.impi,
                   "RANK@HOST:PORT, a client rank " + rank_range() +
                       " and the address that impi-server has printed, such as 1@10.0.0.1:41873");
  }
  if (!take_native(variables.native, settings))
    return refusal("LINTEL_IMPI_NATIVE", variables.native,
                   "client ranks " + rank_range() + " with commas between them, such as 1,2");
  Outcome<Authentication> authentication =
      authentication_of(text_or_null(variables.none), text_or_null(variables.key));
  if (!authentication) return authentication.failure();
  if (authentication->is_empty()) {
    return Problem{"client " + std::to_string(settings.rank) +
                   " of IMPI has nothing to authenticate by; expected IMPI_AUTH_NONE to be set, or "
                   "a key in IMPI_AUTH_KEY, as the server has it"};
  }
  settings.authentication = *authentication;
  return settings;
}

Outcome<std::optional<ClientSettings>> read_client_settings() {
  const Config config = read_environment().config;
  if (config.impi.empty()) return std::optional<ClientSettings>();
  Outcome<ClientSettings> settings =
      client_settings({.impi = config.impi,
                       .native = config.impi_native,
                       .none = present_environment_variable("IMPI_AUTH_NONE"),
                       .key = present_environment_variable("IMPI_AUTH_KEY"),
                       .interface = environment_variable("LINTEL_INTERFACE"),
                       .peer_timeout = config.peer_timeout});
  if (!settings) return settings.failure();
  return std::optional(std::move(*settings));
}

}  // namespace lintel::mpi::impi
