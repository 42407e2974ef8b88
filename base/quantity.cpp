#include "base/quantity.h"

#include <charconv>
#include <utility>

namespace lintel {
namespace {

struct Quantity {
  std::uint64_t number;
  std::string_view suffix;
};

std::optional<Quantity> split(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return std::nullopt;
  return Quantity{number, text.substr(static_cast<std::size_t>(end - text.data()))};
}

std::optional<std::uint64_t> times(std::uint64_t number, std::uint64_t factor) {
  std::uint64_t product = 0;
  if (__builtin_mul_overflow(number, factor, &product)) return std::nullopt;
  return product;
}

constexpr std::pair<std::string_view, std::uint64_t> kTimeUnits[] = {
    {"s", 1'000'000'000}, {"ms", 1'000'000}, {"us", 1'000}, {"ns", 1}};

}  // namespace

std::optional<std::uint64_t> parse_integer(std::string_view text) {
  const auto quantity = split(text);
  if (!quantity || !quantity->suffix.empty()) return std::nullopt;
  return quantity->number;
}

std::optional<std::uint64_t> parse_size(std::string_view text) {
  const auto quantity = split(text);
  if (!quantity) return std::nullopt;
  std::string_view suffix = quantity->suffix;
  if (suffix.empty()) return quantity->number;
  std::uint64_t factor = 0;
  switch (suffix.front()) {
    case 'k':
    case 'K': factor = std::uint64_t{1} << 10; break;
    case 'm':
    case 'M': factor = std::uint64_t{1} << 20; break;
    case 'g':
    case 'G': factor = std::uint64_t{1} << 30; break;
    case 'b':
    case 'B': return suffix.size() == 1 ? std::optional(quantity->number) : std::nullopt;
    default: return std::nullopt;
  }
  suffix.remove_prefix(1);
  if (!suffix.empty() && suffix != "B" && suffix != "b" && suffix != "iB") return std::nullopt;
  return times(quantity->number, factor);
}

std::optional<Nanoseconds> parse_duration(std::string_view text) {
  const auto quantity = split(text);
  if (!quantity) return std::nullopt;
  if (quantity->suffix.empty() && quantity->number == 0) return Nanoseconds(0);
  for (const auto& [unit, nanoseconds] : kTimeUnits) {
    if (quantity->suffix != unit) continue;
    const auto product = times(quantity->number, nanoseconds);
    if (!product || *product > static_cast<std::uint64_t>(INT64_MAX)) return std::nullopt;
    return Nanoseconds(static_cast<std::int64_t>(*product));
  }
  return std::nullopt;
}

std::string format_size(std::uint64_t bytes) {
  constexpr std::string_view kSuffixes = "GMK";
  for (std::size_t i = 0; i < kSuffixes.size(); ++i) {
    const std::uint64_t unit = std::uint64_t{1} << (30 - 10 * i);
    if (bytes != 0 && bytes % unit == 0) return std::to_string(bytes / unit) + kSuffixes[i];
  }
  return std::to_string(bytes);
}

std::string format_duration(Nanoseconds duration) {
  const std::int64_t ns = duration.count();
  if (ns == 0) return "0";
  for (const auto& [unit, nanoseconds] : kTimeUnits) {
    const auto length = static_cast<std::int64_t>(nanoseconds);
    if (ns % length == 0) return std::to_string(ns / length) + std::string(unit);
  }
  return std::to_string(ns) + "ns";
}

}  // namespace lintel
