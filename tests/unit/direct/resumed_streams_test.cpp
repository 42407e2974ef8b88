// An OutboundStream and an InboundStream at the two ends of TCP connections that are cut anywhere:
// each piece arrives once, whole and in order.
#include <gtest/gtest.h>

#include <random>

#include "tests/unit/direct/stream_pair.h"

namespace lintel::transport {
namespace {

void expect_arrived(const StreamEnd& from, const StreamEnd& to) {
  EXPECT_EQ(StreamPair::difference(from, to), "");
}

void send_one_of_each(StreamEnd& end) {
  end.send_message(filled(20, 1));
  end.send_write(filled(30, 2), 7);
  end.send_placed(PlacementKey(3), filled(10, 3), filled(40, 4));
  end.send_message({});
  end.send_message(filled(9, 5));
}

// Both send one of each kind; the connection is cut when `bytes` bytes have gone each way, `lost`
// of which never arrive.
TEST(ResumedStreams, ACutAfterAnyByteLosesNothingAndRepeatsNothing) {
  std::size_t all = 0;
  {
    StreamEnd end;
    send_one_of_each(end);
    while (const std::size_t passed = end.pass_on(1000)) all += passed;
  }
  ASSERT_GT(all, 100U);
  for (std::size_t bytes = 0; bytes <= all; ++bytes) {
    for (std::size_t lost = 0; lost <= bytes; lost += 1 + lost / 4) {
      SCOPED_TRACE(std::to_string(bytes) + " bytes, of which are lost: " + std::to_string(lost));
      StreamPair pair;
      send_one_of_each(pair.a);
      send_one_of_each(pair.b);
      for (StreamEnd* const end : {&pair.a, &pair.b}) {
        for (std::size_t left = bytes; left > 0;) {
          const std::size_t passed = end->pass_on(left);
          if (passed == 0) break;
          left -= passed;
        }
        end->wire.resize(end->wire.size() - std::min(lost, end->wire.size()));
      }
      ASSERT_TRUE(pair.receive(pair.a, pair.b, 1000));
      ASSERT_TRUE(pair.receive(pair.b, pair.a, 1000));
      ASSERT_TRUE(pair.cut());
      ASSERT_TRUE(pair.settle());
      expect_arrived(pair.a, pair.b);
      expect_arrived(pair.b, pair.a);
      if (testing::Test::HasFailure()) return;
    }
  }
}

TEST(ResumedStreams, ManyCutsAtRandomPlacesLoseNothingAndRepeatNothing) {
  for (unsigned seed = 0; seed < 50; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    const auto below = [&random](std::size_t limit) { return random() % limit; };
    StreamPair pair;
    std::size_t cuts = 0;
    for (int step = 0; step < 2000; ++step) {
      StreamEnd& end = below(2) == 0 ? pair.a : pair.b;
      StreamEnd& other = &end == &pair.a ? pair.b : pair.a;
      switch (below(12)) {
        case 0:
          if (end.may_send()) end.send_message(filled(below(2000), 1));
          break;
        case 1:
          if (end.may_send())
            end.send_write(filled(1 + below(50000), 2), static_cast<std::uint32_t>(step));
          break;
        case 2:
          if (end.may_send()) {
            end.stalls = static_cast<int>(below(2));
            end.send_placed(PlacementKey(5), filled(below(100), 3), filled(1 + below(50000), 4));
          }
          break;
        case 3:
          ++cuts;
          for (StreamEnd* const wire : {&pair.a, &pair.b})
            wire->wire.resize(wire->wire.size() - below(wire->wire.size() + 1));
          ASSERT_TRUE(pair.receive(pair.a, pair.b, 1 + below(3000)));
          ASSERT_TRUE(pair.receive(pair.b, pair.a, 1 + below(3000)));
          ASSERT_TRUE(pair.cut());
          break;
        case 4: ASSERT_TRUE(pair.receive(other, end, 1 + below(3000))); break;
        default: end.pass_on(1 + below(5000)); break;
      }
      if (testing::Test::HasFailure()) return;
    }
    EXPECT_GT(cuts, 100U);
    ASSERT_TRUE(pair.settle());
    expect_arrived(pair.a, pair.b);
    expect_arrived(pair.b, pair.a);
    if (testing::Test::HasFailure()) return;
  }
}

// Of a long write, only what has not arrived is sent again.
TEST(ResumedStreams, ACutInALongWriteRepeatsOnlyWhatWasOnItsWay) {
  StreamPair pair;
  pair.a.send_write(filled(50000, 1), 7);
  std::size_t sent = pair.a.pass_on(40000);
  ASSERT_TRUE(pair.receive(pair.a, pair.b, 1000));
  sent += pair.a.pass_on(5000);
  ASSERT_TRUE(pair.cut());  // these 5000 are lost
  while (const std::size_t passed = pair.a.pass_on(1U << 20)) sent += passed;
  EXPECT_EQ(sent, 50000U + sizeof(PieceHeader) + sizeof(WriteHeader) + 5000);
  ASSERT_TRUE(pair.settle());
  expect_arrived(pair.a, pair.b);
}

}  // namespace
}  // namespace lintel::transport
