#include "portals/engine/protocol/initiator.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <vector>

#include "tests/unit/engine/protocol_parts.h"

namespace lintel::portals {
namespace {

class InitiatorTest : public ::testing::Test, public InitiatorParts {
 protected:
  // The answer to the request that has left last.
  wire::Response answer(wire::MessageKind kind, std::uint64_t length) const {
    const wire::Request request = wire::parse_request(transport.sent.back().bytes);
    wire::Response made{};
    made.header = {wire::kMessageVersion, static_cast<std::uint8_t>(kind), 0, kKind, 0};
    made.requested_length = request.length;
    made.manipulated_length = length;
    made.md_handle = request.md_handle;
    made.md_generation = request.md_generation;
    made.request_token = request.sender_token;
    return made;
  }
  bool busy() {
    kLock.is_held();
    return interface.descriptors.get(descriptor)->busy();
  }
  // As the endpoint does.
  void lose_peer() {
    kLock.is_held();
    take_unsent();
    while (Operation* operation = operations.first_with(kPeer))
      initiator.fail(*operation, Failure::kPeerDead, false);
  }
};

TEST_F(InitiatorTest, PutThatWantsNoAckLeavesNoRecord) {
  kLock.is_held();
  ASSERT_EQ(initiator.put(interface, arguments()), Status::kOk);
  EXPECT_EQ(transport.take_kinds(), std::vector{wire::MessageKind::kPut});
  EXPECT_EQ(kinds(), std::vector{EventKind::kSendEnd});
  EXPECT_EQ(operations.size(), 0U);
}

TEST_F(InitiatorTest, RequestOfAPutEndsWithItsAck) {
  kLock.is_held();
  ASSERT_EQ(initiator.put(interface, arguments(AckRequest::kFull)), Status::kOk);
  EXPECT_EQ(operations.size(), 1U);
  EXPECT_TRUE(busy());
  initiator.on_ack(kPeer, answer(wire::MessageKind::kAck, 8));
  EXPECT_EQ(kinds(), (std::vector{EventKind::kSendEnd, EventKind::kAck}));
  EXPECT_EQ(last.manipulated_length, 8U);
  EXPECT_EQ(operations.size(), 0U);
  EXPECT_FALSE(busy());
}

TEST_F(InitiatorTest, AckOfAnotherPeerIsDroppedAndCounted) {
  kLock.is_held();
  ASSERT_EQ(initiator.put(interface, arguments(AckRequest::kFull)), Status::kOk);
  initiator.on_ack(transport::PeerId(4), answer(wire::MessageKind::kAck, 8));
  EXPECT_EQ(kinds(), std::vector{EventKind::kSendEnd});
  EXPECT_EQ(interface.registers.dropped(DropCause::kStaleHandle), 1U);
  EXPECT_EQ(operations.size(), 1U);
  initiator.on_ack(kPeer, answer(wire::MessageKind::kAck, 8));
}

TEST_F(InitiatorTest, ReplyIsWrittenToTheDescriptorOfItsGet) {
  kLock.is_held();
  ASSERT_EQ(initiator.get(interface, arguments()), Status::kOk);
  ASSERT_EQ(operations.size(), 1U);
  std::array<std::byte, 8> data;
  data.fill(std::byte{5});
  initiator.on_reply(kPeer, answer(wire::MessageKind::kReply, data.size()), data);
  EXPECT_EQ(transport.take_kinds(), std::vector{wire::MessageKind::kGet});
  EXPECT_TRUE(std::equal(data.begin(), data.end(), memory.begin()));
  EXPECT_EQ(memory[8], std::byte{0});
  EXPECT_EQ(kinds(), std::vector{EventKind::kReplyEnd});
  EXPECT_EQ(operations.size(), 0U);
}

TEST_F(InitiatorTest, RequestOfALostPeerEndsWithAFailure) {
  kLock.is_held();
  ASSERT_EQ(initiator.put(interface, arguments(AckRequest::kFull)), Status::kOk);
  initiator.fail(*operations.first_with(kPeer), Failure::kPeerDead, false);
  EXPECT_EQ(kinds(), (std::vector{EventKind::kSendEnd, EventKind::kAck}));
  EXPECT_EQ(last.failure, Failure::kPeerDead);
  EXPECT_EQ(operations.size(), 0U);
  EXPECT_FALSE(busy());
}

TEST_F(InitiatorTest, PutOfNoDescriptorIsRefused) {
  kLock.is_held();
  RequestArguments wrong = arguments();
  wrong.descriptor = {};
  EXPECT_EQ(initiator.put(interface, wrong), Status::kDescriptorInvalid);
  EXPECT_TRUE(transport.sent.empty());
}

TEST_F(InitiatorTest, OperationBeyondTheLimitFindsNoRoom) {
  kLock.is_held();
  for (std::size_t i = 0; i < kLimit; ++i) {
    EXPECT_TRUE(initiator.has_room(kPeer));
    ASSERT_EQ(initiator.put(interface, arguments(AckRequest::kFull)), Status::kOk);
  }
  EXPECT_FALSE(initiator.has_room(kPeer));
  EXPECT_EQ(initiator.put(interface, arguments(AckRequest::kFull)), Status::kNoSpace);
  lose_peer();
  EXPECT_TRUE(initiator.has_room(kPeer));
}

TEST_F(InitiatorTest, ARequestIsHeldUntilThePeerHasAnsweredTheOnesBefore) {
  kLock.is_held();
  ASSERT_EQ(operations.most_of_peer(), 1U);
  ASSERT_EQ(initiator.put(interface, arguments(AckRequest::kFull)), Status::kOk);
  ASSERT_EQ(initiator.put(interface, arguments(AckRequest::kFull)), Status::kOk);
  ASSERT_EQ(initiator.put(interface, arguments()), Status::kOk) << "of which no answer comes";
  EXPECT_EQ(outbox.retry(), 0U);
  EXPECT_EQ(transport.sent.size(), 1U);
  EXPECT_EQ(outbox.waiting(), 2U) << "puts begin in order";

  initiator.on_ack(kPeer, answer(wire::MessageKind::kAck, 8));
  EXPECT_EQ(outbox.retry(), 2U);
  EXPECT_EQ(transport.sent.size(), 3U);
  lose_peer();
  EXPECT_FALSE(busy());
}

}  // namespace
}  // namespace lintel::portals
