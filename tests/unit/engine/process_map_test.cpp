#include "portals/engine/interface/process_map.h"

#include <gtest/gtest.h>

namespace lintel::portals {
namespace {

constexpr ProcessId kFirst{NodeId{1}, Pid{7}};
constexpr ProcessId kSecond{NodeId{2}, Pid{7}};
constexpr ProcessId kOther{NodeId{7}, Pid{1}};

TEST(ProcessMapTest, HasNoProcessBeforeItIsSet) {
  const ProcessMap map;
  EXPECT_FALSE(map.is_set());
  EXPECT_EQ(map.size(), 0U);
  EXPECT_EQ(map.rank(kFirst), ProcessMap::kNoRank);
}

TEST(ProcessMapTest, KnowsTheProcessOfEachRankAndTheRankOfEachProcess) {
  ProcessMap map;
  map.set({kFirst, kSecond});
  EXPECT_TRUE(map.is_set());
  EXPECT_EQ(map.size(), 2U);
  EXPECT_EQ(map.process(0), kFirst);
  EXPECT_EQ(map.process(1), kSecond);
  EXPECT_EQ(map.rank(kFirst), 0U);
  EXPECT_EQ(map.rank(kSecond), 1U);
  EXPECT_EQ(map.rank(kOther), ProcessMap::kNoRank);
}

TEST(ProcessMapTest, AProcessOfSeveralRanksHasTheLowest) {
  ProcessMap map;
  map.set({kSecond, kFirst, kFirst, kSecond});
  EXPECT_EQ(map.rank(kFirst), 1U);
  EXPECT_EQ(map.rank(kSecond), 0U);
}

TEST(ProcessMapTest, AMapOfNoProcessesIsSet) {
  ProcessMap map;
  map.set({});
  EXPECT_TRUE(map.is_set());
  EXPECT_EQ(map.size(), 0U);
}

}  // namespace
}  // namespace lintel::portals
