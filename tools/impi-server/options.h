#pragma once
// The command line of impi-server, and the variables that say how clients authenticate.

#include <cstdint>
#include <optional>
#include <string>

#include "mpi_layer/impi/server.h"

namespace lintel::impi_server {

struct ImpiServerOptions {
  mpi::impi::Server::ServerSettings server;
  std::string address;  // dotted
  std::uint16_t port = 0;
  bool is_verbose = false;
};

// Returns nothing when the command line only asked for help or the version, which is printed.
// `none` and `key` are IMPI_AUTH_NONE and IMPI_AUTH_KEY, null when not set. Throws run::RunFailure
// for errors. No message contains a key.
std::optional<ImpiServerOptions> parse_options(int argc, const char* const* argv, const char* none,
                                               const char* key);

}  // namespace lintel::impi_server
