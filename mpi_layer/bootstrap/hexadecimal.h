#pragma once
// Bytes as hexadecimal digits, two each, lower case: what passes through a launcher's text
// unharmed.

#include <optional>
#include <string>
#include <string_view>

namespace lintel::mpi {

std::string to_hexadecimal(std::string_view bytes);

// Nothing when `digits` is anything else than what to_hexadecimal() gives.
std::optional<std::string> from_hexadecimal(std::string_view digits);

}  // namespace lintel::mpi
