#pragma once
// Reads the process' environment. No other file does.

#include <optional>
#include <string>

#include "base/config.h"

namespace lintel {

// The settings of this process, read now from its LINTEL_* variables.
ConfigReading read_environment();

// The value of a variable that is not one of Lintel's, such as a launcher's, read now. Empty: not
// set, or set to "".
std::optional<std::string> environment_variable(const char* name);
// The same, for a variable that has a meaning also when it is set to "". Empty: not set.
std::optional<std::string> present_environment_variable(const char* name);

}  // namespace lintel
