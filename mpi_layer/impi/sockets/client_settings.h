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
  std::vector<std::uint32_t>
      native_clients{};                     // those that exchange little-endian bytes in the sizes
                                            // of their machine instead of external32
  std::optional<std::string> interface {};  // to listen on; without it the address that leads to
                                            // the server
  Nanoseconds peer_timeout = Config().peer_timeout;  // after so much silence of its machine a host
                                                     // is lost
};

// The values of the environment variables.
struct ClientVariables {
  std::string impi{};                                // LINTEL_IMPI
  std::string native{};                              // LINTEL_IMPI_NATIVE
  std::optional<std::string> none{};                 // IMPI_AUTH_NONE, which may be there with
                                                     // nothing in it
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
