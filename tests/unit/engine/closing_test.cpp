#include <gtest/gtest.h>

#include "portals/engine/protocol/closing.h"
#include "tests/unit/engine/protocol_parts.h"

namespace lintel::portals {
namespace {

class ClosingTest : public ::testing::Test, public InitiatorParts {
 protected:
  void TearDown() override { take_unsent(); }

  Closing closing{transport, interfaces, outbox, transfers, initiator};
};

TEST_F(ClosingTest, RequestsForTheInterfaceAreRefusedFromTheBeginning) {
  kLock.is_held();
  ASSERT_EQ(interfaces.taking_requests(kKind), &interface);
  closing.begin(interface, false);
  EXPECT_EQ(interfaces.taking_requests(kKind), nullptr);
  EXPECT_EQ(interfaces.get(kKind), &interface) << "its answers still arrive";
  EXPECT_FALSE(closing.of_last());
}

TEST_F(ClosingTest, KnowsThatTheLastInterfaceIsClosed) {
  kLock.is_held();
  closing.begin(interface, true);
  EXPECT_TRUE(closing.of_last());
}

TEST_F(ClosingTest, AMessageThatWaitsForRoomMovesWhenItLeaves) {
  kLock.is_held();
  EXPECT_TRUE(closing.drained(interface));
  transport.message_room = 0;
  ASSERT_EQ(initiator.put(interface, arguments()), Status::kOk);
  EXPECT_FALSE(closing.drained(interface));
  const std::uint64_t before = closing.moved(interface);
  EXPECT_EQ(outbox.retry(), 0U);
  EXPECT_EQ(closing.moved(interface), before);
  transport.message_room = 1;
  EXPECT_EQ(outbox.retry(), 1U);
  EXPECT_EQ(closing.moved(interface), before + 1);
  EXPECT_TRUE(closing.drained(interface));
}

}  // namespace
}  // namespace lintel::portals
