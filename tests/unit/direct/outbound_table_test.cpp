// OutboundTable: the records of what is sent.
#include "transport/direct/outbound_table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <set>
#include <vector>

namespace lintel::transport {
namespace {

class OutboundTableTest : public testing::Test {
 protected:
  // Each of another peer.
  Outbound* frame() { return table.take_frame(shares.emplace_back()); }
  Outbound* write() { return table.take_write(shares.emplace_back()); }

  static constexpr std::size_t kFrameBytes = 1000;
  std::deque<SendShare> shares;
  OutboundTable table{4, kFrameBytes, 4};
};

TEST_F(OutboundTableTest, EachPeerGetsOneWriteBeyondThePool) {
  std::set<Outbound*> taken;
  for (int i = 0; i < 4; ++i) taken.insert(write());
  EXPECT_EQ(taken.size(), 4U);
  EXPECT_EQ(taken.count(nullptr), 0U);
  EXPECT_NE(write(), nullptr) << "one of its own";
  EXPECT_EQ(table.take_write(shares.back()), nullptr) << "it holds one";
  EXPECT_EQ(table.writes_taken(), 5U);
  for (Outbound* const record : taken) table.give_back(*record);
  EXPECT_EQ(table.writes_taken(), 1U);
  EXPECT_NE(write(), nullptr);
}

TEST_F(OutboundTableTest, EachPeerGetsTwoFramesBeyondThePool) {
  std::set<Outbound*> taken;
  for (int i = 0; i < 20; ++i) taken.insert(frame());
  EXPECT_EQ(taken.size(), 20U);
  EXPECT_EQ(taken.count(nullptr), 0U);
  Outbound* const second = table.take_frame(shares.front());
  EXPECT_NE(second, nullptr) << "for control";
  EXPECT_EQ(table.take_frame(shares.front()), nullptr);
  EXPECT_EQ(table.frames_taken(), 21U);
  table.give_back(*second);
  for (Outbound* const record : taken) table.give_back(*record);
  EXPECT_EQ(table.frames_taken(), 0U);
}

TEST_F(OutboundTableTest, PeersThatAreSetApartLeaveThePoolToOthers) {
  std::vector<Outbound*> taken;
  for (int i = 0; i < 8; ++i) {
    table.set_apart(shares.emplace_back(), true);
    for (int own = 0; own < 2; ++own) taken.push_back(table.take_frame(shares.back()));
    EXPECT_EQ(table.take_frame(shares.back()), nullptr) << "it has its own";
  }
  EXPECT_EQ(std::count(taken.begin(), taken.end(), nullptr), 0);
  EXPECT_EQ(table.frames_taken(), 0U);
  SendShare another;
  EXPECT_EQ(table.frame_limit(another), 1U) << "as if nobody had any: a quarter of the pool";
  table.set_apart(shares.back(), false);
  EXPECT_EQ(table.frames_taken(), 2U) << "from now on they count";
  for (Outbound* const record : taken) table.give_back(*record);
  EXPECT_EQ(table.frames_taken(), 0U);
}

TEST_F(OutboundTableTest, FramesBeyondThePoolAreUsedAgain) {
  std::set<Outbound*> taken;
  for (int i = 0; i < 20; ++i) taken.insert(frame());
  const std::set<Outbound*> first = taken;
  for (Outbound* const record : taken) table.give_back(*record);
  taken.clear();
  for (int i = 0; i < 20; ++i) taken.insert(frame());
  EXPECT_EQ(taken, first);
}

TEST_F(OutboundTableTest, PeersWithoutNumberGetNoMoreThanTheLimit) {
  const std::size_t most = SendShare::most_in_all(4);
  std::vector<Outbound*> frames;
  std::vector<Outbound*> writes;
  for (std::size_t i = 0; i < 2 * most; ++i) {
    frames.push_back(frame());
    writes.push_back(write());
  }
  const auto got = [](const std::vector<Outbound*>& records) {
    return records.size() -
           static_cast<std::size_t>(std::count(records.begin(), records.end(), nullptr));
  };
  EXPECT_GE(got(frames), most);
  EXPECT_LT(got(frames), most + 8) << "they are added by eights";
  EXPECT_EQ(got(writes), most);
  EXPECT_EQ(frame(), nullptr);
  EXPECT_EQ(write(), nullptr);
  table.give_back(*frames.front());
  table.give_back(*writes.front());
  EXPECT_NE(frame(), nullptr) << "as soon as another one is free";
  EXPECT_NE(write(), nullptr);
}

// Memory that was given back to the system is zero when it is used again.
TEST_F(OutboundTableTest, TheMemoryOfFramesBeyondThePoolIsGivenBack) {
  const auto is_zero = [](const Outbound* record) {
    return std::all_of(record->memory, record->memory + kFrameBytes,
                       [](std::byte one) { return one == std::byte{0}; });
  };
  std::vector<Outbound*> taken;
  for (int i = 0; i < 30; ++i) {
    taken.push_back(frame());
    std::memset(taken.back()->memory, 1, kFrameBytes);
  }
  Outbound* const kept = taken.back();
  ASSERT_TRUE(kept->is_added);
  taken.pop_back();
  // Those of the pool last: until then the added ones keep their memory, for others that want it.
  std::stable_partition(taken.begin(), taken.end(), [](Outbound* one) { return one->is_added; });
  for (std::size_t i = 0; i < taken.size(); ++i) {
    EXPECT_FALSE(is_zero(taken[i])) << i;
    table.give_back(*taken[i]);
    EXPECT_EQ(is_zero(taken.front()), 2 * table.frames_taken() <= 4) << i;
  }
  for (const Outbound* const one : taken) EXPECT_EQ(is_zero(one), one->is_added);
  EXPECT_FALSE(is_zero(kept)) << "it is in use";
  table.give_back(*kept);
  EXPECT_TRUE(is_zero(kept));
}

TEST_F(OutboundTableTest, LendsTheFrameThatWasUsedLast) {
  frame();
  Outbound* const last = frame();
  table.give_back(*last);
  EXPECT_EQ(frame(), last);
}

TEST_F(OutboundTableTest, HasMemoryForEachFrameWithRoomInFrontOfIt) {
  constexpr std::size_t kAll = OutboundTable::kHeadroom + kFrameBytes;
  std::vector<std::byte*> begins;
  for (int i = 0; i < 10; ++i) {
    begins.push_back(frame()->memory - OutboundTable::kHeadroom);
    std::memset(begins.back(), i + 1, kAll);
  }
  for (int i = 0; i < 10; ++i) {
    for (std::size_t at = 0; at < kAll; ++at)
      ASSERT_EQ(begins[static_cast<std::size_t>(i)][at], std::byte(i + 1));
  }
}

TEST_F(OutboundTableTest, TheLimitOfOnePeerIsAQuarterOfThePoolAndHalfOfWhatIsLeft) {
  SendShare first, second;
  OutboundTable wide{64, kFrameBytes, 4};
  EXPECT_EQ(wide.frame_limit(SendShare()), 16U);
  while (wide.take_frame(first) != nullptr) {
  }
  EXPECT_EQ(first.held, 16U);
  EXPECT_EQ(wide.frame_limit(SendShare()), 16U);
  while (wide.take_frame(second) != nullptr) {
  }
  EXPECT_EQ(second.held, 16U);
  EXPECT_EQ(wide.frame_limit(SendShare()), 16U);
  ASSERT_NE(wide.take_frame(first = {}), nullptr);
  EXPECT_EQ(wide.frame_limit(SendShare()), 15U);
}

TEST_F(OutboundTableTest, NothingIsLeftForAnybodyIfAllOfThePoolIsTaken) {
  for (int i = 0; i < 4; ++i) frame();
  EXPECT_EQ(table.frame_limit(SendShare()), 0U);
}

// Peers that accept nothing, one after the other, each take what they get.
TEST(SendShareTest, PeersThatStopLeaveRecordsToOthers) {
  constexpr std::size_t kPool = 64;
  std::size_t free = kPool;
  std::vector<SendShare> stopped(8);
  for (SendShare& share : stopped) {
    while (share.may_take(free, kPool)) {
      ++share.held;
      --free;
    }
  }
  EXPECT_EQ(stopped.front().held, SendShare::most(kPool));
  EXPECT_GE(stopped.back().held, 1U);
  EXPECT_GT(free, 0U);
  EXPECT_TRUE(SendShare().may_take(free, kPool));
}

TEST(SendShareTest, OfAPoolOfOneRecordAPeerGetsIt) {
  SendShare share;
  EXPECT_TRUE(share.may_take(1, 1));
  share.held = 1;
  EXPECT_FALSE(share.may_take(0, 1));
}

}  // namespace
}  // namespace lintel::transport
