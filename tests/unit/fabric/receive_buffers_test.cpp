// When a buffer may be posted again. Posting is tested with real providers, in tests/fabric.
#include "transport/fabric/receive_buffers.h"

#include <gtest/gtest.h>

namespace lintel::transport {
namespace {

class ReceiveBuffersTest : public ::testing::Test {
 protected:
  static constexpr std::size_t kBytes = 4096;
  static constexpr TimePoint kNow{5000000000};

  void SetUp() override {
    ASSERT_TRUE(buffers.allocate(kBytes).ok());
    receive->state = OperationState::kInFlight;
  }
  // A message of which only the length counts.
  static std::span<const std::byte> message(std::size_t bytes) {
    static const std::byte room[kBytes]{};
    return {room, bytes};
  }

  OperationTable operations{1, 0, 0, 0};
  FabricOperation* receive = operations.take(OperationKind::kReceive);
  ReceiveBuffers buffers{operations};
};

TEST_F(ReceiveBuffersTest, ABufferIsNotPostedAgainWhileTheProviderFillsIt) {
  buffers.take(*receive, 0, message(100), kNow);
  EXPECT_FALSE(buffers.must_repost());
}

TEST_F(ReceiveBuffersTest, ABufferThatTheProviderReleasesAfterItsMessagesIsPostedAgain) {
  buffers.take(*receive, 0, message(100), kNow);
  buffers.take(*receive, FI_MULTI_RECV, {}, kNow);
  EXPECT_TRUE(buffers.must_repost());
  EXPECT_EQ(receive->state, OperationState::kFree);
}

TEST_F(ReceiveBuffersTest, ATornBufferIsReleasedAfterTheGrace) {
  buffers.take(*receive, 0, message(100), kNow);
  buffers.tear(*receive, FI_MULTI_RECV, kNow);
  EXPECT_TRUE(buffers.has_torn());
  buffers.release_torn(kNow + ReceiveBuffers::kTornGrace / 2);
  EXPECT_FALSE(buffers.must_repost());
  EXPECT_TRUE(buffers.has_torn());
  buffers.release_torn(kNow + ReceiveBuffers::kTornGrace);
  EXPECT_TRUE(buffers.must_repost());
  EXPECT_FALSE(buffers.has_torn());
}

TEST_F(ReceiveBuffersTest, ATornBufferThatTheProviderHasNotFilledStays) {
  buffers.tear(*receive, 0, kNow);
  buffers.release_torn(kNow + 2 * ReceiveBuffers::kTornGrace);
  EXPECT_FALSE(buffers.must_repost());
  EXPECT_TRUE(buffers.has_torn());
}

}  // namespace
}  // namespace lintel::transport
