#include "base/config.h"

#include <arpa/inet.h>
#include <net/if.h>

#include <algorithm>
#include <optional>
#include <type_traits>

#include "base/quantity.h"

namespace lintel {
namespace {

constexpr std::string_view kPrefix = "LINTEL_";

bool is_interface(const std::string& text) {
  if (text.find_first_not_of("0123456789.") == std::string::npos) {
    in_addr address{};
    return inet_pton(AF_INET, text.c_str(), &address) == 1 && address.s_addr != INADDR_ANY;
  }
  return text.size() < IF_NAMESIZE && text.find_first_of(" \t/") == std::string::npos;
}

std::string number_text(SettingType type, std::uint64_t number) {
  if (type == SettingType::kSize) return format_size(number);
  if (type == SettingType::kDuration)
    return format_duration(Nanoseconds(static_cast<std::int64_t>(number)));
  return std::to_string(number);
}

// The number that `text` represents, in the unit of the setting's range; for a choice, its index.
std::optional<std::uint64_t> parse_number(const Setting& setting, std::string_view text) {
  switch (setting.type) {
    case SettingType::kInteger: return parse_integer(text);
    case SettingType::kSize: return parse_size(text);
    case SettingType::kDuration: {
      const auto duration = parse_duration(text);
      if (!duration) return std::nullopt;
      return static_cast<std::uint64_t>(duration->count());
    }
    case SettingType::kChoice: {
      const auto found = std::find(setting.choices.begin(), setting.choices.end(), text);
      if (found == setting.choices.end()) return std::nullopt;
      return static_cast<std::uint64_t>(found - setting.choices.begin());
    }
    case SettingType::kString:
    case SettingType::kInterface: break;
  }
  return std::nullopt;
}

// The number of edits that turn `a` into `b`: insert, remove or replace one character.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, diagonal + 1, row[j] + 1});
    }
  }
  return row[b.size()];
}

std::string unknown_variable(std::string_view name) {
  const auto all = settings();
  const auto nearest =
      std::min_element(all.begin(), all.end(), [name](const Setting& a, const Setting& b) {
        return distance(name, a.name) < distance(name, b.name);
      });
  std::string warning = std::string(name) + " is not a setting of Lintel and has no effect";
  // A name that differs from each setting in more than a third of its characters is not a typing
  // error.
  const std::size_t own_length = name.size() - kPrefix.size();
  if (distance(name, nearest->name) * 3 <= own_length)
    warning += "; did you mean " + std::string(nearest->name) + "?";
  return warning;
}

}  // namespace

std::string value_text(const Setting& setting, const Config& config) {
  return std::visit(
      [&](auto member) -> std::string {
        const auto& value = config.*member;
        using Value = std::remove_cvref_t<decltype(value)>;
        if constexpr (std::is_same_v<Value, std::string>) {
          return value;
        } else if constexpr (std::is_same_v<Value, Nanoseconds>) {
          return format_duration(value);
        } else if constexpr (std::is_enum_v<Value>) {
          return std::string(setting.choices[static_cast<std::size_t>(value)]);
        } else {
          return number_text(setting.type, value);
        }
      },
      setting.member);
}

std::string expected_text(const Setting& setting) {
  const auto range = [&](const char* what) {
    return std::string(what) + " from " + number_text(setting.type, setting.minimum) + " to " +
           number_text(setting.type, setting.maximum);
  };
  switch (setting.type) {
    case SettingType::kString: return "any text";
    case SettingType::kInterface:
      return "an IPv4 address of this machine (not 0.0.0.0) or the name of a network interface";
    case SettingType::kInteger: return range("an integer");
    case SettingType::kSize: return range("a number of bytes, with K, M or G if wanted,");
    case SettingType::kDuration: return range("a duration with its unit (ns, us, ms, s),");
    case SettingType::kChoice: break;
  }
  std::string text = "one of";
  for (const std::string_view choice : setting.choices)
    text.append(choice == setting.choices.front() ? " " : ", ").append(choice);
  return text;
}

std::string apply_setting(const Setting& setting, std::string_view text, Config& config) {
  const bool accepted = std::visit(
      [&](auto member) {
        auto& value = config.*member;
        using Value = std::remove_reference_t<decltype(value)>;
        if constexpr (std::is_same_v<Value, std::string>) {
          if (setting.type == SettingType::kInterface && !is_interface(std::string(text)))
            return false;
          value = text;
        } else {
          const auto number = parse_number(setting, text);
          if (!number) return false;
          if (setting.type != SettingType::kChoice &&
              (*number < setting.minimum || *number > setting.maximum))
            return false;
          value = static_cast<Value>(*number);
        }
        return true;
      },
      setting.member);
  if (accepted) return "";
  return std::string(setting.name) + "=" + std::string(text) + " is not accepted: expected " +
         expected_text(setting);
}

ConfigReading read_config(const char* const* variables) {
  ConfigReading reading;
  for (; variables != nullptr && *variables != nullptr; ++variables) {
    const std::string_view variable = *variables;
    if (!variable.starts_with(kPrefix)) continue;
    const std::size_t equals = variable.find('=');
    if (equals == std::string_view::npos) continue;
    const std::string_view name = variable.substr(0, equals);
    const std::string_view value = variable.substr(equals + 1);
    const auto all = settings();
    const auto setting = std::find_if(all.begin(), all.end(),
                                      [name](const Setting& row) { return row.name == name; });
    // The compilers of lintel-mpicc and lintel-mpicxx.
    if (name == "LINTEL_CC" || name == "LINTEL_CXX") continue;
    if (setting == all.end()) {
      reading.warnings.push_back(unknown_variable(name));
    } else if (!value.empty()) {
      std::string error = apply_setting(*setting, value, reading.config);
      if (!error.empty()) reading.errors.push_back(std::move(error));
    }
  }
  return reading;
}

}  // namespace lintel
