#include "portals/engine/protocol/write_plan.h"

#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "portals/engine/wire/wire_codec.h"

namespace lintel::portals {
namespace {

class WritePlanTest : public ::testing::Test {
 protected:
  static constexpr std::uint64_t kLongest = 64;

  static std::vector<std::byte> encoded(const std::vector<wire::Segment>& segments) {
    std::vector<std::byte> bytes(segments.size() * sizeof(wire::Segment));
    for (std::size_t index = 0; index < segments.size(); ++index)
      wire::encode(segments[index], bytes.data() + index * sizeof(wire::Segment));
    return bytes;
  }
  struct Taken {
    std::size_t offset;  // in memory
    std::size_t length;
    std::uint64_t address;
    std::size_t run;
    friend bool operator==(const Taken&, const Taken&) = default;
  };
  // Takes all writes.
  std::vector<Taken> all(const MemoryRegion& region) {
    std::vector<Taken> taken;
    while (taken.size() < plan.size()) {
      const WritePlan::Write write = plan.next(region);
      taken.push_back({static_cast<std::size_t>(write.from.data() - memory.data()),
                       write.from.size(), write.to.address, write.run});
      plan.take(write);
    }
    return taken;
  }

  std::array<std::byte, 200> memory{};
  WritePlan plan;
};

TEST_F(WritePlanTest, AWriteIsNoLongerThanTheLongest) {
  const MemoryRegion region(memory.data(), memory.size());
  plan.begin(region, 10, 150, encoded({{1, 1000, 150}}), kLongest);
  EXPECT_EQ(all(region),
            (std::vector<Taken>{{10, 64, 1000, 0}, {74, 64, 1064, 0}, {138, 22, 1128, 0}}));
}

TEST_F(WritePlanTest, AWriteEndsWithItsRunAndWithItsSegment) {
  const Piece pieces[] = {{memory.data(), 30}, {memory.data() + 50, 0}, {memory.data() + 100, 40}};
  const MemoryRegion region{pieces};
  plan.begin(region, 5, 60, encoded({{1, 1000, 20}, {2, 2000, 40}}), kLongest);
  EXPECT_EQ(all(region),
            (std::vector<Taken>{{5, 20, 1000, 0}, {25, 5, 2000, 0}, {100, 35, 2005, 1}}));
}

TEST_F(WritePlanTest, WhatAReceiverAsksForMakesItNoLarger) {
  const MemoryRegion everything(nullptr, UINT64_MAX);
  const std::uint64_t length = std::uint64_t{1} << 60;
  plan.begin(everything, 4096, length, encoded({{1, 0, length}}), std::uint64_t{1} << 24);
  EXPECT_EQ(plan.size(), std::uint64_t{1} << 36);
  EXPECT_EQ(plan.next(everything).from.size(), std::size_t{1} << 24);
  EXPECT_EQ(plan.memory_for(1), 0U);
}

TEST_F(WritePlanTest, TheNextPlanBeginsAnew) {
  const MemoryRegion region(memory.data(), memory.size());
  plan.begin(region, 0, 50, encoded({{1, 1000, 20}, {2, 2000, 30}}), kLongest);
  plan.take(plan.next(region));
  plan.begin(region, 50, 10, encoded({{3, 3000, 10}}), kLongest);
  EXPECT_EQ(all(region), (std::vector<Taken>{{50, 10, 3000, 0}}));
}

TEST_F(WritePlanTest, ItsMemoryCountsUntilItsEnd) {
  const MemoryRegion region(memory.data(), memory.size());
  plan.begin(region, 0, 50, encoded({{1, 1000, 20}, {2, 2000, 30}}), kLongest);
  EXPECT_GE(plan.memory_for(1), 2 * sizeof(wire::Segment));
  EXPECT_EQ(plan.memory_for(9), 9 * sizeof(wire::Segment));
}

}  // namespace
}  // namespace lintel::portals
