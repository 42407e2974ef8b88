#include "report_files.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "failure.h"
#include "protocol.h"

namespace lintel::perf {
namespace {

using Json = nlohmann::ordered_json;

Json process_json(const ProcessDescription& process) {
  return {{"host", process.host}, {"address", process.address}, {"cpu", process.cpu < 0 ? Json(nullptr) : Json(process.cpu)}};
}

Json metric_json(const Metric& metric, Units units) {
  Json json;
  json["value"] = in_unit(metric.value(), metric.quantity, units);
  json["unit"] = unit_name(metric.quantity, units);
  Json passes = Json::array();
  for (const double pass : metric.passes) passes.push_back(in_unit(pass, metric.quantity, units));
  json["passes"] = passes;
  if (metric.distribution) {
    const Percentiles& p = *metric.distribution;
    const auto convert = [&](double value) { return in_unit(value, metric.quantity, units); };
    json["samples"] = p.samples;
    json["min"] = convert(p.min);
    json["p50"] = convert(p.p50);
    json["p90"] = convert(p.p90);
    json["p99"] = convert(p.p99);
    json["p99_9"] = convert(p.p99_9);
    json["max"] = convert(p.max);
  }
  return json;
}

std::string key_of(const Metric& metric, Units units) { return metric.key + "_" + unit_key(metric.quantity, units); }

void write_all(std::FILE* out, const std::string& file, const std::string& text) {
  const bool written = std::fwrite(text.data(), 1, text.size(), out) == text.size() && std::fflush(out) == 0;
  if (!written)
    throw Failure(ExitCode::kUnusable,
                  fmt::format("cannot write '{}': {}; expected a file that can be written", file, std::strerror(errno)));
}

}  // namespace

nlohmann::ordered_json json_report(const RunDescription& run, const std::vector<Row>& rows, const std::string& error) {
  const Settings& settings = run.settings;
  Json json;
  json["tool"] = kToolName;
  json["version"] = tool_version();
  json["measurement"] = run.measurement->name;
  json["method"] = method_of(run);
  json["api"] = static_cast<int>(settings.api);
  json["notify"] = name_of(settings.notify);
  json["status"] = error.empty() ? "ok" : "failed";
  json["error"] = error.empty() ? Json(nullptr) : Json(error);
  json["provider"] = run.provider;
  if (run.ranks.empty()) {
    json["initiator"] = process_json(run.initiator);
    json["target"] = process_json(run.target);
  } else {
    json["processes"] = run.ranks.size();
    for (const ProcessDescription& rank : run.ranks) json["ranks"].push_back(process_json(rank));
  }
  json["window"] = run.measurement->has_window ? Json(settings.window) : Json(nullptr);
  json["completion"] =
      run.measurement->has_completion ? Json(settings.completion == Completion::kRemote ? "remote" : "local") : Json(nullptr);
  json["validated"] = settings.validate;
  json["iovec_pieces"] = settings.pieces;
  json["repeats"] = settings.repeats;
  json["bandwidth_unit"] = unit_note(run.units);
  json["results"] = Json::array();
  for (const Row& row : rows) {
    Json result;
    result["size_bytes"] = row.size_bytes;
    result["iterations"] = row.iterations;
    result["warm_up"] = row.warm_up;
    result["verified_messages"] = row.verified_messages;
    if (row.batches > 0) result["batches"] = row.batches;
    for (const Metric& metric : row.metrics) result[key_of(metric, run.units)] = metric_json(metric, run.units);
    json["results"].push_back(result);
  }
  return json;
}

std::string csv_report(const RunDescription& run, const std::vector<Row>& rows) {
  std::string text = "size_bytes,iterations";
  if (!rows.empty()) {
    for (const Metric& metric : rows.front().metrics) {
      const std::string key = key_of(metric, run.units);
      text += "," + key;
      if (metric.distribution) text += fmt::format(",{0}_p50,{0}_p90,{0}_p99,{0}_p99_9,{0}_samples", key);
    }
  }
  text += ",api,notify\n";
  for (const Row& row : rows) {
    text += fmt::format("{},{}", row.size_bytes, row.iterations);
    for (const Metric& metric : row.metrics) {
      text += fmt::format(",{:.6g}", in_unit(metric.value(), metric.quantity, run.units));
      if (!metric.distribution) continue;
      const Percentiles& p = *metric.distribution;
      for (const double value : {p.p50, p.p90, p.p99, p.p99_9}) text += fmt::format(",{:.6g}", in_unit(value, metric.quantity, run.units));
      text += fmt::format(",{}", p.samples);
    }
    text += fmt::format(",{},{}\n", static_cast<int>(run.settings.api), name_of(run.settings.notify));
  }
  return text;
}

void write_report(const std::string& file, const std::string& text) {
  if (file == "-") return write_all(stdout, "stdout", text);
  std::FILE* out = std::fopen(file.c_str(), "w");
  if (out == nullptr)
    throw Failure(ExitCode::kUnusable,
                  fmt::format("cannot write '{}': {}; expected a file that can be written", file, std::strerror(errno)));
  try {
    write_all(out, file, text);
  } catch (...) {
    std::fclose(out);
    throw;
  }
  std::fclose(out);
}

void claim_report(const char* option, const std::string& file) {
  if (file.empty() || file == "-") return;
  std::FILE* out = std::fopen(file.c_str(), "w");
  if (out == nullptr) {
    throw Failure(ExitCode::kUnusable,
                  fmt::format("{}: '{}' cannot be written ({}); expected a file that can, or -", option, file, std::strerror(errno)));
  }
  std::fclose(out);
}

}  // namespace lintel::perf
