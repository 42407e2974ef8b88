#pragma once
// Units of the reports.

#include <cstdint>
#include <string>

#include "row.h"

namespace lintel::perf {

enum class Units { kMB, kMiB, kGb };

// "us", "MB/s", "MiB/s", "Gb/s", "messages/s".
std::string unit_name(Quantity quantity, Units units);

// The same fit for a key: "us", "MB_per_s", ...
std::string unit_key(Quantity quantity, Units units);

// A value in SI units, in the report's unit.
double in_unit(double value, Quantity quantity, Units units);

// One sentence on what the bandwidth unit means.
std::string unit_note(Units units);

// "4 MiB", "1 KiB", "8 B".
std::string size_name(std::uint64_t bytes);

}  // namespace lintel::perf
