#include "contents.h"

#include <gtest/gtest.h>

#include <cstring>
#include <set>
#include <vector>

namespace lintel::perf {
namespace {

std::vector<std::byte> message(std::uint64_t id, std::size_t size) {
  std::vector<std::byte> bytes(size);
  fill_pattern(bytes, id, 0);
  return bytes;
}

constexpr std::uint64_t kId = pattern_id(Origin::kInitiator, 3, 41);

TEST(Pattern, WhatWasFilledIsAccepted) {
  for (const std::size_t size : {1U, 7U, 8U, 9U, 4096U, 4099U})
    EXPECT_FALSE(check_pattern(message(kId, size), kId, 0)) << size;
}

TEST(Pattern, EachSingleWrongByteIsFoundWhereItIs) {
  for (std::size_t at = 0; at < 37; ++at) {
    auto bytes = message(kId, 37);
    bytes[at] ^= std::byte{1};
    const auto wrong = check_pattern(bytes, kId, 0);
    ASSERT_TRUE(wrong) << at;
    EXPECT_EQ(wrong->offset, at);
    EXPECT_EQ(wrong->found, wrong->expected ^ 1);
  }
}

TEST(Pattern, NeighbouringMessagesDifferInTheirFirstByte) {
  EXPECT_TRUE(check_pattern(message(kId, 1), kId + 1, 0));
}

TEST(Pattern, TheSameMessageOfTheOtherSideDiffers) {
  const auto other = pattern_id(Origin::kTarget, 3, 41);
  EXPECT_TRUE(check_pattern(message(kId, 1), other, 0));
  EXPECT_TRUE(check_pattern(message(kId, 64), other, 0));
}

TEST(Pattern, TheSameMessageOfAnotherPassDiffers) {
  EXPECT_TRUE(check_pattern(message(kId, 64), pattern_id(Origin::kInitiator, 4, 41), 0));
}

TEST(Pattern, BytesAtAnotherOffsetAreNoticed) {
  auto bytes = message(kId, 64);
  bytes.erase(bytes.begin(), bytes.begin() + 8);
  EXPECT_TRUE(check_pattern(bytes, kId, 0));
  EXPECT_FALSE(check_pattern(bytes, kId, 8));
}

TEST(Pattern, PiecesCutAnywhereMakeTheSameMessage) {
  const auto whole = message(kId, 50);
  for (std::size_t cut = 0; cut <= 50; ++cut) {
    std::vector<std::byte> pieces(50);
    fill_pattern(std::span(pieces).first(cut), kId, 0);
    fill_pattern(std::span(pieces).subspan(cut), kId, cut);
    EXPECT_EQ(pieces, whole) << cut;
  }
}

TEST(Pattern, PoisonDiffersInEveryByte) {
  const auto good = message(kId, 61);
  std::vector<std::byte> bad(61);
  fill_poison(bad, kId, 0);
  for (std::size_t i = 0; i < bad.size(); ++i) EXPECT_NE(good[i], bad[i]) << i;
}

std::vector<std::byte> sums(std::uint64_t times, std::size_t size) {
  std::vector<std::byte> bytes(size);
  fill_sums(bytes, times, 0);
  return bytes;
}

TEST(Sums, WhatWasFilledIsAccepted) {
  for (const std::uint64_t times : {0U, 1U, 1000U})
    EXPECT_FALSE(check_sums(sums(times, 64), times, 0)) << times;
}

TEST(Sums, ASumMoreOrLessIsNoticedInEveryWord) {
  for (const std::uint64_t times : {4U, 6U}) {
    const auto wrong = sums(times, 128);
    for (std::size_t word = 0; word < 128; word += 8) {
      EXPECT_TRUE(check_sums(std::span(wrong).subspan(word, 8), 5, word))
          << times << " at " << word;
    }
  }
}

TEST(Sums, EachSumAddsTheOperand) {
  std::vector<std::byte> operands(24);
  fill_operands(operands, 0);
  for (std::uint64_t index = 0; index < 3; ++index) {
    std::uint64_t operand = 0;
    std::memcpy(&operand, operands.data() + 8 * index, 8);
    EXPECT_EQ(operand, operand_word(index));
    EXPECT_EQ(sum_word(index, 8), sum_word(index, 7) + operand);
  }
}

TEST(Sums, WordsDiffer) {
  std::set<std::uint64_t> words;
  for (std::uint64_t index = 0; index < 128; ++index) {
    words.insert(sum_word(index, 3));
    words.insert(operand_word(index));
  }
  EXPECT_EQ(words.size(), 256U);
}

TEST(Sums, TheFirstWrongByteIsFoundWhereItIs) {
  auto bytes = sums(9, 40);
  bytes[13] ^= std::byte{1};
  const auto wrong = check_sums(bytes, 9, 0);
  ASSERT_TRUE(wrong);
  EXPECT_EQ(wrong->offset, 13U);
  EXPECT_EQ(wrong->found, wrong->expected ^ 1);
}

TEST(Sums, APieceThatBeginsInsideAWordIsTheSameBytes) {
  const auto whole = sums(2, 40);
  std::vector<std::byte> piece(17);
  fill_sums(piece, 2, 5);
  EXPECT_TRUE(std::equal(piece.begin(), piece.end(), whole.begin() + 5));
}

}  // namespace
}  // namespace lintel::perf
