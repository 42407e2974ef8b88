#pragma once
// The only place that looks at the process' environment.

#include <optional>
#include <string>

#include "base/config.h"

namespace lintel {

// Settings of this process, read from its LINTEL_* variables now.
ConfigReading read_environment();

// The value of a variable that is not Lintel's own, such as a launcher's, now. Nothing when it is
// not set, or empty.
std::optional<std::string> environment_variable(const char* name);
// The same of a variable that has a meaning also when it is empty.
std::optional<std::string> present_environment_variable(const char* name);

}  // namespace lintel
