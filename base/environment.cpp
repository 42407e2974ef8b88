#include "base/environment.h"

#include <unistd.h>

namespace lintel {

ConfigReading read_environment() { return read_config(environ); }

}  // namespace lintel
