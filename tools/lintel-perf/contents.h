#pragma once
// What message memory holds, so that a missing, misplaced, torn or repeated message is noticed.
// Every process knows all bytes without any exchange: they are 64-bit words that follow from their
// place in the message. Memory is given piece by piece; `offset` is the place of its first byte.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace lintel::perf {

struct Content {
  std::uint64_t base;
  std::uint64_t step;
  std::uint64_t flip = 0;

  constexpr std::uint64_t word(std::uint64_t index) const { return (base + index * step) ^ flip; }
};

enum class Origin : std::uint8_t { kInitiator = 0, kTarget = 1 };

// The id of message `iteration` of pass `pass` with bytes made by `origin`.
constexpr std::uint64_t pattern_id(Origin origin, std::uint64_t pass, std::uint64_t iteration) {
  return (std::uint64_t{static_cast<std::uint8_t>(origin)} << 63) | ((pass & 0x7fff) << 48) |
         (iteration & 0xffffffffffff);
}

// Message `id`. Messages whose ids differ in the low 8 bits differ in their first byte, so also
// messages of one byte can be told apart.
Content pattern(std::uint64_t id);
// Differs from message `id` in every byte.
Content poison(std::uint64_t id);
// What each atomic sum adds, and what `times` of them leave. Words differ, and sums carry through
// all bytes.
Content operands();
Content sums(std::uint64_t times);

struct Mismatch {
  std::uint64_t offset;  // in the message, bytes
  std::uint8_t expected;
  std::uint8_t found;
};

void fill(std::span<std::byte> memory, std::uint64_t offset, const Content& content);
// The first byte that differs.
std::optional<Mismatch> check(std::span<const std::byte> memory, std::uint64_t offset,
                              const Content& content);

}  // namespace lintel::perf
