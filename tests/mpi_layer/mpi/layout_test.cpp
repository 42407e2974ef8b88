// The compiled form of a type map: adjacent parts are merged, regular blocks are one run.
#include "mpi_layer/mpi/objects/layout.h"

#include <gtest/gtest.h>

#include <vector>

namespace lintel::mpi {
namespace {

std::shared_ptr<const Layout> block(std::int64_t bytes) { return std::make_shared<Layout>(bytes); }

struct Piece {
  std::int64_t offset;
  std::int64_t bytes;
  std::int64_t count = 1;
  std::int64_t stride = 0;
  bool operator==(const Piece&) const = default;
};

std::vector<Piece> pieces_of(const std::shared_ptr<const Layout>& layout) {
  std::vector<Piece> pieces;
  for (const Run& run : layout->runs())
    pieces.push_back({run.offset, run.bytes, run.count, run.stride});
  return pieces;
}

TEST(Layout, NeighboursAreOneBlock) {
  LayoutBuilder builder;
  builder.append(block(4), 0, 1, 0);
  builder.append(block(2), 4, 1, 0);
  builder.append(block(2), 6, 5, 2);
  const auto layout = builder.finish();
  EXPECT_EQ(pieces_of(layout), (std::vector<Piece>{{0, 16}}));
  EXPECT_TRUE(layout->is_block());
  EXPECT_EQ(layout->size(), 16);
}

TEST(Layout, NeighboursInTheWrongOrderAreNot) {
  LayoutBuilder builder;
  builder.append(block(4), 4, 1, 0);
  builder.append(block(4), 0, 1, 0);
  const auto layout = builder.finish();
  EXPECT_EQ(pieces_of(layout), (std::vector<Piece>{{4, 4, 2, -4}}));
  EXPECT_FALSE(layout->is_block());
  EXPECT_EQ(layout->first_offset(), 4);
}

TEST(Layout, BlocksAtEqualDistancesAreOneRun) {
  LayoutBuilder builder;
  for (std::int64_t i = 0; i < 100; ++i) builder.append(block(8), i * 24, 1, 0);
  EXPECT_EQ(pieces_of(builder.finish()), (std::vector<Piece>{{0, 8, 100, 24}}));
}

TEST(Layout, ABlockThatGrowsLeavesItsRun) {
  LayoutBuilder builder;
  builder.append(block(4), 0, 3, 8);
  builder.append(block(4), 20, 1, 0);
  EXPECT_EQ(pieces_of(builder.finish()), (std::vector<Piece>{{0, 4, 2, 8}, {16, 8}}));
}

TEST(Layout, RunsThatContinueEachOtherAreOne) {
  LayoutBuilder row;
  row.append(block(4), 0, 10, 8);
  const auto one = row.finish();
  LayoutBuilder rows;
  rows.append(one, 0, 50, 80);
  EXPECT_EQ(pieces_of(rows.finish()), (std::vector<Piece>{{0, 4, 500, 8}}));
}

TEST(Layout, NothingIsEmpty) {
  LayoutBuilder builder;
  builder.append(block(4), 0, 0, 4);
  builder.append(block(0), 0, 7, 4);
  const auto layout = builder.finish();
  EXPECT_TRUE(layout->runs().empty());
  EXPECT_TRUE(layout->is_block());
  EXPECT_EQ(layout->size(), 0);
  EXPECT_EQ(layout->first_offset(), 0);
}

TEST(Layout, FewCopiesAreWrittenOutAndManyAreNested) {
  LayoutBuilder pair;
  pair.append(block(4), 0, 1, 0);
  pair.append(block(2), 8, 1, 0);
  const auto one = pair.finish();
  LayoutBuilder few;
  few.append(one, 0, 3, 16);
  EXPECT_EQ(few.finish()->runs().size(), 6U);
  LayoutBuilder many;
  many.append(one, 0, 1000, 16);
  const auto nested = many.finish();
  ASSERT_EQ(nested->runs().size(), 1U);
  EXPECT_EQ(nested->runs()[0].nested, one);
  EXPECT_EQ(nested->size(), 6000);
}

}  // namespace
}  // namespace lintel::mpi
