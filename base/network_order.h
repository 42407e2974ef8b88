#pragma once
// Converts a number between host and network byte order, in either direction.

#include <bit>
#include <cstdint>

namespace lintel {

constexpr std::uint8_t network_order(std::uint8_t v) { return v; }
constexpr std::uint16_t network_order(std::uint16_t v) {
  return std::endian::native == std::endian::big ? v : __builtin_bswap16(v);
}
constexpr std::uint32_t network_order(std::uint32_t v) {
  return std::endian::native == std::endian::big ? v : __builtin_bswap32(v);
}
constexpr std::uint64_t network_order(std::uint64_t v) {
  return std::endian::native == std::endian::big ? v : __builtin_bswap64(v);
}

}  // namespace lintel
