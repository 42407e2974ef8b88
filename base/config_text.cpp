#include "base/config_text.h"

#include <cstdio>
#include <utility>

namespace lintel {
namespace {

constexpr std::size_t kTextWidth = 100;

const char* type_name(SettingType type) {
  switch (type) {
    case SettingType::kString: return "string";
    case SettingType::kInterface: return "interface";
    case SettingType::kInteger: return "integer";
    case SettingType::kSize: return "size";
    case SettingType::kDuration: return "duration";
    case SettingType::kChoice: break;
  }
  return "choice";
}

std::string default_text(const Setting& setting) { return value_text(setting, Config{}); }

std::string or_unset(const std::string& value) { return value.empty() ? "unset" : value; }

// `text` in lines of at most kTextWidth characters, each indented by four blanks.
std::string indented(std::string_view text) {
  std::string lines;
  while (!text.empty()) {
    std::size_t end = text.size();
    if (end > kTextWidth) end = text.rfind(' ', kTextWidth);
    lines += "    " + std::string(text.substr(0, end)) + '\n';
    text.remove_prefix(end);
    if (text.starts_with(' ')) text.remove_prefix(1);
  }
  return lines;
}

}  // namespace

std::string settings_text(const Config& config) {
  std::string text;
  for (const Setting& row : settings()) {
    const std::string value = value_text(row, config);
    text += std::string(row.name) + " = " + or_unset(value);
    text += value == default_text(row) ? " (default)\n"
                                       : " (default: " + or_unset(default_text(row)) + ")\n";
    text += indented(row.help);
    if (row.type != SettingType::kString) text += indented("Takes " + expected_text(row) + ".");
  }
  return text;
}

std::string settings_json(const Config& config) {
  std::string text = "{\"settings\": [";
  for (const Setting& row : settings()) {
    if (&row != &settings().front()) text += ", ";
    const std::pair<const char*, std::string> members[] = {
        {"name", std::string(row.name)},    {"type", type_name(row.type)},
        {"unit", std::string(row.unit)},    {"default", default_text(row)},
        {"value", value_text(row, config)}, {"expected", expected_text(row)},
        {"help", std::string(row.help)}};
    char separator = '{';
    for (const auto& [name, value] : members) {
      text += std::string(1, separator) + '"' + name + "\": " + json_string(value);
      separator = ',';
    }
    text += '}';
  }
  return text + "]}";
}

std::string settings_markdown() {
  std::string text =
      "# Configuration\n\n"
      "Lintel reads these environment variables once, when a process first uses it. A value that "
      "is not\n"
      "accepted ends the start of the process with an error message. A variable that begins with "
      "`LINTEL_` and\n"
      "is not listed here causes a warning. `lintel-info --config` prints the values in force.\n\n"
      "This page is made by `lintel-info --config-doc`; a test compares the two.\n\n"
      "| variable | takes | default | meaning |\n| --- | --- | --- | --- |\n";
  for (const Setting& row : settings()) {
    text += "| `" + std::string(row.name) + "` | " + expected_text(row) + " | " +
            (default_text(row).empty() ? "unset" : '`' + default_text(row) + '`') + " | " +
            std::string(row.help) + " |\n";
  }
  return text;
}

std::string json_string(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      quoted += '\\';
      quoted += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      char escape[8];
      std::snprintf(escape, sizeof escape, "\\u%04x", static_cast<unsigned>(c));
      quoted += escape;
    } else {
      quoted += c;
    }
  }
  return quoted + '"';
}

}  // namespace lintel
