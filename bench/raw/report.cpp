#include "bench/raw/report.h"

#include <fmt/core.h>
#include <rdma/fabric.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace lintel::bench {
namespace {

struct Summary {
  double median = 0;
  double min = 0;
  double max = 0;
};

Summary summary_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  const double median =
      values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
  return {median, values.front(), values.back()};
}

// `value(seconds)` over the repeats.
template <class Value>
Summary over_repeats(const RawMeasurement& measurement, Value value) {
  std::vector<double> values;
  values.reserve(measurement.seconds.size());
  for (const double seconds : measurement.seconds) values.push_back(value(seconds));
  return summary_of(std::move(values));
}

Summary latency_us(const RawMeasurement& measurement) {
  const double trips = 2.0 * static_cast<double>(measurement.iterations);
  return over_repeats(measurement, [=](double seconds) { return seconds / trips * 1e6; });
}

Summary messages_per_second(const RawMeasurement& measurement) {
  const double count = static_cast<double>(measurement.iterations);
  return over_repeats(measurement, [=](double seconds) { return count / seconds; });
}

double megabytes(double messages, const RawMeasurement& measurement) {
  return messages * static_cast<double>(measurement.size_bytes) / 1e6;
}

double percentile_us(const RawMeasurement& measurement, double share) {
  const auto& sorted = measurement.round_trips_ns;
  const auto index = static_cast<std::size_t>(share * static_cast<double>(sorted.size() - 1));
  return sorted[index] / 2000.0;
}

std::string_view meaning_of(Mode mode) {
  switch (mode) {
    case Mode::kPingPong: return "untagged send and receive, half round trip";
    case Mode::kRate:
      return "untagged sends of 8 bytes, each a message of its own; the target has received them "
             "all";
    case Mode::kSendBandwidth: return "untagged sends, one way; the target has received them all";
    case Mode::kWriteBandwidth:
      return "remote writes, one way; the target has been told that the last one arrived";
    case Mode::kReadBandwidth: return "remote reads, one way; all data are at the initiator";
  }
  return "";
}

std::string libfabric_version() {
  const std::uint32_t version = fi_version();
  return fmt::format("{}.{}", FI_MAJOR(version), FI_MINOR(version));
}

std::string placement(const RawOptions& options) {
  if (options.cpus.first < 0) return "not pinned";
  return fmt::format("on processors {} and {}", options.cpus.first, options.cpus.second);
}

void print_mode_header(std::FILE* out, const RawOptions& options, Mode mode) {
  fmt::print(out, "# {}: {}\n", name_of(mode), meaning_of(mode));
  if (mode == Mode::kPingPong) {
    fmt::print(out, "{:<12}{:>14}{:>12}{:>12}{:>12}{:>12}\n", "# Size (B)", "Latency (us)",
               "P50 (us)", "P99 (us)", "Min (us)", "Max (us)");
  } else {
    fmt::print(out, "# [ window size: {} ]\n", options.window);
    fmt::print(out, "{:<12}{:>18}{:>14}{:>12}{:>12}\n", "# Size (B)", "Bandwidth (MB/s)",
               "Messages/s", "Min (MB/s)", "Max (MB/s)");
  }
}

void print_row(std::FILE* out, const RawMeasurement& measurement) {
  if (measurement.mode == Mode::kPingPong) {
    const Summary latency = latency_us(measurement);
    fmt::print(out, "{:<12}{:>14.2f}{:>12.2f}{:>12.2f}{:>12.2f}{:>12.2f}\n", measurement.size_bytes,
               latency.median, percentile_us(measurement, 0.50), percentile_us(measurement, 0.99),
               latency.min, latency.max);
  } else {
    const Summary rate = messages_per_second(measurement);
    fmt::print(out, "{:<12}{:>18.2f}{:>14.0f}{:>12.2f}{:>12.2f}\n", measurement.size_bytes,
               megabytes(rate.median, measurement), rate.median, megabytes(rate.min, measurement),
               megabytes(rate.max, measurement));
  }
}

nlohmann::json row_of(const RawMeasurement& measurement) {
  nlohmann::json row{{"mode", name_of(measurement.mode)},
                     {"size_bytes", measurement.size_bytes},
                     {"iterations", measurement.iterations},
                     {"repeats", measurement.seconds.size()}};
  if (measurement.mode == Mode::kPingPong) {
    const Summary latency = latency_us(measurement);
    row["latency_us"] = {{"median", latency.median}, {"min", latency.min}, {"max", latency.max}};
    row["round_trip_half_us"] = {{"samples", measurement.round_trips_ns.size()},
                                 {"p50", percentile_us(measurement, 0.50)},
                                 {"p90", percentile_us(measurement, 0.90)},
                                 {"p99", percentile_us(measurement, 0.99)},
                                 {"p99_9", percentile_us(measurement, 0.999)}};
  } else {
    const Summary rate = messages_per_second(measurement);
    row["messages_per_second"] = {{"median", rate.median}, {"min", rate.min}, {"max", rate.max}};
    row["bandwidth_MBps"] = {{"median", megabytes(rate.median, measurement)},
                             {"min", megabytes(rate.min, measurement)},
                             {"max", megabytes(rate.max, measurement)}};
  }
  return row;
}

}  // namespace

void print_table(std::FILE* out, const RawOptions& options, const RawSession& session) {
  fmt::print(out, "# lintel-raw-fabric {}: libfabric {}, provider {}\n", LINTEL_VERSION,
             libfabric_version(), session.provider);
  fmt::print(out,
             "# two processes {}, both polling; median, minimum and maximum of {} repeats; MB = "
             "1e6 bytes\n",
             placement(options), options.repeats);
  const RawMeasurement* before = nullptr;
  for (const RawMeasurement& measurement : session.measurements) {
    if (before == nullptr || before->mode != measurement.mode)
      print_mode_header(out, options, measurement.mode);
    print_row(out, measurement);
    before = &measurement;
  }
}

std::string to_json(const RawOptions& options, const RawSession& session) {
  utsname system{};
  uname(&system);
  nlohmann::json document{{"program", "lintel-raw-fabric"},
                          {"version", LINTEL_VERSION},
                          {"libfabric", libfabric_version()},
                          {"provider", session.provider},
                          {"host",
                           {{"kernel", system.release},
                            {"machine", system.machine},
                            {"processors", sysconf(_SC_NPROCESSORS_ONLN)}}},
                          {"settings",
                           {{"window", options.window},
                            {"warm_up", options.warm_up},
                            {"repeats", options.repeats},
                            {"inject_bytes", session.inject_bytes},
                            {"completion", "remote"},
                            {"waiting", "polling"}}},
                          {"results", nlohmann::json::array()}};
  if (options.cpus.first >= 0)
    document["settings"]["cpus"] = {options.cpus.first, options.cpus.second};
  for (const RawMeasurement& measurement : session.measurements)
    document["results"].push_back(row_of(measurement));
  return document.dump(2) + "\n";
}

}  // namespace lintel::bench
