#include "mpi_layer/impi/listen_address.h"

#include "base/config.h"
#include "base/environment.h"
#include "base/interface_address.h"

namespace lintel::mpi::impi {

Outcome<std::string> listen_address(const std::string& text) {
  const std::string wanted =
      text.empty() ? environment_variable("LINTEL_INTERFACE").value_or(Config().interface) : text;
  const Result<std::string> address = interface_address(wanted);
  if (!address.ok()) return Problem{"'" + wanted + "' is not usable: " + address.error().reason()};
  if (*address == "0.0.0.0")
    return Problem{"'" + wanted +
                   "' is not usable; expected one address of this machine, not all of them"};
  return *address;
}

}  // namespace lintel::mpi::impi
