#pragma once
// What a measurement found out at one size. Values in SI units: seconds, bytes per second, messages
// per second; the reports choose theirs.

#include <cstdint>
#include <optional>
#include <string>
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

// Nearest-rank percentiles: the smallest sample that is not exceeded by that share of the samples.
// REQUIRES: not empty.
Percentiles percentiles_of(std::vector<double> samples);

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
  std::vector<Metric> metrics = {};
  std::uint64_t batches = 0;  // of a chain: into how many parts a pass was split; 0: no chain
  std::string note = {};      // a sentence of its own, if there is something to be said
};

// In which bandwidth is reported.
enum class Units { kMB, kMiB, kGb };

struct Unit {
  const char* name;  // "MB/s"
  const char* key;   // the same fit for a key: "MB_per_s"
  double size;       // in SI units
};
const Unit& unit_of(Quantity quantity, Units units);

// One sentence on what the bandwidth unit means.
const char* unit_note(Units units);

// "4 MiB", "1 KiB", "8 B".
std::string size_name(std::uint64_t bytes);

}  // namespace lintel::perf
