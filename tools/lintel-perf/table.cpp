#include "table.h"

#include <fmt/format.h>

#include <string>

#include "protocol.h"

namespace lintel::perf {
namespace {

constexpr int kSizeWidth = 12;
constexpr int kColumnWidth = 24;
constexpr int kPercentileWidth = 12;

std::string describe(const ProcessDescription& process) {
  const std::string cpu = process.cpu < 0 ? "not pinned" : fmt::format("CPU {}", process.cpu);
  return fmt::format("{} ({}, {})", process.host, process.address, cpu);
}

int precision_of(const Metric& metric) { return metric.quantity == Quantity::kMessageRate ? 0 : 2; }

}  // namespace

void Table::header() {
  const Settings& settings = run_.settings;
  fmt::print(out_, "# lintel-perf {}: {}\n", tool_version(), run_.measurement->title);
  fmt::print(out_, "# Method: {}\n", method_of(run_));
  if (run_.ranks.empty()) {
    fmt::print(out_, "# Initiator: {}\n# Target: {}\n", describe(run_.initiator), describe(run_.target));
  } else {
    fmt::print(out_, "# Processes: {}; rank 0: {}, the last: {}\n", run_.ranks.size(), describe(run_.ranks.front()),
               describe(run_.ranks.back()));
  }
  fmt::print(out_, "# Provider: {}\n", run_.provider);
  fmt::print(out_, "# API: Portals {}, completion by {}\n", static_cast<int>(settings.api), name_of(settings.notify));
  if (run_.measurement->has_window) {
    fmt::print(out_, "# Window: {}\n", settings.window);
  }
  if (run_.measurement->has_completion) fmt::print(out_, "# Completion of puts: {}\n", completion_name(settings));
  if (settings.pieces > 1) fmt::print(out_, "# Memory: {} pieces\n", settings.pieces);
  fmt::print(out_, "# Median of {} {}; {}\n", settings.repeats, settings.repeats == 1 ? "pass" : "passes",
             settings.validate ? "every byte verified, outside the timed part" : "bytes NOT verified");
  if (run_.ranks.empty()) fmt::print(out_, "# {}\n", unit_note(run_.units));
  std::fflush(out_);
}

void Table::column_titles(const Row& row) {
  std::string line = fmt::format("{:<{}}", "# Size", kSizeWidth);
  for (const Metric& metric : row.metrics) {
    line += fmt::format("{:>{}}", fmt::format("{} ({})", metric.title, unit_name(metric.quantity, run_.units)), kColumnWidth);
    if (!percentiles_ || !metric.distribution) continue;
    for (const char* name : {"P50", "P90", "P99", "P99.9", "samples"}) line += fmt::format("{:>{}}", name, kPercentileWidth);
  }
  fmt::print(out_, "{}\n", line);
  titled_ = true;
}

void Table::row(const Row& row) {
  if (!row.note.empty()) fmt::print(out_, "# {}\n", row.note);
  if (!titled_) column_titles(row);
  std::string line = fmt::format("{:<{}}", row.size_bytes, kSizeWidth);
  for (const Metric& metric : row.metrics) {
    line += fmt::format("{:>{}.{}f}", in_unit(metric.value(), metric.quantity, run_.units), kColumnWidth, precision_of(metric));
    if (!percentiles_ || !metric.distribution) continue;
    const Percentiles& p = *metric.distribution;
    for (const double value : {p.p50, p.p90, p.p99, p.p99_9}) {
      line += fmt::format("{:>{}.2f}", in_unit(value, metric.quantity, run_.units), kPercentileWidth);
    }
    line += fmt::format("{:>{}}", p.samples, kPercentileWidth);
  }
  fmt::print(out_, "{}\n", line);
  std::fflush(out_);
}

}  // namespace lintel::perf
