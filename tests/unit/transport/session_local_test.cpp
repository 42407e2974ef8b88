// Messages and writes of a process to itself.

#include "tests/unit/transport/session_fixture.h"

namespace lintel::transport {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class SessionLocal : public SessionTest {
 protected:
  SessionLocal() { restart({}); }
  void restart(const SessionOptions& options) {
    start(options);
    local = *session->resolve(kSelf);
  }
  PostStatus write(const std::byte* from, std::byte* to, std::size_t length, std::uint32_t number,
                   std::uint64_t key) {
    return session->post_write(local, {from, length, {}},
                               {key, reinterpret_cast<std::uintptr_t>(to)}, Immediate{number},
                               Context{number});
  }
  PeerId local;
};

TEST_F(SessionLocal, MessageToOneselfComesWithTheNextPollAndNeverTouchesTheLowerTransport) {
  EXPECT_EQ(send(local, "a"), PostStatus::kOk);
  EXPECT_THAT(sink.log, IsEmpty());
  EXPECT_FALSE(session->prepare_wait());
  EXPECT_EQ(session->next_deadline(), now);
  poll();
  EXPECT_THAT(sink.take(), ElementsAre("message 1 a", "left 1"));
  EXPECT_TRUE(session->prepare_wait());
  EXPECT_THAT(fake->sent, IsEmpty());
  EXPECT_EQ(fake->lent(), 0U);
}

TEST_F(SessionLocal, MessagesCommittedWhileDeliveringComeWithThePollAfter) {
  sink.answer = [this](PeerId, std::span<const std::byte>) { send(local, "again"); };
  send(local, "a");
  poll();
  EXPECT_THAT(sink.messages, ElementsAre("a"));
  poll();
  EXPECT_THAT(sink.messages, ElementsAre("a", "again"));
}

TEST_F(SessionLocal, MessagesKeepTheirOrderAndTheirAlignment) {
  std::vector<std::string> expected;
  sink.answer = [](PeerId, std::span<const std::byte> message) {
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(message.data()) % 8, 0U);
  };
  for (int round = 0; round < 50; ++round) {
    for (int i = 0; i < 100; ++i) {
      expected.push_back(std::string(static_cast<std::size_t>(i * 7 % 300), 'x') +
                         std::to_string(i));
      ASSERT_EQ(send(local, expected.back()), PostStatus::kOk);
    }
    poll();
  }
  EXPECT_EQ(sink.messages, expected);
}

TEST_F(SessionLocal, LargestMessageFits) {
  const std::string message(session->attributes().max_message_bytes, 'x');
  EXPECT_EQ(send(local, message), PostStatus::kOk);
  poll();
  EXPECT_THAT(sink.messages, ElementsAre(message));
}

TEST_F(SessionLocal, MoreMessagesThanTheBoundWouldBlock) {
  restart({.max_local_messages = 3});
  for (int i = 0; i < 3; ++i) EXPECT_EQ(send(local, "x"), PostStatus::kOk);
  EXPECT_EQ(send(local, "x"), PostStatus::kWouldBlock);
  poll();
  EXPECT_EQ(send(local, "x"), PostStatus::kOk);
}

TEST_F(SessionLocal, MoreBytesThanTheBlocksHoldWouldBlock) {
  const std::string message(session->attributes().max_message_bytes, 'x');
  for (std::size_t i = 0; i < LocalLoop::kMaxBlocks; ++i)
    EXPECT_EQ(send(local, message), PostStatus::kOk);
  EXPECT_EQ(send(local, message), PostStatus::kWouldBlock);
  poll();
  EXPECT_EQ(sink.messages.size(), LocalLoop::kMaxBlocks);
  EXPECT_EQ(send(local, message), PostStatus::kOk);
}

TEST_F(SessionLocal, AbandonedMessageIsForgotten) {
  const MessageBuffer buffer = session->reserve(local, 8);
  session->abandon(local, buffer);
  send(local, "a");
  poll();
  EXPECT_THAT(sink.messages, ElementsAre("a"));
}

TEST_F(SessionLocal, WriteHappensWithTheNextPollThenImmediateThenDone) {
  std::byte from[4] = {std::byte{1}, std::byte{2}, std::byte{3}, std::byte{4}};
  std::byte to[4] = {};
  const Registration region = *session->register_memory(local, to, Access::kWriteTarget);
  EXPECT_NE(region.key, 0U);
  EXPECT_EQ(region.base, reinterpret_cast<std::uintptr_t>(to));
  EXPECT_EQ(write(from, to, 4, 9, region.key), PostStatus::kOk);
  EXPECT_EQ(to[0], std::byte{0});
  poll();
  EXPECT_THAT(sink.take(), ElementsAre("immediate 9", "write_done 9"));
  EXPECT_EQ(std::memcmp(from, to, 4), 0);
  EXPECT_EQ(fake->writes, 0);
  session->deregister_memory(region);
}

