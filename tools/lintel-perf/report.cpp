#include "report.h"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>

#include "options.h"

namespace lintel::perf {
namespace {

using Json = nlohmann::ordered_json;

struct ReportUnit {
  const char* name;       // "MB/s"
  const char* key;        // the same fit for a key: "MB_per_s"
  double size;            // in SI units
  const char* note = "";  // what it means
};

const ReportUnit& unit_of(MeasuredQuantity quantity, Units units) {
  static constexpr ReportUnit kTime{"us", "us", 1e-6};
  static constexpr ReportUnit kRate{"messages/s", "per_s", 1};
  static constexpr ReportUnit kBandwidth[] = {{"MB/s", "MB_per_s", 1e6, "MB = 1e6 bytes"},
                                              {"MiB/s", "MiB_per_s", 1048576, "MiB = 2^20 bytes"},
                                              {"Gb/s", "Gb_per_s", 1e9 / 8, "Gb = 1e9 bits"}};
  if (quantity == MeasuredQuantity::kBandwidth) return kBandwidth[static_cast<std::size_t>(units)];
  return quantity == MeasuredQuantity::kTime ? kTime : kRate;
}

// "4 MiB", "1 KiB", "8 B".
std::string size_name(std::uint64_t bytes) {
  static constexpr std::array kNames{"B", "KiB", "MiB", "GiB"};
  std::size_t unit = 0;
  for (; unit < 3 && bytes >= 1024 && bytes % 1024 == 0; ++unit) bytes /= 1024;
  return fmt::format("{} {}", bytes, kNames[unit]);
}

std::string describe(const ProcessDescription& process) {
  const std::string cpu = process.cpu < 0 ? "not pinned" : fmt::format("CPU {}", process.cpu);
  return fmt::format("{} ({}, {})", process.host, process.address, cpu);
}

// A text in the words of the API, which call the same by different names.
std::string in_words(const char* text, const Settings& settings) {
  using namespace fmt::literals;
  const bool portals3 = settings.api == Api::kPortals3;
  const bool counters = settings.notify == Notify::kCounters;
  const auto event = [&](const char* of_portals3, const char* of_portals4) {
    return portals3 ? of_portals3 : fmt::format("{}{}", counters ? "counted " : "", of_portals4);
  };
  return fmt::format(fmt::runtime(text), "wait"_a = counters ? "PtlCTWait" : "PtlEQWait",
                     "sent"_a = event("SEND_END", "SEND"), "ack"_a = event("ACK", "ACK"),
                     "reply"_a = event("REPLY_END", "REPLY"),
                     "swap"_a = portals3 ? "PtlGetPut" : "PtlSwap");
}

std::string provider_asked_for() {
  const char* provider = std::getenv("LINTEL_PROVIDER");
  return provider == nullptr ? "chosen by the library (see lintel-info)"
                             : fmt::format("{} (LINTEL_PROVIDER)", provider);
}

void write_file(const std::string& name, const std::string& text) {
  const bool on_stdout = name == "-";
  std::ofstream file;
  if (!on_stdout) file.open(name);
  if ((on_stdout ? std::cout : file) << text << std::flush) return;
  refuse("cannot write '{}': {}; expected a file that can be written", on_stdout ? "stdout" : name,
         std::strerror(errno));
}

void claim_file(const char* option, const std::string& name) {
  if (name.empty() || name == "-" || std::ofstream(name)) return;
  refuse("{}: '{}' cannot be written ({}); expected a file that can, or -", option, name,
         std::strerror(errno));
}

Json process_json(const ProcessDescription& process) {
  return {{"host", process.host},
          {"address", process.address},
          {"cpu", process.cpu < 0 ? Json(nullptr) : Json(process.cpu)}};
}

Json metric_json(const Metric& metric, const ReportUnit& unit) {
  Json result{{"value", metric.value() / unit.size}, {"unit", unit.name}};
  result["passes"] = Json::array();
  for (const double pass : metric.passes) result["passes"].push_back(pass / unit.size);
  if (!metric.distribution) return result;
  const Percentiles& p = *metric.distribution;
  result["samples"] = p.samples;
  const std::initializer_list<std::pair<const char*, double>> shares{
      {"min", p.min}, {"p50", p.p50},     {"p90", p.p90},
      {"p99", p.p99}, {"p99_9", p.p99_9}, {"max", p.max}};
  for (const auto& [name, value] : shares) result[name] = value / unit.size;
  return result;
}

Json result_json(const TableRow& row, Units units) {
  Json result{{"size_bytes", row.size_bytes},
              {"iterations", row.iterations},
              {"warm_up", row.warm_up},
              {"verified_messages", row.verified_messages}};
  if (row.batches > 0) result["batches"] = row.batches;
  for (const Metric& metric : row.metrics) {
    const ReportUnit& unit = unit_of(metric.quantity, units);
    result[metric.key + "_" + unit.key] = metric_json(metric, unit);
  }
  return result;
}

// A line on stderr, which its end clears on a terminal.
class ProgressLine : NotCopied {
 public:
  ProgressLine(bool told, const std::string& text) : clears_(told && ::isatty(STDERR_FILENO) == 1) {
    if (!told) return;
    fmt::print(stderr, "{}{}{}", clears_ ? "\r\033[K" : "", text, clears_ ? "" : "\n");
    std::fflush(stderr);
  }
  ~ProgressLine() {
    if (clears_) std::fputs("\r\033[K", stderr), std::fflush(stderr);
  }

