#pragma once
// Sizes and durations as people write them: "16K", "100us", "10s".

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"

namespace lintel {

// A decimal number without sign, blanks or suffix. Empty when it is none, or does not fit into 64
// bits.
std::optional<std::uint64_t> parse_integer(std::string_view text);

// Bytes: a number with an optional K, M or G (1024, 1024², 1024³; also KiB, kB and so on, upper or
// lower case).
std::optional<std::uint64_t> parse_size(std::string_view text);

// A number followed by ns, us, ms or s. A bare 0 is accepted; any other bare number is not, for its
// unit would be a guess.
std::optional<Nanoseconds> parse_duration(std::string_view text);

// The shortest exact form that the parsers above read back: 16384 -> "16K", 1500 -> "1500".
std::string format_size(std::uint64_t bytes);
std::string format_duration(Nanoseconds duration);

}  // namespace lintel
