#pragma once
// What message memory holds, so that a missing, misplaced, torn or repeated message is noticed.
// Both processes know every byte without any exchange. Memory is given piece by piece: `offset` is
// the place of its first byte in the message.
//
// Patterns: a message's bytes are made from its number alone. Messages whose ids differ in the low
// 8 bits differ in their first byte, so also messages of one byte can be told apart.
//
// Sums: the operand and the start of each 64-bit word are known from its place, so the value after
// any number of atomic sums is too. Words differ, and sums carry through all bytes.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace lintel::perf {

struct Mismatch {
  std::uint64_t offset;  // in the message, bytes
  std::uint8_t expected;
  std::uint8_t found;
};

enum class Origin : std::uint8_t { kInitiator = 0, kTarget = 1 };

// The id of message `iteration` of pass `pass` with bytes made by `origin`.
constexpr std::uint64_t pattern_id(Origin origin, std::uint64_t pass, std::uint64_t iteration) {
  return (std::uint64_t{static_cast<std::uint8_t>(origin)} << 63) | ((pass & 0x7fff) << 48) |
         (iteration & 0xffffffffffff);
}

// Writes message `id`, or bytes each of which differs from it; finds the first byte that is not
// its.
void fill_pattern(std::span<std::byte> memory, std::uint64_t id, std::uint64_t offset);
void fill_poison(std::span<std::byte> memory, std::uint64_t id, std::uint64_t offset);
std::optional<Mismatch> check_pattern(std::span<const std::byte> memory, std::uint64_t id,
                                      std::uint64_t offset);

// What each sum adds to word `index`, and that word after `times` sums.
std::uint64_t operand_word(std::uint64_t index);
std::uint64_t sum_word(std::uint64_t index, std::uint64_t times);

// The same for sums: what is added, and what `times` sums leave.
void fill_operands(std::span<std::byte> memory, std::uint64_t offset);
void fill_sums(std::span<std::byte> memory, std::uint64_t times, std::uint64_t offset);
std::optional<Mismatch> check_sums(std::span<const std::byte> memory, std::uint64_t times,
                                   std::uint64_t offset);

}  // namespace lintel::perf
