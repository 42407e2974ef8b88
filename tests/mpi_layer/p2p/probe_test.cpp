// Probes see the message that a receive would get; matched probes take it.

#include "tests/mpi_layer/p2p/p2p_test.h"

namespace lintel::testing {
namespace {

using mpi::MatchedMessage;
using mpi::MessageResult;

class Probe : public P2pTest {
 protected:
  Probe() { start(); }
  bool found(std::size_t rank, std::int32_t source, std::int32_t tag, MessageResult& envelope,
             std::uint32_t context = 1) {
    bool there = false;
    EXPECT_EQ(at(rank).iprobe({source, context, tag}, there, envelope), CallError::kNone);
    return there;
  }
  Transfer& receive_matched(std::size_t rank, MatchedMessage& message, std::uint64_t capacity) {
    Transfer& made = this->message(rank, capacity);
    EXPECT_EQ(at(rank).receive_matched(message, made.buffer.data(), capacity, made.as_receive()),
              CallError::kNone);
    return made;
  }
};

TEST_F(Probe, TellsSourceTagAndLengthOfTheWholeMessage) {
  MessageResult envelope;
  EXPECT_FALSE(found(1, 0, 5, envelope));
  for (const std::uint64_t length : {0U, 8U, 1024U, 1025U, 50'000U}) {
    Transfer& sent = send(0, 1, length);
    job->settle();
    ASSERT_TRUE(found(1, kAnySource, kAnyTag, envelope)) << length;
    EXPECT_EQ(envelope.source, 0);
    EXPECT_EQ(envelope.tag, 5);
    EXPECT_EQ(envelope.length, length);
    EXPECT_FALSE(found(1, 0, 6, envelope));
    EXPECT_FALSE(found(1, 1, 5, envelope));
    EXPECT_FALSE(found(1, 0, 5, envelope, 2));
    EXPECT_TRUE(arrived(sent, receive(1, 0, length)));
    EXPECT_FALSE(found(1, kAnySource, kAnyTag, envelope));
  }
}

TEST_F(Probe, DoesNotSeeWhatAPostedReceiveHasGot) {
  Transfer& received = receive(1, 0, 8);
  EXPECT_TRUE(arrived(send(0, 1, 8), received));
  MessageResult envelope;
  EXPECT_FALSE(found(1, 0, 5, envelope));
}

TEST_F(Probe, WaitsForAMessage) {
  send(0, 1, 3000, {.tag = 9});
  MessageResult envelope;
  EXPECT_EQ(as(1).probe({kAnySource, 1, kAnyTag}, envelope), CallError::kNone);
  EXPECT_EQ(envelope.tag, 9);
  EXPECT_EQ(envelope.length, 3000U);
}

TEST_F(Probe, FindsNobodyAtOnce) {
  MessageResult envelope;
  ASSERT_TRUE(found(1, kProcNull, 5, envelope));
  EXPECT_EQ(envelope.source, kProcNull);
  EXPECT_EQ(envelope.length, 0U);
  MatchedMessage message;
  EXPECT_EQ(at(1).improbe({kProcNull, 1, 5}, message), CallError::kNone);
  ASSERT_TRUE(message);
  Transfer& received = receive_matched(1, message, 8);
  EXPECT_TRUE(ended(received));
  EXPECT_EQ(received.result().source, kProcNull);
}

TEST_F(Probe, MatchedMessageIsGivenToNobodyElse) {
  for (const std::uint64_t length : {0U, 8U, 1024U, 1025U, 50'000U}) {
    Transfer& first = send(0, 1, length);
    Transfer& second = send(0, 1, length);
    job->settle();
    MatchedMessage message;
    EXPECT_EQ(at(1).improbe({0, 1, 5}, message), CallError::kNone);
    ASSERT_TRUE(message) << length;
    EXPECT_EQ(message.envelope().length, length);
    EXPECT_TRUE(arrived(second, receive(1, 0, length)));
    Transfer& received = receive_matched(1, message, length);
    EXPECT_FALSE(message);
    EXPECT_TRUE(arrived(first, received));
  }
}

TEST_F(Probe, SynchronousSendIsCompleteOnlyWhenItsMatchedMessageIsReceived) {
  for (const std::uint64_t length : {8U, 5000U}) {
    Transfer& sent = send(0, 1, length, {.mode = SendMode::kSynchronous});
    MatchedMessage message;
    EXPECT_EQ(as(1).mprobe({kAnySource, 1, kAnyTag}, message), CallError::kNone);
    job->settle();
    EXPECT_FALSE(ended(sent));
    EXPECT_TRUE(arrived(sent, receive_matched(1, message, length)));
  }
}

TEST_F(Probe, MatchedMessageMayBeTruncated) {
  for (const std::uint64_t length : {500U, 50'000U}) {
    Transfer& sent = send(0, 1, length);
    MatchedMessage message;
    EXPECT_EQ(as(1).mprobe({0, 1, 5}, message), CallError::kNone);
    EXPECT_TRUE(arrived(sent, receive_matched(1, message, 100)));
  }
}

}  // namespace
}  // namespace lintel::testing
