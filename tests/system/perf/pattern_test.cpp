#include "pattern.h"

#include <gtest/gtest.h>

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
  for (const std::size_t size : {1U, 7U, 8U, 9U, 4096U, 4099U}) EXPECT_FALSE(check_pattern(message(kId, size), kId, 0)) << size;
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

TEST(Pattern, NeighbouringMessagesDifferInTheirFirstByte) { EXPECT_TRUE(check_pattern(message(kId, 1), kId + 1, 0)); }

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

}  // namespace
}  // namespace lintel::perf
