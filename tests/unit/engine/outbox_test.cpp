#include "portals/engine/protocol/outbox.h"

#include <gtest/gtest.h>

#include <array>
#include <deque>
#include <vector>

#include "portals/engine/protocol/transfer_records.h"
#include "tests/unit/engine/recording_transport.h"

namespace lintel::portals {
namespace {

class OutboxTest : public ::testing::Test {
 protected:
  static constexpr transport::PeerId kPeer{3};
  static constexpr transport::PeerId kOther{4};

  // Sends the request of an operation.
  void send_get(Operation& operation) {
    kLock.is_held();
    wire::Request request{};
    request.header = {wire::kMessageVersion, static_cast<std::uint8_t>(wire::MessageKind::kGet), 0,
                      operation.interface_kind, 0};
    outbox.send(operation.peer, request, {}, nullptr, &operation);
  }
  // The same, of an operation with that id, which is in no table.
  void send_get(transport::PeerId to, SlotId id, std::uint8_t interface_kind = 1) {
    kLock.is_held();
    operations.make_room(to);
    made.emplace_back(to, interface_kind, true).id = id;
    send_get(made.back());
  }
  void send_ack(transport::PeerId to, std::uint8_t interface_kind = 1) {
    kLock.is_held();
    wire::Response response{};
    response.header = {wire::kMessageVersion, static_cast<std::uint8_t>(wire::MessageKind::kAck), 0,
                       interface_kind, 0};
    outbox.send(to, response);
  }

  RecordingTransport transport;
  Counters counters;
  // Removes what waits for the peer, and returns it.
  std::vector<Outbox::Unsent> take(transport::PeerId peer) {
    kLock.is_held();
    std::vector<Outbox::Unsent> unsent;
    outbox.take(peer, [&](Outbox::Unsent& message) { unsent.push_back(std::move(message)); });
    return unsent;
  }

