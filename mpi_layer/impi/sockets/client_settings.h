#pragma once
// ClientSettings: what the environment says about the IMPI job that this job joins.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/config.h"
#include "mpi_layer/bootstrap/outcome.h"
#include "mpi_layer/impi/authentication.h"

namespace lintel::mpi::impi {

struct ClientSettings {
  std::uint32_t rank = 0;     // of this client
  std::string server_host{};  // an address or a name
  std::uint16_t server_port = 0;
  Authentication authentication{false, std::nullopt};
  // The clients with which data are exchanged in the little-endian format of this machine, instead
  // of external32.
  std::vector<std::uint32_t> native_clients{};
  // Where to listen. Without it: the address from which the server is reached.
  std::optional<std::string> interface {};
  // A host is lost after so much silence of its machine.
  Nanoseconds peer_timeout = Config().peer_timeout;
};

// The values of the environment variables.
struct ClientVariables {
  std::string impi{};                                // LINTEL_IMPI
  std::string native{};                              // LINTEL_IMPI_NATIVE
  std::optional<std::string> none{};                 // IMPI_AUTH_NONE, which may be set to nothing
  std::optional<std::string> key{};                  // IMPI_AUTH_KEY
  std::optional<std::string> interface {};           // LINTEL_INTERFACE
  Nanoseconds peer_timeout = Config().peer_timeout;  // LINTEL_PEER_TIMEOUT
};

// Fails if a value is invalid, or if no authentication mechanism can be used. No message contains a
// key. REQUIRES: `impi` is not empty.
Outcome<ClientSettings> client_settings(const ClientVariables& variables);

// The settings of this process; nothing if LINTEL_IMPI is not set, so that this job joins no other.
// Reads the environment.
Outcome<std::optional<ClientSettings>> read_client_settings();

}  // namespace lintel::mpi::impi
