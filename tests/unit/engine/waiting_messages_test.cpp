#include "portals/engine/protocol/waiting_messages.h"

#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <utility>
#include <vector>

#include "portals/engine/wire/wire_codec.h"
#include "tests/unit/engine/recording_transport.h"

namespace lintel::portals {
namespace {

class WaitingMessagesTest : public ::testing::Test {
 protected:
  static constexpr transport::PeerId kPeer{3};
  static constexpr transport::PeerId kOther{4};
  static constexpr std::uint8_t kKind = 1;

  static WaitingMessages::Message request(SlotId operation = {}) {
    wire::Request fixed{};
    fixed.header = {wire::kMessageVersion, static_cast<std::uint8_t>(wire::MessageKind::kGet), 0,
                    kKind, 0};
    return message_of(fixed, operation);
  }
  static WaitingMessages::Message reply(std::uint8_t kind = kKind) {
    wire::Response fixed{};
    fixed.header = {wire::kMessageVersion, static_cast<std::uint8_t>(wire::MessageKind::kReply), 0,
                    kind, 0};
    return message_of(fixed, {});
  }
  template <class Fixed>
  static WaitingMessages::Message message_of(const Fixed& fixed, SlotId operation) {
    auto made = std::make_unique<WaitingMessage>();
    wire::encode(fixed, made->fixed);
    made->fixed_size = wire::fixed_size(fixed);
    made->operation = operation;
    return made;
  }
  void add(transport::PeerId peer, WaitingMessages::Message message) {
    kLock.is_held();
    waiting.make_room(peer);
    waiting.add(peer, std::move(message));
  }
  // Sends as many as `room` allows. Returns the kinds of what has left.
  std::vector<wire::MessageKind> send(std::size_t room) {
    kLock.is_held();
    std::vector<wire::MessageKind> kinds;
    waiting.send_all(
        [&room](transport::PeerId, const WaitingMessage&) { return room > 0 && room-- > 0; },
        [&kinds](const WaitingMessage& sent) {
          kinds.push_back(static_cast<wire::MessageKind>(sent.header().kind));
        });
    return kinds;
  }

  void TearDown() override {
    kLock.is_held();
    for (const transport::PeerId peer : {kPeer, kOther})
      waiting.take(peer, [](const WaitingMessage&) {});
  }

  RecordingTransport transport;
  Operations operations{transport, 16};
  WaitingMessages waiting{operations, 40'000};
};

TEST_F(WaitingMessagesTest, MessagesLeaveInOrderWhileThereIsRoom) {
  kLock.is_held();
  add(kPeer, reply());
  add(kPeer, request());
  EXPECT_TRUE(waiting.blocks_answers_to(kPeer));
  EXPECT_FALSE(waiting.waits_for(kOther));
  EXPECT_EQ(send(1), std::vector{wire::MessageKind::kReply});
  EXPECT_EQ(send(1), std::vector{wire::MessageKind::kGet});
  EXPECT_TRUE(waiting.empty());
}

TEST_F(WaitingMessagesTest, ARequestThatIsHeldBlocksNoAnswer) {
  kLock.is_held();
  std::array<Operation*, 2> asking;
  for (Operation*& operation : asking) {
    operation = operations.create(kPeer, kKind, true);
    ASSERT_NE(operation, nullptr);
    operation->answer_bytes = Operations::kAnswerCredit;
  }
  operations.ask(*asking[0]);
  add(kPeer, request(asking[1]->id));
  EXPECT_TRUE(waiting.waits_for(kPeer));
  EXPECT_FALSE(waiting.blocks_answers_to(kPeer));
  EXPECT_TRUE(send(1).empty());
  operations.release(*asking[0]);
  EXPECT_EQ(send(1), std::vector{wire::MessageKind::kGet});
  EXPECT_EQ(waiting.left_of(kKind), 1U);
  operations.release(*asking[1]);
}

TEST_F(WaitingMessagesTest, AnAnswerCountsInTheBudgetWhileItWaits) {
  kLock.is_held();
  add(kPeer, reply());
  add(kPeer, request());
  EXPECT_EQ(waiting.answers().kept_for(kPeer), sizeof(WaitingMessage));
  send(2);
  EXPECT_EQ(waiting.answers().kept_for(kPeer), 0U);
}

TEST_F(WaitingMessagesTest, WithdrawingKeepsTheAnswersOfTheInterfaceWithACopyOfTheirBytes) {
  kLock.is_held();
  std::array<std::byte, 8> memory{};
  WaitingMessages::Message answer = reply();
  answer->from_region = true;
  answer->region = MemoryRegion(memory.data(), memory.size());
  answer->length = memory.size();
  add(kPeer, std::move(answer));
  add(kPeer, request());
  add(kOther, reply(kKind + 1));
  int removed = 0;
  int closed = 0;
  waiting.withdraw(
      kKind, [&removed](const WaitingMessage&) { ++removed; },
      [&closed](const Completion&) { ++closed; });
  EXPECT_EQ(removed, 1);
  EXPECT_EQ(closed, 1);
  EXPECT_EQ(waiting.size(), 2U);
  waiting.take(kPeer, [&memory](const WaitingMessage& kept) {
    EXPECT_FALSE(kept.from_region);
    EXPECT_EQ(kept.bytes.size(), memory.size());
  });
}

}  // namespace
}  // namespace lintel::portals
