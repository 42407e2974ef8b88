#pragma once
// The bytes of packets in the documents' notation.

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tests/mpi_layer/impi/wire_text.h"

namespace lintel::testing {

inline std::vector<std::byte> bytes_of(std::string_view digits) {
  const std::string text = mpi::impi::testing::bytes_of(digits);
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

inline std::string hex_of(std::span<const std::byte> bytes) {
  return mpi::impi::testing::digits_of({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

}  // namespace lintel::testing
