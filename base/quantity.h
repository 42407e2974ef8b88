#pragma once
// Parses and formats sizes and durations: "16K", "100us", "10s".

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"

namespace lintel {

// A decimal number without sign, blanks or suffix. Empty: it is none, or does not fit into 64 bits.
std::optional<std::uint64_t> parse_integer(std::string_view text);

// Bytes: a number with an optional K, M or G (1024, 1024², 1024³; also KiB, kB and so on, upper or
// lower case).
std::optional<std::uint64_t> parse_size(std::string_view text);

// A number followed by ns, us, ms or s. A 0 without a unit is accepted; other numbers without a
// unit are not, because the unit would be a guess.
std::optional<Nanoseconds> parse_duration(std::string_view text);

// The shortest exact form that the parsers above accept: 16384 -> "16K", 1500 -> "1500".
std::string format_size(std::uint64_t bytes);
std::string format_duration(Nanoseconds duration);

}  // namespace lintel
