#pragma once
// Under which conditions a run took place; what every report says first.

#include <string>
#include <vector>

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
  std::vector<ProcessDescription> ranks;  // of a chain, which has no initiator and no target
};

// How it is measured, in the words of the API.
std::string method_of(const RunDescription& run);

// What LINTEL_PROVIDER asks for, or that it does not.
std::string provider_asked_for();

// "remote (ACK: the target has the data)".
std::string completion_name(const Settings& settings);

}  // namespace lintel::perf
