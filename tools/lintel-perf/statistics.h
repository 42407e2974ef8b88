#pragma once
// What is said about repeated measurements.

#include <cstdint>
#include <vector>

namespace lintel::perf {

// The middle value, or the mean of the two in the middle. REQUIRES: not empty.
double median(std::vector<double> values);

struct Percentiles {
  std::uint64_t samples = 0;
  double min = 0;
  double p50 = 0;
  double p90 = 0;
  double p99 = 0;
  double p99_9 = 0;
  double max = 0;
};

// Nearest-rank percentiles: the smallest sample that is not exceeded by that share of the samples. REQUIRES: not empty.
Percentiles percentiles_of(std::vector<double> samples);

}  // namespace lintel::perf
