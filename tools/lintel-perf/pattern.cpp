#include "pattern.h"

#include <cstring>

namespace lintel::perf {
namespace {

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "patterns are defined on little-endian words");

constexpr std::uint64_t kStep = 0x9E3779B97F4A7C15ULL;

std::uint64_t base_of(std::uint64_t id) {
  std::uint64_t x = id + kStep;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ULL;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBULL;
  x ^= x >> 31;
  // The low byte counts messages; the two origins differ there as well.
  return (x & ~std::uint64_t{0xff}) | ((id ^ (id >> 63)) & 0xff);
}

std::uint64_t word_at(std::uint64_t base, std::uint64_t offset) { return base + (offset / 8) * kStep; }

std::uint8_t byte_at(std::uint64_t base, std::uint64_t offset) {
  return static_cast<std::uint8_t>(word_at(base, offset) >> (8 * (offset % 8)));
}

// Bytes before the first whole word, at most `size`.
std::size_t head_of(std::uint64_t offset, std::size_t size) {
  const std::size_t head = static_cast<std::size_t>((8 - offset % 8) % 8);
  return head < size ? head : size;
}

void fill(std::span<std::byte> memory, std::uint64_t id, std::uint64_t offset, std::uint64_t flip) {
  const std::uint64_t base = base_of(id);
  const std::size_t head = head_of(offset, memory.size());
  std::size_t at = 0;
  for (; at < head; ++at) memory[at] = static_cast<std::byte>(byte_at(base, offset + at) ^ static_cast<std::uint8_t>(flip));
  std::uint64_t word = word_at(base, offset + at);
  for (; at + 8 <= memory.size(); at += 8, word += kStep) {
    const std::uint64_t value = word ^ flip;
    std::memcpy(memory.data() + at, &value, 8);
  }
  for (; at < memory.size(); ++at) memory[at] = static_cast<std::byte>(byte_at(base, offset + at) ^ static_cast<std::uint8_t>(flip));
}

std::optional<Mismatch> first_wrong(std::span<const std::byte> memory, std::uint64_t base, std::uint64_t offset, std::size_t from) {
  for (std::size_t at = from; at < memory.size(); ++at) {
    const auto found = std::to_integer<std::uint8_t>(memory[at]);
    const std::uint8_t expected = byte_at(base, offset + at);
    if (found != expected) return Mismatch{offset + at, expected, found};
  }
  return std::nullopt;
}

}  // namespace

void fill_pattern(std::span<std::byte> memory, std::uint64_t id, std::uint64_t offset) { fill(memory, id, offset, 0); }

void fill_poison(std::span<std::byte> memory, std::uint64_t id, std::uint64_t offset) { fill(memory, id, offset, ~std::uint64_t{0}); }

std::optional<Mismatch> check_pattern(std::span<const std::byte> memory, std::uint64_t id, std::uint64_t offset) {
  const std::uint64_t base = base_of(id);
  const std::size_t head = head_of(offset, memory.size());
  if (const auto wrong = first_wrong(memory.first(head), base, offset, 0)) return wrong;
  std::size_t at = head;
  std::uint64_t word = word_at(base, offset + at);
  for (; at + 8 <= memory.size(); at += 8, word += kStep) {
    std::uint64_t found = 0;
    std::memcpy(&found, memory.data() + at, 8);
    if (found != word) return first_wrong(memory, base, offset, at);
  }
  return first_wrong(memory, base, offset, at);
}

}  // namespace lintel::perf
