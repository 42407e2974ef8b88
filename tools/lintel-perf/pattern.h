#pragma once
// The bytes that messages carry: each message has its own, so that a missing, misplaced, torn or repeated one is noticed.
//
// A message's pattern is made from its number alone: byte `o` of message `id` is known to both processes without any exchange.
// Messages whose ids differ in the low 8 bits differ in their first byte, so also messages of one byte can be told apart.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace lintel::perf {

enum class Origin : std::uint8_t { kInitiator = 0, kTarget = 1 };

// The id of message `iteration` of pass `pass` with bytes made by `origin`.
constexpr std::uint64_t pattern_id(Origin origin, std::uint64_t pass, std::uint64_t iteration) {
  return (std::uint64_t{static_cast<std::uint8_t>(origin)} << 63) | ((pass & 0x7fff) << 48) | (iteration & 0xffffffffffff);
}

// Writes the bytes of message `id` from byte `offset` on.
void fill_pattern(std::span<std::byte> memory, std::uint64_t id, std::uint64_t offset);

// Writes bytes each of which differs from message `id`'s.
void fill_poison(std::span<std::byte> memory, std::uint64_t id, std::uint64_t offset);

struct Mismatch {
  std::uint64_t offset;  // in the message, bytes
  std::uint8_t expected;
  std::uint8_t found;
};

// The first byte that is not message `id`'s, if any.
std::optional<Mismatch> check_pattern(std::span<const std::byte> memory, std::uint64_t id, std::uint64_t offset);

}  // namespace lintel::perf
