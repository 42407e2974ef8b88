#pragma once
// Numbers in IMPI's encoding: big-endian, two's complement, without padding.

#include <boost/endian/conversion.hpp>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/assert.h"

namespace lintel::mpi::impi {

template <class T>
void append_number(std::string& bytes, T number) {
  const T stored = boost::endian::native_to_big(number);
  bytes.append(reinterpret_cast<const char*>(&stored), sizeof stored);
}

// The number at `offset`. REQUIRES: `bytes` contains all of it.
template <class T>
T number_at(std::string_view bytes, std::size_t offset) {
  LINTEL_ASSERT(offset <= bytes.size() && sizeof(T) <= bytes.size() - offset);
  T stored = 0;
  bytes.copy(reinterpret_cast<char*>(&stored), sizeof stored, offset);
  return boost::endian::big_to_native(stored);
}

}  // namespace lintel::mpi::impi
