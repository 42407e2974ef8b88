#include "contents.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <type_traits>

namespace lintel::perf {
namespace {

constexpr std::uint64_t kStep = 0x9E3779B97F4A7C15ULL;  // odd; its multiples have bits everywhere

// Calls `each(at, bytes, length)` for all parts of the message from `offset` on that lie in one
// word:
// `at` is the part's place in memory, `bytes` what `word(index)` has there.
template <class Word, class Each>
void each_word(std::uint64_t offset, std::size_t size, Word word, Each each) {
  for (std::size_t at = 0; at < size;) {
    const std::uint64_t value = word((offset + at) / 8);
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

template <class Word>
void fill(std::span<std::byte> memory, std::uint64_t offset, Word word) {
  each_word(offset, memory.size(), word, [&](std::size_t at, auto bytes, auto length) {
    std::memcpy(memory.data() + at, bytes.data(), length);
  });
}

template <class Word>
std::optional<Mismatch> check(std::span<const std::byte> memory, std::uint64_t offset, Word word) {
  std::optional<Mismatch> first;
  each_word(offset, memory.size(), word, [&](std::size_t at, auto bytes, auto length) {
    if (first || std::memcmp(memory.data() + at, bytes.data(), length) == 0) return;
    std::size_t i = 0;
    while (memory[at + i] == bytes[i]) ++i;
    first = Mismatch{offset + at + i, std::to_integer<std::uint8_t>(bytes[i]),
                     std::to_integer<std::uint8_t>(memory[at + i])};
  });
  return first;
}

std::uint64_t base_of(std::uint64_t id) {
  std::uint64_t x = id + kStep;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ULL;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBULL;
  x ^= x >> 31;
  // The low byte counts messages; the two origins differ there as well.
  return (x & ~std::uint64_t{0xff}) | ((id ^ (id >> 63)) & 0xff);
}

auto pattern(std::uint64_t id, std::uint64_t flip) {
  return [base = base_of(id), flip](std::uint64_t index) { return (base + index * kStep) ^ flip; };
}

auto sums(std::uint64_t times) {
  return [times](std::uint64_t index) { return sum_word(index, times); };
}

}  // namespace

void fill_pattern(std::span<std::byte> memory, std::uint64_t id, std::uint64_t offset) {
  fill(memory, offset, pattern(id, 0));
}

void fill_poison(std::span<std::byte> memory, std::uint64_t id, std::uint64_t offset) {
  fill(memory, offset, pattern(id, ~std::uint64_t{0}));
}

std::optional<Mismatch> check_pattern(std::span<const std::byte> memory, std::uint64_t id,
                                      std::uint64_t offset) {
  return check(memory, offset, pattern(id, 0));
}

std::uint64_t operand_word(std::uint64_t index) { return (2 * index + 1) * kStep; }

std::uint64_t sum_word(std::uint64_t index, std::uint64_t times) {
  return ~(index * kStep) + times * operand_word(index);
}

void fill_operands(std::span<std::byte> memory, std::uint64_t offset) {
  fill(memory, offset, operand_word);
}

void fill_sums(std::span<std::byte> memory, std::uint64_t times, std::uint64_t offset) {
  fill(memory, offset, sums(times));
}

std::optional<Mismatch> check_sums(std::span<const std::byte> memory, std::uint64_t times,
                                   std::uint64_t offset) {
  return check(memory, offset, sums(times));
}

}  // namespace lintel::perf
