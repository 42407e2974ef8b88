#include "portals/engine/memory/memory_descriptor.h"

#include <gtest/gtest.h>

#include <array>

namespace lintel::portals {
namespace {

using Acceptance = MemoryDescriptor::Acceptance;

class MemoryDescriptorTest : public testing::Test {
 protected:
  DescriptorRules rules(std::uint32_t options, std::int32_t threshold = kUnlimited,
                        std::uint64_t max_size = 0) {
    DescriptorRules made;
    made.described.start = memory.data();
    made.described.length = memory.size();
    made.described.threshold = threshold;
    made.described.options = options;
    made.described.max_size = max_size;
    made.region = MemoryRegion(memory.data(), memory.size());
    return made;
  }
  // The offset and length that it would accept, or {-1, -1}.
  static std::pair<std::int64_t, std::int64_t> offer(const MemoryDescriptor& descriptor,
                                                     std::uint64_t offset, std::uint64_t length,
                                                     std::uint32_t needed = option::kPut) {
    const auto accepted = descriptor.accept(needed, offset, length);
    if (!accepted) return {-1, -1};
    return {static_cast<std::int64_t>(accepted->offset),
            static_cast<std::int64_t>(accepted->length)};
  }
  using Offered = std::pair<std::int64_t, std::int64_t>;
  static constexpr Offered kRefused{-1, -1};
  std::array<std::byte, 16> memory{};
};

TEST_F(MemoryDescriptorTest, NeedsEveryOperationOfTheRequest) {
  const MemoryDescriptor put(rules(option::kPut), false);
  EXPECT_EQ(offer(put, 0, 1, option::kPut), (Offered{0, 1}));
  EXPECT_EQ(offer(put, 0, 1, option::kGet), kRefused);
  EXPECT_EQ(offer(put, 0, 1, option::kPut | option::kGet), kRefused);
}

TEST_F(MemoryDescriptorTest, InactiveWithThresholdZeroOrBelowUnlimited) {
  EXPECT_FALSE(MemoryDescriptor(rules(option::kPut, 0), false).active());
  const MemoryDescriptor negative(rules(option::kPut, -2), false);
  EXPECT_FALSE(negative.active());
  EXPECT_EQ(negative.snapshot().threshold, 0);
  EXPECT_TRUE(MemoryDescriptor(rules(option::kPut, kUnlimited), false).active());
}

TEST_F(MemoryDescriptorTest, LocalOffsetRunsAndTheRequestsIsIgnored) {
  MemoryDescriptor local(rules(option::kPut), false);
  EXPECT_EQ(offer(local, 999, 10), (Offered{0, 10}));
  local.charge_accepted({0, 10});
  EXPECT_EQ(offer(local, 999, 6), (Offered{10, 6}));
  EXPECT_EQ(offer(local, 999, 7), kRefused);
}

TEST_F(MemoryDescriptorTest, RemoteOffsetCountsAndTheLocalOneStays) {
  MemoryDescriptor remote(rules(option::kPut | option::kManageRemote), false);
  remote.charge_accepted({5, 10});
  EXPECT_EQ(offer(remote, 3, 10), (Offered{3, 10}));
  EXPECT_EQ(offer(remote, 16, 0), (Offered{16, 0}));
  EXPECT_EQ(offer(remote, 17, 0), kRefused);
}

TEST_F(MemoryDescriptorTest, OffsetAndLengthDoNotOverflow) {
  const MemoryDescriptor remote(rules(option::kPut | option::kManageRemote), false);
  EXPECT_EQ(offer(remote, UINT64_MAX, 1), kRefused);
  EXPECT_EQ(offer(remote, 1, UINT64_MAX), kRefused);
  const MemoryDescriptor cutting(rules(option::kPut | option::kManageRemote | option::kTruncate),
                                 false);
  EXPECT_EQ(offer(cutting, UINT64_MAX, 1), kRefused);
  EXPECT_EQ(offer(cutting, 1, UINT64_MAX), (Offered{1, 15}));
}

TEST_F(MemoryDescriptorTest, TruncateShortensToWhatIsLeft) {
  MemoryDescriptor cutting(rules(option::kPut | option::kTruncate), false);
  EXPECT_EQ(offer(cutting, 0, 17), (Offered{0, 16}));
  cutting.charge_accepted({0, 16});
  EXPECT_EQ(offer(cutting, 0, 5), (Offered{16, 0}));
}

TEST_F(MemoryDescriptorTest, MaxSizeInactivatesBelowItAndNotAtIt) {
  MemoryDescriptor limited(rules(option::kPut | option::kMaxSize, kUnlimited, 8), true);
  limited.charge_accepted({0, 8});
  EXPECT_TRUE(limited.active());
  EXPECT_FALSE(limited.unlink_due());
  limited.charge_accepted({8, 1});
  EXPECT_FALSE(limited.active());
  EXPECT_TRUE(limited.unlink_due());
}

TEST_F(MemoryDescriptorTest, MaxSizeZeroNeverInactivates) {
  MemoryDescriptor limited(rules(option::kPut | option::kMaxSize), false);
  limited.charge_accepted({0, 16});
  EXPECT_TRUE(limited.active());
}

TEST_F(MemoryDescriptorTest, MaxSizeMeansNothingWithoutItsOptionOrWithRemoteOffsets) {
  for (const std::uint32_t options :
       {option::kPut, option::kPut | option::kMaxSize | option::kManageRemote}) {
    MemoryDescriptor other(rules(options, kUnlimited, 8), false);
    EXPECT_EQ(offer(other, 0, 16), (Offered{0, 16}));
    other.charge_accepted({0, 16});
    EXPECT_TRUE(other.active());
  }
}

TEST_F(MemoryDescriptorTest, ThresholdEndsAtZeroAndStaysThere) {
  MemoryDescriptor two(rules(option::kPut, 2), true);
  two.charge();
  EXPECT_TRUE(two.active());
  two.charge();
  EXPECT_FALSE(two.active());
  EXPECT_TRUE(two.unlink_due());
  two.charge();
  EXPECT_EQ(two.snapshot().threshold, 0);
}

TEST_F(MemoryDescriptorTest, UnlinkIsDueByAnOperationOnly) {
  MemoryDescriptor born_inactive(rules(option::kPut, 0), true);
  EXPECT_FALSE(born_inactive.unlink_due());
  MemoryDescriptor updated(rules(option::kPut, 5), true);
  updated.describe(rules(option::kPut, 0));
  EXPECT_FALSE(updated.active());
  EXPECT_FALSE(updated.unlink_due());
}

TEST_F(MemoryDescriptorTest, RetainedIsNeverDue) {
  MemoryDescriptor retained(rules(option::kPut, 1), false);
  retained.charge();
  EXPECT_FALSE(retained.unlink_due());
}

TEST_F(MemoryDescriptorTest, DescribeRewindsAndKeepsTheUnlinkOp) {
  MemoryDescriptor descriptor(rules(option::kPut, 5), true);
  descriptor.charge_accepted({0, 10});
  descriptor.describe(rules(option::kPut, 1));
  EXPECT_EQ(offer(descriptor, 0, 16), (Offered{0, 16}));
  descriptor.charge();
  EXPECT_TRUE(descriptor.unlink_due());
}

TEST_F(MemoryDescriptorTest, BusyWhileAnOperationMovesItsData) {
  MemoryDescriptor descriptor(rules(option::kPut), false);
  descriptor.begin();
  descriptor.begin();
  descriptor.end();
  EXPECT_TRUE(descriptor.busy());
  descriptor.end();
  EXPECT_FALSE(descriptor.busy());
}

TEST_F(MemoryDescriptorTest, KnowsWhatItIsBusyFor) {
  using Awaits = MemoryDescriptor::Awaits;
  MemoryDescriptor descriptor(rules(option::kPut), false);
  descriptor.begin(Awaits::kAck);
  descriptor.begin(Awaits::kAck);
  EXPECT_TRUE(descriptor.busy() && descriptor.awaits(Awaits::kAck));
  EXPECT_FALSE(descriptor.awaits(Awaits::kReply) || descriptor.awaits(Awaits::kTrigger) ||
               descriptor.data_move());
  descriptor.begin();
  EXPECT_TRUE(descriptor.data_move());
  descriptor.end(Awaits::kAck);
  descriptor.end();
  EXPECT_TRUE(descriptor.awaits(Awaits::kAck));
  EXPECT_FALSE(descriptor.data_move());
  descriptor.end(Awaits::kAck);
  EXPECT_FALSE(descriptor.busy() || descriptor.awaits(Awaits::kAck));
}

}  // namespace
}  // namespace lintel::portals
