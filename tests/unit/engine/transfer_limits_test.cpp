#include "portals/engine/protocol/transfer_limits.h"

#include <gtest/gtest.h>

namespace lintel::portals {
namespace {

transport::TransportAttributes network_of(std::size_t message) {
  transport::TransportAttributes network;
  network.max_message_bytes = message;
  network.max_placed_bytes = 5;
  return network;
}

TEST(TransferLimitsTest, EagerDataAreWhatIsWishedForAndTheNetworkCarries) {
  EXPECT_EQ(TransferLimits::of(100, network_of(4096)).eager, 100U);
  EXPECT_EQ(TransferLimits::of(8192, network_of(4096)).eager, 4096 - sizeof(wire::Response));
  EXPECT_EQ(TransferLimits::of(100, network_of(4096)).placed, 5U);
}

TEST(TransferLimitsTest, AnAtomicHasRoomAlsoBelowAVerySmallEagerLimit) {
  EXPECT_EQ(TransferLimits::of(0, network_of(4096)).atomic, TransferLimits::kLeastAtomic);
  EXPECT_EQ(TransferLimits::of(8192, network_of(4096)).atomic, 4096 - sizeof(wire::Request));
}

TEST(TransferLimitsTest, AReplyIsNoLongerThanTheRulesOfItsInterfaceWant) {
  const TransferLimits limits = TransferLimits::of(2000, network_of(4096));
  EXPECT_EQ(limits.reply(UINT64_MAX), 2000U);
  EXPECT_EQ(limits.reply(1000), 1000U);
}

}  // namespace
}  // namespace lintel::portals