  static constexpr std::size_t kAnswerLimit = 40'000;
  Operations operations{transport, 16};
  std::deque<Operation> made;
  Outbox outbox{transport, operations, counters, kAnswerLimit};
};

TEST_F(OutboxTest, AMessageThatFindsRoomLeavesAtOnce) {
  kLock.is_held();
  send_get(kPeer, {1, 1});
  EXPECT_EQ(transport.take_kinds(), std::vector{wire::MessageKind::kGet});
  EXPECT_TRUE(outbox.idle());
}

TEST_F(OutboxTest, WhatWaitsKeepsTheOrderToItsPeer) {
  kLock.is_held();
  transport.message_room = 0;
  send_get(kPeer, {1, 1});
  transport.message_room = 10;
  send_ack(kPeer);  // behind the one that waits
  EXPECT_EQ(outbox.waiting(), 2U);
  EXPECT_TRUE(transport.sent.empty());
  EXPECT_EQ(outbox.retry(), 2U);
  EXPECT_EQ(transport.take_kinds(),
            (std::vector{wire::MessageKind::kGet, wire::MessageKind::kAck}));
  EXPECT_EQ(outbox.left_of(1), 1U);
}

TEST_F(OutboxTest, AnswersDoNotWaitBehindARequestThatIsHeld) {
  kLock.is_held();
  TransferSource part;
  std::array<Operation*, 2> asking{};
  for (Operation*& operation : asking) {
    operation = operations.create(kPeer, 1, true);
    operation->source = &part;
    operation->answer_bytes = Operations::kAnswerCredit;
    send_get(*operation);
  }
  send_ack(kPeer);
  EXPECT_EQ(transport.take_kinds(),
            (std::vector{wire::MessageKind::kGet, wire::MessageKind::kAck}));
  EXPECT_EQ(outbox.waiting(), 1U);
  EXPECT_EQ(outbox.retry(), 0U);
  asking[0]->source = nullptr;
  operations.release(*asking[0]);
  EXPECT_EQ(outbox.retry(), 1U);
  EXPECT_EQ(transport.take_kinds(), std::vector{wire::MessageKind::kGet});
}

TEST_F(OutboxTest, AReplyTooLongToBeKeptWithoutItsInterfaceIsSentAsAFailure) {
  kLock.is_held();
  std::vector<std::byte> memory(kAnswerLimit / 4);
  const MemoryRegion region(memory.data(), memory.size());
  transport.message_room = 0;
  wire::Response reply{};
  reply.header = {wire::kMessageVersion, static_cast<std::uint8_t>(wire::MessageKind::kReply), 0, 1,
                  static_cast<std::uint32_t>(memory.size())};
  reply.requested_length = reply.manipulated_length = memory.size();
  outbox.send(kPeer, reply, {.region = &region, .offset = 0, .length = memory.size(), .bytes = {}});
  outbox.withdraw(1, [](const Outbox::Unsent&) { ADD_FAILURE() << "an answer was taken back"; });
  EXPECT_LT(outbox.answers().total(), kAnswerLimit / 4);
  transport.message_room = 1;
  EXPECT_EQ(outbox.retry(), 1U);
  wire::MessageHeader header;
  const std::vector<std::byte>& sent = transport.sent.at(0).bytes;
  ASSERT_TRUE(wire::parse_header(sent, header));
  const wire::Response failed = wire::parse_response(sent);
  EXPECT_EQ(failed.failure, static_cast<std::uint8_t>(Failure::kNoInterface));
  EXPECT_EQ(failed.manipulated_length, 0U);
}

TEST_F(OutboxTest, APeerThatReadsNoAnswersOverdrawsItsQuarter) {
  kLock.is_held();
  transport.message_room = 0;
  send_ack(kOther);
  const std::size_t each = outbox.answers().total();
  for (std::size_t kept = 0; kept + each <= kAnswerLimit / 4; kept += each) {
    EXPECT_EQ(outbox.answers().overdrawn(), transport::kNoPeer) << kept;
    send_ack(kPeer);
  }
  send_ack(kPeer);
  EXPECT_EQ(outbox.answers().overdrawn(), kPeer);
  take(kPeer);
  EXPECT_EQ(outbox.answers().overdrawn(), transport::kNoPeer);
  EXPECT_EQ(outbox.answers().total(), each) << "of the other peer";
  take(kOther);
}

TEST_F(OutboxTest, RequestsOfThisProcessOverdrawNothing) {
  kLock.is_held();
  transport.message_room = 0;
  for (std::uint32_t i = 0; i < 1000; ++i) send_get(kPeer, {i, 1});
  EXPECT_EQ(outbox.answers().total(), 0U);
  take(kPeer);
}

TEST_F(OutboxTest, TransfersThatThisProcessBeganOverdrawNothing) {
  kLock.is_held();
  transport.message_room = 0;
  wire::Written written{};
  written.header = {wire::kMessageVersion, static_cast<std::uint8_t>(wire::MessageKind::kWritten),
                    0, 1, 0};
  const Operation own(kPeer, 1, true), others(kPeer, 1, false);
  for (int i = 0; i < 1000; ++i) outbox.send_of(own, written);
  EXPECT_EQ(outbox.answers().total(), 0U);
  outbox.send_of(others, written);
  EXPECT_GT(outbox.answers().total(), 0U) << "the peer has asked for it";
  take(kPeer);
  EXPECT_EQ(outbox.answers().total(), 0U);
}

TEST_F(OutboxTest, AnswersThatLeaveAreNotKeptAnyMore) {
  kLock.is_held();
  transport.message_room = 0;
  send_ack(kPeer);
  send_ack(kPeer);
  transport.message_room = 10;
  EXPECT_EQ(outbox.retry(), 2U);
  EXPECT_EQ(outbox.answers().total(), 0U);
}

TEST(AnswerBudgetTest, WhereAllTogetherOverdrawTheOneWithTheMostIsGivenUp) {
  AnswerBudget budget(1000);
  budget.make_room(transport::PeerId(4));
  for (std::uint32_t peer = 0; peer < 5; ++peer) budget.keep(transport::PeerId(peer), 190);
  budget.keep(transport::PeerId(2), 20);
  EXPECT_EQ(budget.overdrawn(), transport::kNoPeer);
  budget.keep(transport::PeerId(4), 40);
  EXPECT_EQ(budget.overdrawn(), transport::PeerId(4));
  budget.release(transport::PeerId(4), 230);
  EXPECT_EQ(budget.overdrawn(), transport::kNoPeer);
}

// Several peers have overdrawn the whole since the one with the most was found.
TEST(AnswerBudgetTest, PeersAreGivenUpOneAfterTheOtherUntilTheRestFits) {
  AnswerBudget budget(1000);
  budget.make_room(transport::PeerId(9));
  budget.keep(transport::PeerId(0), 150);
  for (std::uint32_t peer = 1; peer < 10; ++peer) budget.keep(transport::PeerId(peer), 94);
  for (std::uint32_t peer = 1; peer < 10; ++peer) budget.keep(transport::PeerId(peer), 50);
  std::size_t given_up = 0;
  while (budget.overdrawn() != transport::kNoPeer) {
    const std::size_t kept = budget.kept_for(budget.overdrawn());
    ASSERT_GT(kept, 0U) << "a peer that is given up has something";
    budget.release(budget.overdrawn(), kept);
    ++given_up;
  }
  EXPECT_LE(budget.total(), 1000U);
  EXPECT_EQ(given_up, 4U);
}

TEST_F(OutboxTest, WhatWaitsForALostPeerIsReturnedOldestFirst) {
  kLock.is_held();
  transport.message_room = 0;
  send_get(kPeer, {1, 1});
  send_get(kOther, {2, 1});
  send_get(kPeer, {3, 1});
  const std::vector<Outbox::Unsent> unsent = take(kPeer);
  ASSERT_EQ(unsent.size(), 2U);
  EXPECT_EQ(unsent[0].operation, (SlotId{1, 1}));
  EXPECT_EQ(unsent[1].operation, (SlotId{3, 1}));
  EXPECT_FALSE(outbox.waits_for(kPeer));
  std::size_t others = 0;
  outbox.take_all([&](const Outbox::Unsent&) { ++others; });
  EXPECT_EQ(others, 1U);
  EXPECT_TRUE(outbox.idle());
}

TEST_F(OutboxTest, AnInterfaceTakesItsRequestsBackAndItsAnswersLeave) {
  kLock.is_held();
  transport.message_room = 0;
  send_get(kPeer, {1, 1});
  send_ack(kPeer);
  send_get(kPeer, {2, 1}, 2);
  EXPECT_EQ(outbox.waiting_of(1), 1U);
  std::size_t withdrawn = 0;
  outbox.withdraw(1, [&](const Outbox::Unsent&) { ++withdrawn; });
  EXPECT_EQ(withdrawn, 1U);
  EXPECT_EQ(outbox.waiting_of(1), 0U);
  transport.message_room = 10;
  outbox.retry();
  EXPECT_EQ(transport.take_kinds(),
            (std::vector{wire::MessageKind::kAck, wire::MessageKind::kGet}));
}

}  // namespace
}  // namespace lintel::portals
