// The C interface of lintel.h: information about Lintel. One of the two files above transport/ that
// know which transports exist, because it reports them.

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "base/config_text.h"
#include "base/environment.h"
#include "base/interface_address.h"
#include "lintel.h"
#include "portals/engine/node/node_transport.h"
#include "portals/engine/values/interface_limits.h"
#include "transport/network/network.h"

namespace lintel {
namespace {

struct LimitRow {
  const char* name;
  std::uint64_t value;
  const char* help;
};

struct LimitTable {
  const char* title;
  const char* member;  // of the JSON object
  std::vector<LimitRow> rows;
};

std::vector<LimitRow> rows_of_portals3() {
  const portals::InterfaceLimits limits;
  return {
      {"max_mes", limits.max_entries, "match entries"},
      {"max_mds", limits.max_descriptors, "memory descriptors"},
      {"max_eqs", limits.max_queues, "event queues"},
      {"max_me_list", limits.max_list_length, "entries in one match list"},
      {"max_pt_index", limits.max_portal_index, "largest portal index"},
      {"max_ac_index", limits.max_access_index, "largest access control index"},
      {"max_md_iovecs", limits.max_iovec_pieces, "pieces of one memory descriptor"},
      {"max_getput_md", limits.max_getput_bytes, "bytes of one swap"},
      {"max_eq_events", portals::kMaxQueueEvents, "events in one event queue"},
  };
}

// Without the lengths that depend on the network.
std::vector<LimitRow> rows_of_portals4(const Config& config) {
  const portals::InterfaceLimits limits =
      portals::limits_of_portals4(portals::most_unexpected(config));
  return {
      {"max_entries", limits.max_entries, "list entries"},
      {"max_unexpected_headers", limits.max_unexpected,
       "unexpected messages of one portal (LINTEL_MAX_UNEXPECTED)"},
      {"max_mds", limits.max_descriptors, "memory descriptors"},
      {"max_cts", limits.max_counters, "counting events"},
      {"max_eqs", limits.max_queues, "event queues"},
      {"max_pt_index", limits.max_portal_index, "largest portal index"},
      {"max_iovecs", limits.max_iovec_pieces, "pieces of one MD, LE or ME"},
      {"max_list_size", limits.max_list_length, "entries in one list"},
      {"max_triggered_ops", limits.max_triggered, "operations that wait for one counting event"},
      {"max_msg_size", limits.max_message_bytes, "bytes of one put or get"},
  };
}

std::vector<LimitTable> limit_tables(const Config& config) {
  return {{"Portals 3", "portals3", rows_of_portals3()},
          {"Portals 4", "portals4", rows_of_portals4(config)}};
}

std::string limits_text(const Config& config) {
  std::string text;
  for (const LimitTable& table : limit_tables(config)) {
    text += std::string(table.title) + '\n';
    for (const LimitRow& row : table.rows) {
      char line[128];
      std::snprintf(line, sizeof line, "  %-22s %19llu  %s\n", row.name,
                    static_cast<unsigned long long>(row.value), row.help);
      text += line;
    }
  }
  return text +
         "  The limits of atomics, of ordered and of volatile data depend on the network too: "
         "PtlNIInit returns them\n";
}

std::string limits_json(const Config& config) {
  std::string text = "{\"limits\": {";
  for (const LimitTable& table : limit_tables(config)) {
    if (text.back() != '{') text += ", ";
    text += json_string(table.member) + ": {";
    for (const LimitRow& row : table.rows) {
      if (text.back() != '{') text += ", ";
      text += json_string(row.name) + ": " + std::to_string(row.value);
    }
    text += '}';
  }
  return text + "}}";
}

transport::NetworkOptions network_options(const Config& config, const std::string& address) {
  transport::NetworkOptions options;
  options.name = config.provider;
  options.port_base = static_cast<std::uint32_t>(config.port_base);
  options.interface_address = address;
  return options;
}

// Empty if there is no such network interface; problems_text() reports that.
std::vector<transport::NetworkReport> survey(const Config& config) {
  const Result<std::string> address = interface_address(config.interface);
  if (!address) return {};
  return transport::survey_networks(network_options(config, *address));
}

// The reasons for which opening a network interface would fail with these settings, as far as they
// are known without opening it; empty if there are none.
std::string obstacle(const Config& config) {
  const Result<std::string> address = interface_address(config.interface);
  if (!address)
    return "LINTEL_INTERFACE is \"" + config.interface + "\": " + address.error().reason();
  const Result<std::string> found =
      transport::obstacle_to_network(network_options(config, *address));
  return found ? *found
               : "LINTEL_INTERFACE is \"" + config.interface + "\": " + found.error().reason();
}

std::string problems_text(const ConfigReading& reading) {
  std::string text;
  for (const std::string& error : reading.errors) text += "error: " + error + '\n';
  if (const std::string error = obstacle(reading.config); !error.empty())
    text += "error: " + error + '\n';
  for (const std::string& warning : reading.warnings) text += "warning: " + warning + '\n';
  return text;
}

std::string providers_text(const Config& config) {
  std::string text;
  for (const transport::NetworkReport& report : survey(config)) {
    const char* mark = report.chosen ? "*" : report.usable ? "+" : "-";
    text += std::string(mark) + ' ' + report.name + ": " + report.reason + '\n';
  }
  return text + "(* chosen, + usable, - not usable; interface " + config.interface + ")\n";
}

std::string providers_json(const Config& config) {
  std::string text = "{\"interface\": " + json_string(config.interface) + ", \"providers\": [";
  for (const transport::NetworkReport& report : survey(config)) {
    if (text.back() != '[') text += ", ";
    text += "{\"name\": " + json_string(report.name) +
            ", \"chosen\": " + (report.chosen ? "true" : "false") +
            ", \"usable\": " + (report.usable ? "true" : "false") +
            ", \"reason\": " + json_string(report.reason);
    for (const transport::NetworkReport::Figure& figure : report.figures) {
      text += std::string(", \"") + figure.name + "\": " + std::to_string(figure.value);
    }
    text += "}";
  }
  return text + "]}";
}

// Empty: the topic does not exist in this format.
std::optional<std::string> describe(lintel_topic_t topic, lintel_format_t format) {
  const ConfigReading reading = read_environment();
  const bool json = format == LINTEL_JSON;
  if (format == LINTEL_MARKDOWN)
    return topic == LINTEL_CONFIG ? std::optional(settings_markdown()) : std::nullopt;
  if (!json && format != LINTEL_TEXT) return std::nullopt;
  switch (topic) {
    case LINTEL_CONFIG: return json ? settings_json(reading.config) : settings_text(reading.config);
    case LINTEL_PROVIDERS:
      return json ? providers_json(reading.config) : providers_text(reading.config);
    case LINTEL_LIMITS: return json ? limits_json(reading.config) : limits_text(reading.config);
    case LINTEL_PROBLEMS: return json ? std::nullopt : std::optional(problems_text(reading));
  }
  return std::nullopt;
}

}  // namespace
}  // namespace lintel

extern "C" const char* lintel_version(void) { return LINTEL_VERSION_TEXT; }

extern "C" long lintel_describe(lintel_topic_t topic, lintel_format_t format, char* buffer,
                                size_t size) {
  try {
    const std::optional<std::string> text = lintel::describe(topic, format);
    if (!text) return -1;
    if (buffer != nullptr && size > 0) {
      const std::size_t length = std::min(text->size(), size - 1);
      std::memcpy(buffer, text->data(), length);
      buffer[length] = '\0';
    }
    return static_cast<long>(text->size());
  } catch (...) {  // no memory
    return -1;
  }
}
