#pragma once
// What a process has written to its LINTEL_COUNTERS_FILE, as numbers by their labels.

#include <cstdint>
#include <fstream>
#include <map>
#include <string>

namespace lintel::testing {

// "label value" lines; empty if there is no such file.
inline std::map<std::string, std::uint64_t> counters_in(const std::string& path) {
  std::map<std::string, std::uint64_t> counters;
  std::ifstream file(path);
  std::string label;
  std::uint64_t value = 0;
  while (file >> label >> value) counters[label] = value;
  return counters;
}

}  // namespace lintel::testing
