#include "contents.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <type_traits>

namespace lintel::perf {
namespace {

constexpr std::uint64_t kStep = 0x9E3779B97F4A7C15ULL;  // odd; its multiples have bits everywhere

// Calls each(place in memory, expected bytes, length) for every part that lies in one word.
template <class Each>
void each_word(std::uint64_t offset, std::size_t size, const Content& content, Each each) {
  for (std::size_t at = 0; at < size;) {
    const std::uint64_t value = content.word((offset + at) / 8);
    std::array<std::byte, 8> bytes;
    std::memcpy(bytes.data(), &value, 8);
    const std::size_t skipped = (offset + at) % 8;
    const std::size_t length = std::min(size - at, 8 - skipped);
    if (length == 8) {  // nearly always: with a length that the compiler knows
      each(at, std::span(bytes), std::integral_constant<std::size_t, 8>());
    } else {
      each(at, std::span(bytes).subspan(skipped), length);
    }
    at += length;
  }
}

std::uint64_t base_of(std::uint64_t id) {
  std::uint64_t x = id + kStep;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ULL;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBULL;
  x ^= x >> 31;
  // The low byte counts messages; the two origins differ there as well.
  return (x & ~std::uint64_t{0xff}) | ((id ^ (id >> 63)) & 0xff);
}

}  // namespace

Content pattern(std::uint64_t id) { return {base_of(id), kStep}; }

Content poison(std::uint64_t id) { return {base_of(id), kStep, ~std::uint64_t{0}}; }

Content operands() { return {kStep, 2 * kStep}; }

// Word i begins as -1 - i kStep; each sum adds its operand.
Content sums(std::uint64_t times) {
  const Content added = operands();
  return {times * added.base - 1, times * added.step - kStep};
}

void fill(std::span<std::byte> memory, std::uint64_t offset, const Content& content) {
  each_word(offset, memory.size(), content, [&](std::size_t at, auto bytes, auto length) {
    std::memcpy(memory.data() + at, bytes.data(), length);
  });
}

std::optional<Mismatch> check(std::span<const std::byte> memory, std::uint64_t offset,
                              const Content& content) {
  std::optional<Mismatch> first;
  each_word(offset, memory.size(), content, [&](std::size_t at, auto bytes, auto length) {
    if (first || std::memcmp(memory.data() + at, bytes.data(), length) == 0) return;
    std::size_t i = 0;
    while (memory[at + i] == bytes[i]) ++i;
    first = Mismatch{offset + at + i, std::to_integer<std::uint8_t>(bytes[i]),
                     std::to_integer<std::uint8_t>(memory[at + i])};
  });
  return first;
}

}  // namespace lintel::perf
