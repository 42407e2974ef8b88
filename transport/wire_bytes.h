#pragma once
// Converts structures to and from the bytes of the wire, which are in network byte order. A
// structure of the wire has its own network_order() beside its definition, which converts
// each of its numbers. decode() reads only sizeof(Wire) bytes; the caller checks the values.

#include <cstddef>
#include <cstring>

#include "base/network_order.h"

namespace lintel::transport {

// Of numbers. Unqualified calls would find only those of structures without it.
using lintel::network_order;

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
