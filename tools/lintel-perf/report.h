#pragma once
// What a run finds out and tells: the table for people, as soon as each line is known, and at the
// end the files for programs, one JSON document or comma separated values. All name their units.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace lintel::perf {

struct PerfOptions;

// The middle value, or the mean of the two in the middle. REQUIRES: not empty.
inline double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

struct Percentiles {
  std::uint64_t samples;
  double min, p50, p90, p99, p99_9, max;
};

// Nearest-rank percentiles: the smallest sample that is not exceeded by that share of the samples.
// REQUIRES: not empty.
inline Percentiles percentiles_of(std::vector<double> samples) {
  std::sort(samples.begin(), samples.end());
  const auto at = [&](double share) {
    const double rank = std::ceil(share * static_cast<double>(samples.size()) - 1e-9);
    return samples[static_cast<std::size_t>(rank) - 1];
  };
  return {samples.size(), samples.front(), at(0.5), at(0.9), at(0.99), at(0.999), samples.back()};
}

enum class MeasuredQuantity { kTime, kBandwidth, kMessageRate };

// What a measurement found out at one size. Values in SI units: seconds, bytes per second, messages
// per second; the reports choose theirs.
struct Metric {
  std::string key;    // in JSON and CSV, before the unit: "put_latency"
  std::string title;  // in the table: "Latency"
  MeasuredQuantity quantity = MeasuredQuantity::kTime;
  std::vector<double> passes = {};                         // one value for each repeat
  std::optional<Percentiles> distribution = std::nullopt;  // of single operations

  double value() const { return median(passes); }
};

struct TableRow {
  std::uint64_t size_bytes = 0;
  std::uint64_t iterations = 0;
  std::uint64_t warm_up = 0;
  std::uint64_t verified_messages = 0;  // each of size_bytes, every byte compared
  std::vector<Metric> metrics = {};
  std::uint64_t batches = 0;  // of a chain: into how many parts a pass was split; 0: no chain
  std::string note = {};      // a sentence of its own, if there is something to be said
};

// In which bandwidth is reported.
enum class Units : std::size_t { kMB, kMiB, kGb };

inline constexpr const char* kToolName = "lintel-perf";
// From the build.
const char* tool_version();

struct ProcessDescription {
  std::string host;
  std::string address;  // "127.0.0.1 pid 17"
  int cpu = -1;         // -1: not pinned
};

class Report {
 public:
  // Borrows the options. Throws PerfFailure(kUnusable) if a file cannot be written; else leaves it
  // empty.
  explicit Report(const PerfOptions& options);

  // Who takes part: two processes, or the ranks of a chain.
  ProcessDescription initiator;
  ProcessDescription target;
  std::vector<ProcessDescription> ranks;

  // Runs `work` and writes the files afterwards: if it throws a PerfFailure, with its sentence, and
  // with the sizes that were done.
  void write_after(const std::function<void()>& work);

  // Measures at each size. Writes the table, and what is being measured to stderr: on a terminal in
  // one line that is overwritten, else in one line for each size.
  void measure_each(const std::vector<std::uint64_t>& sizes,
                    const std::function<TableRow(std::uint64_t)>& measure);

 private:
  void write_header(std::FILE* out) const;
  std::string line_of(const TableRow& row, bool titles) const;
  std::string json(const std::string& error) const;
  std::string csv() const;

  const PerfOptions& options_;
  std::vector<TableRow> rows_;
};

}  // namespace lintel::perf
