#include "portals/engine/memory/memory_region.h"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

namespace lintel::portals {
namespace {

// Three pieces of "abcdefghij" with an empty one between them: abc | | defgh | ij.
class PieceRegion : public testing::Test {
 protected:
  std::string runs(std::uint64_t offset, std::uint64_t length) const {
    std::string text;
    region.for_each_run(offset, length, [&](std::span<std::byte> run) {
      text += (text.empty() ? "" : "|") +
              std::string(reinterpret_cast<const char*>(run.data()), run.size());
    });
    return text;
  }
  static Piece piece(std::string& text) {
    return {reinterpret_cast<std::byte*>(text.data()), text.size()};
  }

  std::string first = "abc", second, third = "defgh", fourth = "ij";
  std::vector<Piece> pieces{piece(first), {nullptr, 0}, piece(third), piece(fourth)};
  MemoryRegion region{pieces};
};

TEST_F(PieceRegion, LengthIsTheSumOfItsPieces) { EXPECT_EQ(region.length(), 10U); }

TEST_F(PieceRegion, WholeRegionIsItsNonEmptyPieces) { EXPECT_EQ(runs(0, 10), "abc|defgh|ij"); }

TEST_F(PieceRegion, RangeWithinOnePieceIsOneRun) { EXPECT_EQ(runs(4, 3), "efg"); }

TEST_F(PieceRegion, RangeFromTheBeginningOfAPieceSkipsTheEmptyOneBeforeIt) {
  EXPECT_EQ(runs(3, 1), "d");
}

TEST_F(PieceRegion, RangeOverABorderIsSeveralRuns) {
  EXPECT_EQ(runs(2, 2), "c|d");
  EXPECT_EQ(runs(2, 7), "c|defgh|i");
}

TEST_F(PieceRegion, EmptyRangesHaveNoRunEvenAtTheEnd) {
  for (const std::uint64_t offset : {0U, 3U, 5U, 10U}) EXPECT_EQ(runs(offset, 0), "");
}

TEST_F(PieceRegion, WriteScattersOverThePieces) {
  const std::string text = "WXYZ";
  region.write(1, std::as_bytes(std::span(text)));
  EXPECT_EQ(first + third + fourth, "aWXYZfghij");
}

TEST_F(PieceRegion, ReadGathersFromThePieces) {
  std::string text(6, ' ');
  region.read(2, std::as_writable_bytes(std::span(text)));
  EXPECT_EQ(text, "cdefgh");
}

TEST_F(PieceRegion, AddressIsInThePieceThatHoldsTheByte) {
  EXPECT_EQ(region.address_at(0), first.data());
  EXPECT_EQ(region.address_at(2), first.data() + 2);
  EXPECT_EQ(region.address_at(3), third.data());
  EXPECT_EQ(region.address_at(9), fourth.data() + 1);
}

TEST_F(PieceRegion, BehindTheEndOfAListThereIsNoAddress) {
  EXPECT_EQ(region.address_at(10), nullptr);
  EXPECT_EQ(region.address_at(UINT64_MAX), nullptr);
  EXPECT_EQ(MemoryRegion(std::span<const Piece>{}).address_at(0), nullptr);
}

TEST_F(PieceRegion, ListOfPiecesIsCopied) {
  pieces.assign(pieces.size(), {nullptr, 99});
  EXPECT_EQ(runs(0, 10), "abc|defgh|ij");
}

TEST_F(PieceRegion, CopyOutlivesTheOriginal) {
  const MemoryRegion copy = region;
  region = {};
  region = copy;
  EXPECT_EQ(runs(0, 10), "abc|defgh|ij");
}

TEST(MemoryRegion, ContiguousRangeIsOneRun) {
  std::array<std::byte, 8> memory{};
  const MemoryRegion region(memory.data(), memory.size());
  int count = 0;
  region.for_each_run(2, 5, [&](std::span<std::byte> run) {
    ++count;
    EXPECT_EQ(run.data(), memory.data() + 2);
    EXPECT_EQ(run.size(), 5U);
  });
  EXPECT_EQ(count, 1);
}

TEST(MemoryRegion, OverlappingWriteIsAsIfThroughABuffer) {
  std::string text = "abcdefgh";
  const MemoryRegion region(text.data(), text.size());
  region.write(2, std::as_bytes(std::span(text).first(6)));
  EXPECT_EQ(text, "ababcdef");
}

TEST(MemoryRegion, EmptyRegionsHaveNoBytes) {
  const MemoryRegion none;
  const MemoryRegion no_pieces{std::span<const Piece>()};
  const std::array<Piece, 2> empty_pieces{};
  const MemoryRegion only_empty(empty_pieces);
  for (const MemoryRegion* region : {&none, &no_pieces, &only_empty}) {
    EXPECT_EQ(region->length(), 0U);
    region->for_each_run(0, 0, [](std::span<std::byte>) { FAIL(); });
  }
}

}  // namespace
}  // namespace lintel::portals
