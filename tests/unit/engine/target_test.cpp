#include "portals/engine/protocol/target.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <vector>

#include "tests/unit/engine/protocol_parts.h"

namespace lintel::portals {
namespace {

class TargetTest : public ::testing::Test, public TargetParts {
 protected:
  void SetUp() override { data.fill(std::byte{5}); }
  wire::Request request(wire::MessageKind kind, unsigned flags, std::uint64_t length) const {
    wire::Request made{};
    made.header = {wire::kMessageVersion, static_cast<std::uint8_t>(kind),
                   static_cast<std::uint8_t>(flags), kKind, 0};
    made.initiator_nid = kPeerName.nid.value;
    made.initiator_pid = kPeerName.pid.value;
    made.portal_index = portal;
    made.match_bits = kBits;
    made.length = length;
    made.sender_token = 42;
    return made;
  }
  wire::Request put(unsigned flags) const {
    return request(wire::MessageKind::kPut, flags, data.size());
  }
  wire::Response sent_response() const { return wire::parse_response(transport.sent.back().bytes); }

  Target target{limits,  transport.attributes().max_message_bytes, outbox, operations, transfers,
                counters};
  std::array<std::byte, 8> data;
};

TEST_F(TargetTest, PutIsWrittenToTheEntryThatMatches) {
  kLock.is_held();
  append(rules(option::kPut));
  target.on_put(interface, kPeer, put(0), data);
  EXPECT_TRUE(std::equal(data.begin(), data.end(), memory.begin()));
  EXPECT_EQ(kinds(), std::vector{EventKind::kPutEnd});
  EXPECT_EQ(last.initiator, kPeerName);
  EXPECT_TRUE(transport.sent.empty());
}

TEST_F(TargetTest, AckIsSentIfItIsWanted) {
  kLock.is_held();
  append(rules(option::kPut));
  target.on_put(interface, kPeer, put(wire::kFlagAckWanted | wire::kFlagTracked), data);
  ASSERT_EQ(transport.sent.size(), 1U);
  EXPECT_EQ(sent_response().manipulated_length, data.size());
  EXPECT_EQ(sent_response().request_token, 42U);
  EXPECT_EQ(transport.take_kinds(), std::vector{wire::MessageKind::kAck});
}

TEST_F(TargetTest, PutWithoutAMatchIsCountedAndRefused) {
  kLock.is_held();
  target.on_put(interface, kPeer, put(wire::kFlagAckWanted | wire::kFlagTracked), data);
  EXPECT_EQ(interface.registers.dropped(DropCause::kNoMatch), 1U);
  ASSERT_EQ(transport.sent.size(), 1U);
  EXPECT_EQ(sent_response().failure, static_cast<std::uint8_t>(Failure::kDropped));
  EXPECT_TRUE(kinds().empty());
}

TEST_F(TargetTest, OperationThatTheEntryDoesNotAllowIsRefused) {
  kLock.is_held();
  append(rules(option::kPut));
  target.on_get(interface, kPeer, request(wire::MessageKind::kGet, wire::kFlagTracked, data.size()),
                {});
  EXPECT_EQ(interface.registers.dropped(DropCause::kOperation), 1U);
  ASSERT_EQ(transport.sent.size(), 1U);
  EXPECT_EQ(sent_response().failure, static_cast<std::uint8_t>(Failure::kOperation));
}

TEST_F(TargetTest, ReplyCarriesTheDataOfAShortGet) {
  kLock.is_held();
  append(rules(option::kGet));
  std::copy(data.begin(), data.end(), memory.begin());
  target.on_get(interface, kPeer, request(wire::MessageKind::kGet, wire::kFlagTracked, data.size()),
                {});
  ASSERT_EQ(transport.sent.size(), 1U);
  EXPECT_EQ(sent_response().manipulated_length, data.size());
  const std::vector<std::byte>& reply = transport.sent.back().bytes;
  EXPECT_TRUE(std::equal(data.begin(), data.end(), reply.end() - 8));
  EXPECT_EQ(kinds(), std::vector{EventKind::kGetEnd});
}

TEST_F(TargetTest, AnnouncedPutIsAnsweredByClear) {
  kLock.is_held();
  append(rules(option::kPut));
  target.on_put(
      interface, kPeer,
      request(wire::MessageKind::kPut, wire::kFlagAnnounced | wire::kFlagTracked, memory.size()),
      {});
  EXPECT_EQ(transport.take_kinds(), std::vector{wire::MessageKind::kClear});
  EXPECT_EQ(transport.registered, 1U);
  ASSERT_EQ(operations.size(), 1U);
  EXPECT_TRUE(kinds().empty());
  transfers.fail(*operations.first_with(kPeer), Failure::kPeerDead);
  EXPECT_EQ(kinds(), std::vector{EventKind::kPutEnd});
  EXPECT_EQ(last.failure, Failure::kPeerDead);
  EXPECT_EQ(transport.registered, 0U);
}

}  // namespace
}  // namespace lintel::portals