 private:
  bool clears_;
};

}  // namespace

const char* tool_version() { return LINTEL_PERF_VERSION; }

Report::Report(const PerfOptions& options) : options_(options) {
  claim_file("--json", options.json_file);
  claim_file("--csv", options.csv_file);
}

void Report::write_after(const std::function<void()>& work) {
  const auto write_files = [this](const std::string& error) {
    if (!options_.json_file.empty()) write_file(options_.json_file, json(error));
    if (!options_.csv_file.empty()) write_file(options_.csv_file, csv());
  };
  try {
    work();
  } catch (const PerfFailure& failure) {
    write_files(failure.what());
    throw;
  }
  write_files("");
}

void Report::measure_each(const std::vector<std::uint64_t>& sizes,
                          const std::function<TableRow(std::uint64_t)>& measure) {
  const bool stdout_taken = options_.json_file == "-" || options_.csv_file == "-";
  std::FILE* out = stdout_taken ? stderr : stdout;
  write_header(out);
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    {
      const ProgressLine progress(options_.measurement->tells_progress,
                                  fmt::format("[{}/{}] measuring and verifying {}", i + 1,
                                              sizes.size(), size_name(sizes[i])));
      rows_.push_back(measure(sizes[i]));
    }
    const TableRow& row = rows_.back();
    if (!row.note.empty()) fmt::print(out, "# {}\n", row.note);
    if (i == 0) fmt::print(out, "{}\n", line_of(row, true));
    fmt::print(out, "{}\n", line_of(row, false));
    std::fflush(out);
  }
}

void Report::write_header(std::FILE* out) const {
  const Settings& settings = options_.settings;
  const Measurement& measurement = *options_.measurement;
  const auto line = [out](const auto&... parts) {
    (fmt::print(out, "# "), ..., fmt::print(out, "{}", parts));
    fmt::print(out, "\n");
  };
  line(kToolName, " ", tool_version(), ": ", measurement.title);
  line("Method: ", in_words(measurement.method, settings));
  if (ranks.empty()) {
    line("Initiator: ", describe(initiator));
    line("Target: ", describe(target));
  } else {
    line("Processes: ", ranks.size(), "; rank 0: ", describe(ranks.front()),
         ", the last: ", describe(ranks.back()));
  }
  line("Provider: ", provider_asked_for());
  line("API: Portals ", static_cast<int>(settings.api), ", completion by ",
       name_of(settings.notify));
  if (measurement.has_window()) line("Window: ", settings.window);
  if (measurement.has_completion()) {
    line("Completion of puts: ",
         in_words(settings.completion == PutCompletion::kRemote
                      ? "remote (a put is done with its {ack}: the target has the bytes)"
                      : "local (a put is done with its {sent}: its memory may be used again); "
                        "the time ends when the target has all puts",
                  settings));
  }
  if (settings.pieces > 1) line("Memory: ", settings.pieces, " pieces");
  line("Median of ", settings.repeats, settings.repeats == 1 ? " pass; " : " passes; ",
       settings.validate ? "every byte verified, outside the timed part" : "bytes NOT verified");
  if (ranks.empty()) line(unit_of(MeasuredQuantity::kBandwidth, options_.units).note);
  std::fflush(out);
}

