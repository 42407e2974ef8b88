#include "results.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace lintel::perf {

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

Percentiles percentiles_of(std::vector<double> samples) {
  std::sort(samples.begin(), samples.end());
  const auto at = [&](double share) {
    const double rank = std::ceil(share * static_cast<double>(samples.size()) - 1e-9);
    const auto index = static_cast<std::size_t>(std::max(1.0, rank)) - 1;
    return samples[std::min(index, samples.size() - 1)];
  };
  return {samples.size(), samples.front(), at(0.5), at(0.9), at(0.99), at(0.999), samples.back()};
}

const Unit& unit_of(Quantity quantity, Units units) {
  static constexpr Unit kTime{"us", "us", 1e-6};
  static constexpr Unit kRate{"messages/s", "per_s", 1};
  static constexpr Unit kBandwidth[] = {
      {"MB/s", "MB_per_s", 1e6}, {"MiB/s", "MiB_per_s", 1048576}, {"Gb/s", "Gb_per_s", 1e9 / 8}};
  if (quantity == Quantity::kBandwidth) return kBandwidth[static_cast<std::size_t>(units)];
  return quantity == Quantity::kTime ? kTime : kRate;
}

const char* unit_note(Units units) {
  static constexpr const char* kNotes[] = {"MB = 1e6 bytes", "MiB = 2^20 bytes", "Gb = 1e9 bits"};
  return kNotes[static_cast<std::size_t>(units)];
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
