#pragma once
// Converts numbers and structures to and from the bytes of the wire, which are in network byte
// order. A structure of the wire has its own network_order() beside its definition, which converts
// each of its numbers. decode() reads only sizeof(Wire) bytes; the caller checks the values.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace lintel::transport {

constexpr std::uint16_t network_order(std::uint16_t v) {
  return std::endian::native == std::endian::big ? v : __builtin_bswap16(v);
}
constexpr std::uint32_t network_order(std::uint32_t v) {
  return std::endian::native == std::endian::big ? v : __builtin_bswap32(v);
}
constexpr std::uint64_t network_order(std::uint64_t v) {
  return std::endian::native == std::endian::big ? v : __builtin_bswap64(v);
}

// Writes `value` to the sizeof(Wire) bytes at `to`.
template <class Wire>
[[gnu::always_inline]] inline void encode(std::byte* to, const Wire& value) {
  const Wire wire = network_order(value);
  std::memcpy(to, &wire, sizeof wire);
}

// Reads the sizeof(Wire) bytes at `from`. REQUIRES: they are there.
template <class Wire>
Wire decode(const std::byte* from) {
  Wire wire;
  std::memcpy(&wire, from, sizeof wire);
  return network_order(wire);
}

}  // namespace lintel::transport