// The titles, or the values, of a row's columns.
std::string Report::line_of(const TableRow& row, bool titles) const {
  std::string line = fmt::format("{:<12}", titles ? "# Size" : std::to_string(row.size_bytes));
  const auto add = [&](int width, const std::string& title, double value, int decimals) {
    line += titles ? fmt::format("{:>{}}", title, width)
                   : fmt::format("{:>{}.{}f}", value, width, decimals);
  };
  for (const Metric& metric : row.metrics) {
    const ReportUnit& unit = unit_of(metric.quantity, options_.units);
    add(24, fmt::format("{} ({})", metric.title, unit.name), metric.value() / unit.size,
        metric.quantity == MeasuredQuantity::kMessageRate ? 0 : 2);
    if (!options_.show_percentiles || !metric.distribution) continue;
    const Percentiles& p = *metric.distribution;
    add(12, "P50", p.p50 / unit.size, 2);
    add(12, "P90", p.p90 / unit.size, 2);
    add(12, "P99", p.p99 / unit.size, 2);
    add(12, "P99.9", p.p99_9 / unit.size, 2);
    add(12, "samples", static_cast<double>(p.samples), 0);
  }
  return line;
}

std::string Report::json(const std::string& error) const {
  const Settings& settings = options_.settings;
  const Measurement& measurement = *options_.measurement;
  Json document;
  document["tool"] = kToolName;
  document["version"] = tool_version();
  document["measurement"] = measurement.name;
  document["method"] = in_words(measurement.method, settings);
  document["api"] = static_cast<int>(settings.api);
  document["notify"] = name_of(settings.notify);
  document["status"] = error.empty() ? "ok" : "failed";
  document["error"] = error.empty() ? Json(nullptr) : Json(error);
  document["provider"] = provider_asked_for();
  if (ranks.empty()) {
    document["initiator"] = process_json(initiator);
    document["target"] = process_json(target);
  } else {
    document["processes"] = ranks.size();
    for (const ProcessDescription& rank : ranks) document["ranks"].push_back(process_json(rank));
  }
  document["window"] = measurement.has_window() ? Json(settings.window) : Json(nullptr);
  const char* completion = settings.completion == PutCompletion::kRemote ? "remote" : "local";
  document["completion"] = measurement.has_completion() ? Json(completion) : Json(nullptr);
  document["validated"] = settings.validate;
  document["iovec_pieces"] = settings.pieces;
  document["repeats"] = settings.repeats;
  document["bandwidth_unit"] = unit_of(MeasuredQuantity::kBandwidth, options_.units).note;
  document["results"] = Json::array();
  for (const TableRow& row : rows_) document["results"].push_back(result_json(row, options_.units));
  return document.dump(2) + "\n";
}

// A part of what the JSON document says of each metric.
std::string Report::csv() const {
  std::string titles = "size_bytes,iterations";
  std::string lines;
  for (const TableRow& row : rows_) {
    const bool first = &row == &rows_.front();
    lines += fmt::format("{},{}", row.size_bytes, row.iterations);
    const Json result = result_json(row, options_.units);
    for (const auto& [key, metric] : result.items()) {
      if (!metric.is_object()) continue;  // the size, or a number of messages
      for (const std::string part : {"value", "p50", "p90", "p99", "p99_9", "samples"}) {
        if (!metric.contains(part)) continue;
        if (first) titles += "," + (part == "value" ? key : key + "_" + part);
        lines += part == "samples" ? fmt::format(",{}", metric[part].get<std::uint64_t>())
                                   : fmt::format(",{:.6g}", metric[part].get<double>());
      }
    }
    lines += fmt::format(",{},{}\n", static_cast<int>(options_.settings.api),
                         name_of(options_.settings.notify));
  }
  return titles + ",api,notify\n" + lines;
}

}  // namespace lintel::perf
