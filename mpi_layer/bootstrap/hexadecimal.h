#pragma once
// Bytes as hexadecimal digits, two each, lower case. Every launcher transports such texts
// unchanged.

#include <optional>
#include <string>
#include <string_view>

namespace lintel::mpi {

std::string to_hexadecimal(std::string_view bytes);

// Nothing if `digits` is not a result of to_hexadecimal().
std::optional<std::string> from_hexadecimal(std::string_view digits);

}  // namespace lintel::mpi
