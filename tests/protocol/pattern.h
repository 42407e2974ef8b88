#pragma once
// Bytes to send, for the protocol tests of both APIs.

#include <cstddef>
#include <cstdint>
#include <vector>

namespace lintel::testing {

using Bytes = std::vector<std::uint8_t>;

// Bytes that differ from their neighbours and from those of another `first`.
inline Bytes pattern(std::size_t length, std::uint8_t first = 1) {
  Bytes bytes(length);
  for (std::size_t i = 0; i < length; ++i)
    bytes[i] = static_cast<std::uint8_t>((i * 131 + (i >> 8) * 7 + first * 17U) | 1U);
  return bytes;
}

inline Bytes part(const Bytes& bytes, std::size_t offset, std::size_t length) {
  const auto begin = bytes.begin() + static_cast<std::ptrdiff_t>(offset);
  return {begin, begin + static_cast<std::ptrdiff_t>(length)};
}

}  // namespace lintel::testing