TEST_F(SessionLocal, WriteMayOverlapItsSource) {
  std::byte memory[6] = {std::byte{1}, std::byte{2}, std::byte{3},
                         std::byte{4}, std::byte{5}, std::byte{6}};
  const Registration region = *session->register_memory(local, memory, Access::kWriteTarget);
  write(memory, memory + 2, 4, 1, region.key);
  poll();
  EXPECT_EQ(memory[2], std::byte{1});
  EXPECT_EQ(memory[5], std::byte{4});
  session->deregister_memory(region);
}

TEST_F(SessionLocal, DeregisteredMemoryIsNotWritten) {
  std::byte from[4] = {std::byte{1}};
  std::byte to[4] = {};
  const Registration region = *session->register_memory(local, to, Access::kWriteTarget);
  write(from, to, 4, 9, region.key);
  session->deregister_memory(region);
  poll();
  EXPECT_EQ(to[0], std::byte{0});
  EXPECT_THAT(sink.take(), ElementsAre("write_done 9 the memory of the write is not registered"));
}

TEST_F(SessionLocal, WriteToMemoryThatIsNoLongerRegisteredTouchesNothingAndEnds) {
  std::byte from[4] = {std::byte{1}};
  std::byte to[4] = {};
  const Registration region = *session->register_memory(local, to, Access::kWriteTarget);
  session->deregister_memory(region);
  EXPECT_EQ(write(from, to, 4, 9, region.key), PostStatus::kOk);
  poll();
  EXPECT_EQ(to[0], std::byte{0});
  EXPECT_THAT(sink.take(), ElementsAre("write_done 9 the memory of the write is not registered"));
}

// Its slot has another generation now, and the key of the earlier registration names nothing.
TEST_F(SessionLocal, WriteToARegistrationThatHasGoneTouchesNothingThatIsRegisteredNow) {
  std::byte from[4] = {std::byte{1}};
  std::byte to[4] = {};
  const Registration old = *session->register_memory(local, to, Access::kWriteTarget);
  session->deregister_memory(old);
  std::vector<Registration> all;
  for (int i = 0; i < 200; ++i)
    all.push_back(*session->register_memory(local, to, Access::kWriteTarget));
  write(from, to, 4, 9, old.key);
  poll();
  EXPECT_EQ(to[0], std::byte{0});
  EXPECT_THAT(sink.take(), ElementsAre("write_done 9 the memory of the write is not registered"));
  for (const Registration& region : all) session->deregister_memory(region);
}

TEST_F(SessionLocal, WriteWithAKeyOfAnotherTransportTouchesNothing) {
  std::byte from[4] = {std::byte{1}};
  std::byte to[4] = {};
  const Registration region = *session->register_memory(local, to, Access::kWriteTarget);
  write(from, to, 4, 8, 0);
  write(from, to, 4, 9, region.key & ~LocalLoop::kLocalRegion);
  poll();
  EXPECT_EQ(to[0], std::byte{0});
  EXPECT_THAT(sink.take(), ElementsAre("write_done 8 the memory of the write is not registered",
                                       "write_done 9 the memory of the write is not registered"));
  session->deregister_memory(region);
}

TEST_F(SessionLocal, AnotherWriteOfTheSameBytesOutlivesADeregistration) {
  std::byte from[4] = {std::byte{1}};
  std::byte to[4] = {};
  const Registration first = *session->register_memory(local, to, Access::kWriteTarget);
  const Registration second = *session->register_memory(local, to, Access::kWriteTarget);
  write(from, to, 4, 8, first.key);
  write(from, to, 4, 9, second.key);
  session->deregister_memory(first);
  poll();
  EXPECT_EQ(to[0], std::byte{1});
  EXPECT_THAT(sink.take(), ElementsAre("write_done 8 the memory of the write is not registered",
                                       "immediate 9", "write_done 9"));
  session->deregister_memory(second);
}

TEST_F(SessionLocal, MoreWritesThanTheBoundWouldBlock) {
  restart({.max_local_messages = 2});
  std::byte from[1] = {};
  std::byte to[1] = {};
  const Registration region = *session->register_memory(local, to, Access::kWriteTarget);
  EXPECT_EQ(write(from, to, 1, 1, region.key), PostStatus::kOk);
  EXPECT_EQ(write(from, to, 1, 2, region.key), PostStatus::kOk);
  EXPECT_EQ(write(from, to, 1, 3, region.key), PostStatus::kWouldBlock);
  poll();
  EXPECT_EQ(write(from, to, 1, 3, region.key), PostStatus::kOk);
  session->deregister_memory(region);
}

TEST_F(SessionLocal, CloseWaitsForMessagesToOneself) {
  send(local, "a");
  EXPECT_FALSE(session->close(now));
  poll();
  EXPECT_TRUE(session->close(now));
  EXPECT_THAT(sink.messages, ElementsAre("a"));
}

TEST_F(SessionLocal, OneselfIsNeverWatched) {
  session->watch(local, true);
  poll();
  EXPECT_EQ(session->next_deadline(), kNever);
}

}  // namespace
}  // namespace lintel::transport
