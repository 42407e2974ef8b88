#pragma once
// Converts the value of LINTEL_INTERFACE to the one IPv4 address that a process listens on.

#include <string>

#include "base/result.h"

namespace lintel {

// The address that `text` names, in dotted form: itself if it is one, else the first IPv4 address
// of the network interface of that name. Asks the operating system. Does not check that a dotted
// address belongs to this machine.
// Error (kInterface): no interface of that name, or none with an IPv4 address.
Result<std::string> interface_address(const std::string& text);

}  // namespace lintel
