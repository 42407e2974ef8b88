#pragma once
// The only place that looks at the process' environment.

#include "base/config.h"

namespace lintel {

// Settings of this process, read from its LINTEL_* variables now.
ConfigReading read_environment();

}  // namespace lintel
