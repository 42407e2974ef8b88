#include <gtest/gtest.h>

#include "portals/engine/protocol/closing.h"
#include "tests/unit/engine/protocol_parts.h"

namespace lintel::portals {
namespace {

class ClosingTest : public ::testing::Test, public ProtocolParts {
 protected:
  void SetUp() override {
    kLock.is_held();
    ASSERT_EQ(interface.entries.bind_descriptor(rules(0), false, descriptor), Status::kOk);
  }
  void TearDown() override {
    kLock.is_held();
    outbox.take(kPeer, [this](Outbox::Unsent& unsent) {
      kLock.is_held();
      interface.close(unsent.completion, Failure::kPeerDead);
    });
  }
  void put() {
    kLock.is_held();
    RequestArguments arguments;
    arguments.descriptor = descriptor;
    arguments.whole_descriptor = false;
    arguments.length = 8;
    arguments.target = kPeerName;
    ASSERT_EQ(initiator.put(interface, arguments), Status::kOk);
  }

  Initiator initiator{limits,     transport.attributes().max_message_bytes,
                      peers,      outbox,
                      operations, transfers,
                      interfaces, counters};
  Closing closing{transport, interfaces, outbox, transfers, initiator};
  SlotId descriptor;
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
  put();
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
