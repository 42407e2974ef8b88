#pragma once
// Text to numbers for options. Every function throws PerfFailure(kUnusable) with a sentence that
// names the option, the value and what was expected.

#include <charconv>
#include <cstdint>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "failure.h"

namespace lintel::perf {

inline constexpr std::uint64_t kMaxSizeBytes = std::uint64_t{64} << 30;

[[noreturn]] inline void reject(std::string_view option, std::string_view text,
                                std::string_view expected) {
  refuse("{}: '{}' is not usable; expected {}", option, text, expected);
}

// The decimal number at the beginning of `text`, and what follows it.
template <class Number = std::uint64_t>
std::pair<std::optional<Number>, std::string_view> leading_number(std::string_view text) {
  Number number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return {std::nullopt, text};
  return {number, text.substr(static_cast<std::size_t>(end - text.data()))};
}

inline std::vector<std::string> split_at_commas(std::string_view text) {
  std::vector<std::string> parts;
  std::istringstream rest(fmt::format("{},", text));  // so that a last empty part is one too
  for (std::string part; std::getline(rest, part, ',');) parts.push_back(part);
  return parts;
}

// Bytes; a suffix K, M or G (also KiB, KB, ...) multiplies by 2^10, 2^20, 2^30. From 1 to
// kMaxSizeBytes.
inline std::uint64_t parse_size(std::string_view option, std::string_view text) {
  auto [number, suffix] = leading_number(text);
  unsigned shift = 0;
  if (const auto letter = std::string_view("kKmMgG").find(suffix.substr(0, 1));
      !suffix.empty() && letter != std::string_view::npos) {
    shift = static_cast<unsigned>(letter / 2 + 1) * 10;
    suffix.remove_prefix(1);
  }
  const bool known = suffix.empty() || suffix == "B" || (shift > 0 && suffix == "iB");
  if (!number || !known || *number == 0 || *number > (kMaxSizeBytes >> shift)) {
    reject(option, text, "a size from 1 byte to 64G, with K, M or G for 2^10, 2^20, 2^30 bytes");
  }
  return *number << shift;
}

// Sizes separated by commas.
inline std::vector<std::uint64_t> parse_size_list(std::string_view option, std::string_view text) {
  std::vector<std::uint64_t> sizes;
  for (const std::string& part : split_at_commas(text)) sizes.push_back(parse_size(option, part));
  return sizes;
}

// `min`, 2 min, 4 min, ... up to `max`. REQUIRES: 1 <= min <= max.
inline std::vector<std::uint64_t> powers_of_two(std::uint64_t min, std::uint64_t max) {
  std::vector<std::uint64_t> sizes;
  for (std::uint64_t size = min; size <= max; size *= 2) sizes.push_back(size);
  return sizes;
}

// A whole decimal number from `min` to `max`; `what` says in the plural what is counted.
inline std::uint64_t parse_count(std::string_view option, std::string_view text,
                                 std::string_view what, std::uint64_t min, std::uint64_t max) {
  const auto [number, rest] = leading_number(text);
  if (!number || !rest.empty() || *number < min || *number > max) {
    reject(option, text, fmt::format("a whole number of {} from {} to {}", what, min, max));
  }
  return *number;
}

// Seconds, with a fraction if wanted, from `min` to `max`.
inline double parse_seconds(std::string_view option, std::string_view text, double min,
                            double max) {
  const auto [seconds, rest] = leading_number<double>(text);
  if (!seconds || !rest.empty() || !(*seconds >= min && *seconds <= max)) {  // or NaN
    reject(option, text, fmt::format("a number of seconds from {} to {}", min, max));
  }
  return *seconds;
}

// "A" or "A,B": CPU numbers. Whether the machine has them shows when a process is pinned.
inline std::vector<int> parse_cpus(std::string_view option, std::string_view text) {
  std::vector<int> cpus;
  for (const std::string& part : split_at_commas(text)) {
    const auto [number, rest] = leading_number(part);
    if (!number || !rest.empty() || *number > 65535 || cpus.size() == 2) {
      reject(option, text, "one CPU number, or two separated by a comma, for example 0,1");
    }
    cpus.push_back(static_cast<int>(*number));
  }
  return cpus;
}

// "ADDR" or "ADDR:PID".
inline std::pair<std::string, std::uint32_t> parse_peer(std::string_view option,
                                                        std::string_view text,
                                                        std::uint32_t default_pid) {
  const auto colon = text.find(':');
  const std::string host(text.substr(0, colon));
  if (host.empty()) {
    reject(option, text, "ADDR or ADDR:PID, for example 192.168.1.2 or 192.168.1.2:17");
  }
  if (colon == std::string_view::npos) return {host, default_pid};
  const auto pid =
      parse_count(option, text.substr(colon + 1), "the server's Portals process id", 1, 65535);
  return {host, static_cast<std::uint32_t>(pid)};
}

}  // namespace lintel::perf
