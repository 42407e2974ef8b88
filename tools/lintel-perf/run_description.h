#pragma once
// Under which conditions a run took place; what every report says first.

#include <string>

#include "measurement.h"
#include "settings.h"
#include "units.h"

namespace lintel::perf {

struct ProcessDescription {
  std::string host;
  std::string address;  // "127.0.0.1 pid 17"
  int cpu = -1;         // -1: not pinned
};

struct RunDescription {
  const Measurement* measurement = nullptr;
  Settings settings;
  Units units = Units::kMB;
  std::string provider;  // as asked for
  ProcessDescription initiator;
  ProcessDescription target;
};

// "remote (ACK: the target has the data)".
std::string completion_name(Completion completion);

}  // namespace lintel::perf
