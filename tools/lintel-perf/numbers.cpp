#include "numbers.h"

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <optional>

#include "failure.h"

namespace lintel::perf {
namespace {

[[noreturn]] void reject(std::string_view option, std::string_view text,
                         std::string_view expected) {
  refuse("{}: '{}' is not usable; expected {}", option, text, expected);
}

// The leading decimal number of `text`, which is shortened by it.
std::optional<std::uint64_t> take_number(std::string_view& text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

// The whole of `text` as a number.
std::optional<std::uint64_t> number_of(std::string_view text) {
  const auto number = take_number(text);
  return text.empty() ? number : std::nullopt;
}

// "", "B", or K, M or G, alone or with B or iB.
std::optional<unsigned> shift_of(std::string_view suffix) {
  if (suffix.empty() || suffix == "B") return 0;
  const auto letter = std::string_view("kKmMgG").find(suffix.front());
  suffix.remove_prefix(1);
  if (letter == std::string_view::npos) return std::nullopt;
  if (!suffix.empty() && suffix != "B" && suffix != "iB") return std::nullopt;
  return static_cast<unsigned>(letter / 2 + 1) * 10;
}

std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> parts;
  for (;;) {
    const auto comma = text.find(',');
    parts.push_back(text.substr(0, comma));
    if (comma == std::string_view::npos) return parts;
    text.remove_prefix(comma + 1);
  }
}

}  // namespace

std::uint64_t parse_size(std::string_view option, std::string_view text) {
  std::string_view rest = text;
  const auto number = take_number(rest);
  const auto shift = shift_of(rest);
  if (!number || !shift || *number == 0 || *number > (kMaxSizeBytes >> *shift)) {
    reject(option, text, "a size from 1 byte to 64G, with K, M or G for 2^10, 2^20, 2^30 bytes");
  }
  return *number << *shift;
}

std::vector<std::uint64_t> parse_size_list(std::string_view option, std::string_view text) {
  if (text.empty()) reject(option, text, "at least one size, for example 8,1K,4M");
  std::vector<std::uint64_t> sizes;
  for (const std::string_view part : split(text)) sizes.push_back(parse_size(option, part));
  return sizes;
}

std::vector<std::uint64_t> powers_of_two(std::uint64_t min, std::uint64_t max) {
  std::vector<std::uint64_t> sizes;
  for (std::uint64_t size = min; size <= max; size *= 2) sizes.push_back(size);
  return sizes;
}

std::uint64_t parse_count(std::string_view option, std::string_view text, std::string_view what,
                          std::uint64_t min, std::uint64_t max) {
  const auto number = number_of(text);
  if (!number || *number < min || *number > max) {
    reject(option, text, fmt::format("a whole number of {} from {} to {}", what, min, max));
  }
  return *number;
}

double parse_seconds(std::string_view option, std::string_view text, double min, double max) {
  const std::string copy(text);
  char* end = nullptr;
  const double seconds = std::strtod(copy.c_str(), &end);
  const bool whole = !copy.empty() && end == copy.c_str() + copy.size();
  if (!whole || !std::isfinite(seconds) || seconds < min || seconds > max) {
    reject(option, text, fmt::format("a number of seconds from {} to {}", min, max));
  }
  return seconds;
}

std::vector<int> parse_cpus(std::string_view option, std::string_view text) {
  std::vector<int> cpus;
  for (const std::string_view part : split(text)) {
    const auto number = number_of(part);
    if (!number || *number > 65535 || cpus.size() == 2) {
      reject(option, text, "one CPU number, or two separated by a comma, for example 0,1");
    }
    cpus.push_back(static_cast<int>(*number));
  }
  return cpus;
}

std::pair<std::string, std::uint32_t> parse_peer(std::string_view option, std::string_view text,
                                                 std::uint32_t default_pid) {
  const auto colon = text.find(':');
  const std::string_view host = text.substr(0, colon);
  if (host.empty()) {
    reject(option, text, "ADDR or ADDR:PID, for example 192.168.1.2 or 192.168.1.2:17");
  }
  if (colon == std::string_view::npos) return {std::string(host), default_pid};
  const auto pid =
      parse_count(option, text.substr(colon + 1), "the server's Portals process id", 1, 65535);
  return {std::string(host), static_cast<std::uint32_t>(pid)};
}

}  // namespace lintel::perf
