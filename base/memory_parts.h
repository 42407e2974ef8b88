#pragma once
// MemoryParts: LINTEL_MEMORY_LIMIT, divided among what other processes can make this one keep.
//
// A plain struct. Each kind has a part of its own, so that who uses up one takes nothing from the
// others. The sum of the parts is at most the limit.

#include <cstddef>
#include <cstdint>

namespace lintel {

struct MemoryParts {
  std::size_t answers = 0;     // to requests of peers that do not read them
  std::size_t peers = 0;       // records of peers
  std::size_t operations = 0;  // long operations of other processes
  std::size_t headers = 0;     // of messages in overflow entries of Portals 4

  static constexpr MemoryParts of(std::uint64_t limit) {
    return {
        .answers = limit / 2, .peers = limit / 4, .operations = limit / 8, .headers = limit / 8};
  }
};

}  // namespace lintel
