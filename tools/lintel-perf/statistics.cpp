#include "statistics.h"

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

}  // namespace lintel::perf
