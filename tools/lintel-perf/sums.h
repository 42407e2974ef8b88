#pragma once
// The words that atomic sums are made of: the operand and the start of each 64-bit word are known to both processes from its place alone, so the value after
// any number of sums is too. Words differ, and sums carry through all bytes, so a missing, repeated, torn or misplaced one is noticed.
//
// As in pattern.h, memory is given piece by piece: `offset` is the place of its first byte in the message.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "pattern.h"

namespace lintel::perf {

// What each sum adds to word `index`.
std::uint64_t operand_word(std::uint64_t index);

// Word `index` after `times` sums.
std::uint64_t sum_word(std::uint64_t index, std::uint64_t times);

void fill_operands(std::span<std::byte> memory, std::uint64_t offset);
void fill_sums(std::span<std::byte> memory, std::uint64_t times, std::uint64_t offset);

// The first byte that is not what `times` sums leave there, if any.
std::optional<Mismatch> check_sums(std::span<const std::byte> memory, std::uint64_t times, std::uint64_t offset);

}  // namespace lintel::perf
