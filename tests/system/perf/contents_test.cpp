#include "contents.h"

#include <gtest/gtest.h>

#include <cstring>
#include <set>
#include <vector>

namespace lintel::perf {
namespace {

std::vector<std::byte> message(std::uint64_t id, std::size_t size) {
  std::vector<std::byte> bytes(size);
  fill(bytes, 0, pattern(id));
  return bytes;
}

constexpr std::uint64_t kId = pattern_id(Origin::kInitiator, 3, 41);

TEST(Pattern, WhatWasFilledIsAccepted) {
  for (const std::size_t size : {1U, 7U, 8U, 9U, 4096U, 4099U})
    EXPECT_FALSE(check(message(kId, size), 0, pattern(kId))) << size;
}

TEST(Pattern, EachSingleWrongByteIsFoundWhereItIs) {
  for (std::size_t at = 0; at < 37; ++at) {
    auto bytes = message(kId, 37);
    bytes[at] ^= std::byte{1};
    const auto wrong = check(bytes, 0, pattern(kId));
    ASSERT_TRUE(wrong) << at;
    EXPECT_EQ(wrong->offset, at);
    EXPECT_EQ(wrong->found, wrong->expected ^ 1);
  }
}

TEST(Pattern, NeighbouringMessagesDifferInTheirFirstByte) {
  EXPECT_TRUE(check(message(kId, 1), 0, pattern(kId + 1)));
}

TEST(Pattern, TheSameMessageOfTheOtherSideDiffers) {
  const auto other = pattern_id(Origin::kTarget, 3, 41);
  EXPECT_TRUE(check(message(kId, 1), 0, pattern(other)));
  EXPECT_TRUE(check(message(kId, 64), 0, pattern(other)));
}

TEST(Pattern, TheSameMessageOfAnotherPassDiffers) {
  EXPECT_TRUE(check(message(kId, 64), 0, pattern(pattern_id(Origin::kInitiator, 4, 41))));
}

TEST(Pattern, BytesAtAnotherOffsetAreNoticed) {
  auto bytes = message(kId, 64);
  bytes.erase(bytes.begin(), bytes.begin() + 8);
  EXPECT_TRUE(check(bytes, 0, pattern(kId)));
  EXPECT_FALSE(check(bytes, 8, pattern(kId)));
}

TEST(Pattern, PiecesCutAnywhereMakeTheSameMessage) {
  const auto whole = message(kId, 50);
  for (std::size_t cut = 0; cut <= 50; ++cut) {
    std::vector<std::byte> pieces(50);
    fill(std::span(pieces).first(cut), 0, pattern(kId));
    fill(std::span(pieces).subspan(cut), cut, pattern(kId));
    EXPECT_EQ(pieces, whole) << cut;
  }
}

TEST(Pattern, PoisonDiffersInEveryByte) {
  const auto good = message(kId, 61);
  std::vector<std::byte> bad(61);
  fill(bad, 0, poison(kId));
  for (std::size_t i = 0; i < bad.size(); ++i) EXPECT_NE(good[i], bad[i]) << i;
}

std::vector<std::byte> summed(std::uint64_t times, std::size_t size) {
  std::vector<std::byte> bytes(size);
  fill(bytes, 0, sums(times));
  return bytes;
}

TEST(Sums, WhatWasFilledIsAccepted) {
  for (const std::uint64_t times : {0U, 1U, 1000U})
    EXPECT_FALSE(check(summed(times, 64), 0, sums(times))) << times;
}

TEST(Sums, ASumMoreOrLessIsNoticedInEveryWord) {
  for (const std::uint64_t times : {4U, 6U}) {
    const auto wrong = summed(times, 128);
    for (std::size_t word = 0; word < 128; word += 8) {
      EXPECT_TRUE(check(std::span(wrong).subspan(word, 8), word, sums(5)))
          << times << " at " << word;
    }
  }
}

TEST(Sums, EachSumAddsTheOperand) {
  std::vector<std::byte> added(24);
  fill(added, 0, operands());
  for (std::uint64_t index = 0; index < 3; ++index) {
    std::uint64_t operand = 0;
    std::memcpy(&operand, added.data() + 8 * index, 8);
    EXPECT_EQ(operand, operands().word(index));
    EXPECT_EQ(sums(8).word(index), sums(7).word(index) + operand);
  }
}

TEST(Sums, WordsDiffer) {
  std::set<std::uint64_t> words;
  for (std::uint64_t index = 0; index < 128; ++index) {
    words.insert(sums(3).word(index));
    words.insert(operands().word(index));
  }
  EXPECT_EQ(words.size(), 256U);
}

TEST(Sums, TheFirstWrongByteIsFoundWhereItIs) {
  auto bytes = summed(9, 40);
  bytes[13] ^= std::byte{1};
  const auto wrong = check(bytes, 0, sums(9));
  ASSERT_TRUE(wrong);
  EXPECT_EQ(wrong->offset, 13U);
  EXPECT_EQ(wrong->found, wrong->expected ^ 1);
}

TEST(Sums, APieceThatBeginsInsideAWordIsTheSameBytes) {
  const auto whole = summed(2, 40);
  std::vector<std::byte> piece(17);
  fill(piece, 5, sums(2));
  EXPECT_TRUE(std::equal(piece.begin(), piece.end(), whole.begin() + 5));
}

}  // namespace
}  // namespace lintel::perf
