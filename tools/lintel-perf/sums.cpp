#include "sums.h"

#include <array>
#include <cstring>

namespace lintel::perf {
namespace {

constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15;  // its multiples have bits everywhere

// Byte `offset` of a message whose words are `word(index)`, as this machine stores them.
template <class Word>
std::byte byte_at(std::uint64_t offset, Word word) {
  const std::uint64_t value = word(offset / 8);
  std::array<std::byte, 8> bytes;
  std::memcpy(bytes.data(), &value, bytes.size());
  return bytes[offset % 8];
}

template <class Word>
void fill(std::span<std::byte> memory, std::uint64_t offset, Word word) {
  for (std::size_t at = 0; at < memory.size(); ++at) memory[at] = byte_at(offset + at, word);
}

}  // namespace

std::uint64_t operand_word(std::uint64_t index) { return (2 * index + 1) * kOdd; }

std::uint64_t sum_word(std::uint64_t index, std::uint64_t times) { return ~(index * kOdd) + times * operand_word(index); }

void fill_operands(std::span<std::byte> memory, std::uint64_t offset) { fill(memory, offset, operand_word); }

void fill_sums(std::span<std::byte> memory, std::uint64_t times, std::uint64_t offset) {
  fill(memory, offset, [times](std::uint64_t index) { return sum_word(index, times); });
}

std::optional<Mismatch> check_sums(std::span<const std::byte> memory, std::uint64_t times, std::uint64_t offset) {
  for (std::size_t at = 0; at < memory.size(); ++at) {
    const std::byte expected = byte_at(offset + at, [times](std::uint64_t index) { return sum_word(index, times); });
    if (memory[at] != expected)
      return Mismatch{offset + at, std::to_integer<std::uint8_t>(expected), std::to_integer<std::uint8_t>(memory[at])};
  }
  return std::nullopt;
}

}  // namespace lintel::perf
