#include "units.h"

#include <fmt/format.h>

namespace lintel::perf {

std::string unit_name(Quantity quantity, Units units) {
  switch (quantity) {
    case Quantity::kTime: return "us";
    case Quantity::kMessageRate: return "messages/s";
    case Quantity::kBandwidth: break;
  }
  return units == Units::kMB ? "MB/s" : units == Units::kMiB ? "MiB/s" : "Gb/s";
}

std::string unit_key(Quantity quantity, Units units) {
  switch (quantity) {
    case Quantity::kTime: return "us";
    case Quantity::kMessageRate: return "per_s";
    case Quantity::kBandwidth: break;
  }
  return units == Units::kMB ? "MB_per_s" : units == Units::kMiB ? "MiB_per_s" : "Gb_per_s";
}

double in_unit(double value, Quantity quantity, Units units) {
  switch (quantity) {
    case Quantity::kTime: return value * 1e6;
    case Quantity::kMessageRate: return value;
    case Quantity::kBandwidth: break;
  }
  return units == Units::kMB ? value / 1e6 : units == Units::kMiB ? value / 1048576.0 : value * 8 / 1e9;
}

std::string unit_note(Units units) {
  return units == Units::kMB ? "MB = 1e6 bytes" : units == Units::kMiB ? "MiB = 2^20 bytes" : "Gb = 1e9 bits";
}

std::string size_name(std::uint64_t bytes) {
  static constexpr const char* kNames[] = {"B", "KiB", "MiB", "GiB"};
  std::size_t unit = 0;
  while (unit < 3 && bytes >= 1024 && bytes % 1024 == 0) {
    bytes /= 1024;
    ++unit;
  }
  return fmt::format("{} {}", bytes, kNames[unit]);
}

}  // namespace lintel::perf
