#pragma once
// What a measurement found out at one size. Values in SI units: seconds, bytes per second, messages per second; the reports choose theirs.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "statistics.h"

namespace lintel::perf {

enum class Quantity { kTime, kBandwidth, kMessageRate };

struct Metric {
  std::string key;    // in JSON and CSV, before the unit: "put_latency"
  std::string title;  // in the table: "Latency"
  Quantity quantity = Quantity::kTime;
  std::vector<double> passes;                              // one value for each repeat
  std::optional<Percentiles> distribution = std::nullopt;  // of single operations

  double value() const { return median(passes); }
};

struct Row {
  std::uint64_t size_bytes = 0;
  std::uint64_t iterations = 0;
  std::uint64_t warm_up = 0;
  std::uint64_t verified_messages = 0;  // each of size_bytes, every byte compared
  std::vector<Metric> metrics;
  std::uint64_t batches = 0;  // of a chain: into how many parts a pass was split; 0: no chain
  std::string note = {};      // a sentence of its own, if there is something to be said
};

}  // namespace lintel::perf
