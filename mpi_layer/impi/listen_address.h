#pragma once
// The one address that a server or a host of IMPI listens on.

#include <string>

#include "mpi_layer/bootstrap/outcome.h"

namespace lintel::mpi::impi {

// The dotted IPv4 address that `text`, an address or the name of a network interface, stands for;
// when it is empty, that LINTEL_INTERFACE stands for, else 127.0.0.1. Never all addresses of the
// machine. Asks the operating system, and reads the environment.
Outcome<std::string> listen_address(const std::string& text);

}  // namespace lintel::mpi::impi
