#include "base/environment.h"

#include <unistd.h>

#include <cstdlib>

namespace lintel {

ConfigReading read_environment() { return read_config(environ); }

std::optional<std::string> environment_variable(const char* name) {
  auto value = present_environment_variable(name);
  if (value && value->empty()) value.reset();
  return value;
}

std::optional<std::string> present_environment_variable(const char* name) {
  const char* value = std::getenv(name);
  if (value == nullptr) return std::nullopt;
  return std::string(value);
}

}  // namespace lintel
