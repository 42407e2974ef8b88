#include "contents.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "failure.h"

namespace lintel::perf {
namespace {

using testing::HasSubstr;

template <class Check>
std::string failure_of(Check check) {
  try {
    check();
  } catch (const PerfFailure& failure) {
    return failure.what();
  }
  return "";
}

TEST(Region, PiecesAddUpToTheSize) {
  const Region region(1003, 5);
  std::uint64_t length = 0;
  for (const MemoryPiece& piece : region.pieces()) length += piece.size();
  EXPECT_EQ(region.pieces().size(), 5U);
  EXPECT_EQ(length, 1003U);
}

TEST(Region, AMessageThatIsScatteredIsTheSameMessage) {
  Region whole(1003, 1);
  Region scattered(1003, 5);
  whole.fill(pattern(7));
  const std::byte* from = whole.pieces()[0].data();
  for (const MemoryPiece& piece : scattered.pieces())
    from = std::copy_n(from, piece.size(), piece.data()) - piece.data() + from;
  EXPECT_EQ(failure_of([&] { scattered.check(7); }), "");
}

TEST(Region, AWrongByteOfALaterPieceIsSaidWithItsPlaceInTheMessage) {
  Region region(30, 3);
  region.fill(pattern(7));
  region.pieces()[2][4] ^= std::byte{1};
  EXPECT_THAT(failure_of([&] { region.check(7); }), HasSubstr("byte 24 of 30 in message 7"));
}

TEST(Region, AWrongByteOfASumIsSaidWithTheNumberOfSums) {
  Region region(40, 3);
  region.fill(sums(6));
  EXPECT_EQ(failure_of([&] { region.check_sums(6); }), "");
  region.pieces()[1][0] ^= std::byte{1};
  EXPECT_THAT(failure_of([&] { region.check_sums(6); }), HasSubstr("byte 13 of 40 after 6 sums"));
}

TEST(Region, BytesWrittenBehindAPieceAreNoticedBesideMessagesAndSums) {
  Region region(24, 3);
  const auto overrun = [&] { region.pieces()[1].data()[8] ^= std::byte{1}; };
  region.fill(pattern(1));
  overrun();
  EXPECT_THAT(failure_of([&] { region.check(1); }), HasSubstr("bytes behind a piece of 8 bytes"));
  overrun();
  region.fill(sums(1));
  EXPECT_EQ(failure_of([&] { region.check_sums(1); }), "");
  overrun();
  EXPECT_THAT(failure_of([&] { region.check_sums(1); }),
              HasSubstr("bytes behind a piece of 8 bytes"));
}

}  // namespace
}  // namespace lintel::perf
