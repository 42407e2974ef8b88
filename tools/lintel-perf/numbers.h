#pragma once
// Text to numbers for options. Every function throws Failure(kUnusable) with a sentence that names
// the option, the value and what was expected.

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lintel::perf {

inline constexpr std::uint64_t kMaxSizeBytes = std::uint64_t{64} << 30;

// Bytes; a suffix K, M or G (also KiB, KB, ...) multiplies by 2^10, 2^20, 2^30. From 1 to
// kMaxSizeBytes.
std::uint64_t parse_size(std::string_view option, std::string_view text);

// Sizes separated by commas; at least one.
std::vector<std::uint64_t> parse_size_list(std::string_view option, std::string_view text);

// `min`, 2 min, 4 min, ... up to `max`. REQUIRES: 1 <= min <= max.
std::vector<std::uint64_t> powers_of_two(std::uint64_t min, std::uint64_t max);

// A whole decimal number from `min` to `max`; `what` says in the plural what is counted.
std::uint64_t parse_count(std::string_view option, std::string_view text, std::string_view what,
                          std::uint64_t min, std::uint64_t max);

// Seconds, with a fraction if wanted, from `min` to `max`.
double parse_seconds(std::string_view option, std::string_view text, double min, double max);

// "A" or "A,B": CPU numbers. Whether the machine has them shows when a process is pinned.
std::vector<int> parse_cpus(std::string_view option, std::string_view text);

// "ADDR" or "ADDR:PID".
std::pair<std::string, std::uint32_t> parse_peer(std::string_view option, std::string_view text,
                                                 std::uint32_t default_pid);

}  // namespace lintel::perf
