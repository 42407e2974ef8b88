#pragma once
// Bytes that identify themselves: every byte depends on a seed and on its position, so that a
// shifted, stale or foreign byte is detected.

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace lintel::testing {

inline std::byte pattern_byte(std::uint64_t seed, std::size_t place) {
  const std::uint64_t mixed = (place + seed * 0x9e3779b9U) * 0xff51afd7ed558ccdULL;
  return static_cast<std::byte>(mixed >> 56);
}

inline void fill(std::span<std::byte> memory, std::uint64_t seed) {
  for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = pattern_byte(seed, i);
}

inline std::vector<std::byte> patterned(std::size_t size, std::uint64_t seed) {
  std::vector<std::byte> memory(size);
  fill(memory, seed);
  return memory;
}

// `first` is the position of the first byte in the pattern.
inline ::testing::AssertionResult holds_pattern(std::span<const std::byte> memory,
                                                std::uint64_t seed, std::size_t first = 0) {
  for (std::size_t i = 0; i < memory.size(); ++i) {
    if (memory[i] == pattern_byte(seed, first + i)) continue;
    return ::testing::AssertionFailure()
           << "byte " << i << " of " << memory.size() << " is " << std::to_integer<int>(memory[i])
           << ", not " << std::to_integer<int>(pattern_byte(seed, first + i)) << " (seed " << seed
           << ")";
  }
  return ::testing::AssertionSuccess();
}

inline constexpr std::byte kUntouched{0xa5};

inline ::testing::AssertionResult untouched(std::span<const std::byte> memory) {
  for (std::size_t i = 0; i < memory.size(); ++i) {
    if (memory[i] != kUntouched)
      return ::testing::AssertionFailure()
             << "byte " << i << " of " << memory.size() << " was written";
  }
  return ::testing::AssertionSuccess();
}

}  // namespace lintel::testing
