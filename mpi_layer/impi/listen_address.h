#pragma once
// The address on which a server or a host of IMPI listens.

#include <string>

#include "mpi_layer/bootstrap/outcome.h"

namespace lintel::mpi::impi {

// The dotted IPv4 address of `text`, which is an address or the name of a network interface. If
// `text` is empty: the address of LINTEL_INTERFACE, or 127.0.0.1 if that is not set. Never all
// addresses of the machine. Asks the operating system, and reads the environment.
Outcome<std::string> listen_address(const std::string& text);

}  // namespace lintel::mpi::impi
