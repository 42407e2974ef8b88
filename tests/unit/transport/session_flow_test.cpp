// How messages share frames, and how acknowledgements and the window control the flow.

#include <cstdint>

#include "tests/unit/transport/session_fixture.h"

namespace lintel::transport {
namespace {

using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using Kind = FrameKind;

class SessionFlow : public SessionTest {
 protected:
  SessionFlow() { open(); }
};

TEST_F(SessionFlow, LoneMessageLeavesAtOnce) {
  EXPECT_EQ(send("a"), PostStatus::kOk);
  EXPECT_THAT(messages_of(take_sent()), ElementsAre("a")) << "before any poll";
}

TEST_F(SessionFlow, MessagesIssuedWhileAFrameIsLeavingShareTheNextFrame) {
  for (const char* message : {"a", "b", "c", "d"}) send(message);
  EXPECT_THAT(messages_of(take_sent()), ElementsAre("a"));
  EXPECT_THAT(fake->sent, IsEmpty());
  fake->left(lower_peer);
  poll();
  EXPECT_THAT(messages_of(take_sent()), ElementsAre("b", "c", "d"));
}

TEST_F(SessionFlow, OpenFrameLeavesWithTheNextPollWhateverIsLeaving) {
  send("a");
  send("b");
  take_sent();
  poll();
  EXPECT_THAT(messages_of(take_sent()), ElementsAre("b"));
}

TEST_F(SessionFlow, WithAFrameOpenThereIsNoSleeping) {
  send("a");
  poll();
  EXPECT_TRUE(session->prepare_wait());
  send("b");
  EXPECT_FALSE(session->prepare_wait());
  EXPECT_EQ(session->next_deadline(), now);
  poll();
  EXPECT_TRUE(session->prepare_wait());
}

TEST_F(SessionFlow, FullFrameLeavesWithoutAPoll) {
  const std::string message(200, 'x');
  for (int i = 0; i < 10; ++i) EXPECT_EQ(send(message), PostStatus::kOk);
  // 1024 bytes hold 4 records of 208 bytes. The first message was sent alone, two frames of 4 are
  // full, and one message is in the open frame.
  ASSERT_EQ(fake->sent.size(), 3U);
  EXPECT_EQ(messages_of(take_sent()).size(), 1U);
  EXPECT_EQ(messages_of(take_sent()).size(), 4U);
  EXPECT_EQ(messages_of(take_sent()).size(), 4U);
}

TEST_F(SessionFlow, LargestMessageFitsAFrameExactly) {
  const std::string message(session->attributes().max_message_bytes, 'x');
  EXPECT_EQ(send(message), PostStatus::kOk);
  const Bytes frame = take_sent();
  EXPECT_EQ(frame.size(), 1024U);
  EXPECT_THAT(messages_of(frame), ElementsAre(message));
}

TEST_F(SessionFlow, OddLowerLimitIsRoundedDownToWholeRecords) {
  start({}, 1023);
  open();
  EXPECT_EQ(session->attributes().max_message_bytes, 1016U - 32U);
  EXPECT_EQ(send(std::string(1016 - 32, 'x')), PostStatus::kOk);
  EXPECT_EQ(take_sent().size(), 1016U);
}

TEST_F(SessionFlow, MessagesBeginAtMultiplesOfEightAndPaddingIsZero) {
  send("first");
  for (std::size_t length = 1; length <= 9; ++length) {
    const MessageBuffer buffer = session->reserve(peer, length);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(buffer.data) % 8, 0U);
    std::memset(buffer.data, 0xff, buffer.capacity < 24 ? buffer.capacity : 24);
    session->commit(peer, buffer, length);
  }
  take_sent();
  poll();
  const Bytes frame = take_sent();
  EXPECT_EQ(frame.size() % 8, 0U);
  std::size_t at = sizeof(FrameHeader);
  for (std::size_t length = 1; length <= 9; ++length) {
    for (std::size_t i = at + sizeof(RecordHeader) + length; i < at + record_bytes(length); ++i)
      EXPECT_EQ(frame[i], std::byte{0});
    at += record_bytes(length);
  }
  EXPECT_EQ(at, frame.size());
}

TEST_F(SessionFlow, AbandonedMessageLeavesNothingBehind) {
  const MessageBuffer buffer = session->reserve(peer, 10);
  session->abandon(peer, buffer);
  EXPECT_EQ(fake->lent(), 0U);
  send("a");
  const MessageBuffer second = session->reserve(peer, 10);
  session->abandon(peer, second);
  poll();
  EXPECT_EQ(fake->sent.size(), 1U);
}

TEST_F(SessionFlow, MessageShorterThanReservedTakesItsOwnLengthOnly) {
  const MessageBuffer buffer = session->reserve(peer, 500);
  std::memcpy(buffer.data, "abc", 3);
  session->commit(peer, buffer, 3);
  EXPECT_EQ(take_sent().size(), sizeof(FrameHeader) + 16U);
}

TEST_F(SessionFlow, MessageHasLeftWhenItsFrameHasLeft) {
  send("a");
  send("b");
  send("c");
  poll();
  EXPECT_EQ(sink.left, 0U);
  fake->left(lower_peer);
  poll();
  EXPECT_THAT(sink.take(), ElementsAre("left 0"));
  fake->left(lower_peer);
  poll();
  EXPECT_THAT(sink.take(), ElementsAre("left 0", "left 0"));
}

TEST_F(SessionFlow, NoMessageIsReportedAsLeftBeforeItsFrameAndAllAreInTheEnd) {
  std::size_t frames_left = 0;
  for (int i = 0; i < 20; ++i) {
    send("x");
    poll();
    if (i % 3 == 2) {
      fake->left(lower_peer);
      ++frames_left;
      poll();
      EXPECT_LE(sink.left, frames_left);
    }
  }
  all_left();
  EXPECT_EQ(sink.left, 20U);
}

TEST_F(SessionFlow, SequenceNumbersCountDataFrames) {
  for (std::uint32_t i = 1; i <= 3; ++i) {
    send("x");
    EXPECT_EQ(header_of(take_sent()).sequence, i);
    all_left();
  }
}

TEST_F(SessionFlow, MessagesOfAFrameComeInOrder) {
  receive(of_session(Kind::kData, 1, 0, records({"a", "", "ccccccccc"})));
  EXPECT_THAT(sink.take(), ElementsAre("message 0 a", "message 0 ", "message 0 ccccccccc"));
  EXPECT_EQ(session->counters().messages_received, 3U);
}

TEST_F(SessionFlow, ReceivedMessagesAreAligned) {
  sink.answer = [](PeerId, std::span<const std::byte> message) {
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(message.data()) % 8, 0U);
  };
  receive(of_session(Kind::kData, 1, 0, records({"a", "bb", "0123456789"})));
  EXPECT_EQ(sink.messages.size(), 3U);
}

TEST_F(SessionFlow, DuplicateIsSuppressedAndCounted) {
  const Frame frame = of_session(Kind::kData, 1, 0, records({"a"}));
  receive(frame);
  receive(frame);
  EXPECT_THAT(sink.messages, ElementsAre("a"));
  EXPECT_EQ(session->counters().duplicates, 1U);
  EXPECT_THAT(sink.failures, IsEmpty());
}

TEST_F(SessionFlow, FrameLostIsSeenAsAGapAndFailsThePeer) {
  receive(of_session(Kind::kData, 1, 0, records({"a"})));
  arrives(of_session(Kind::kData, 3, 0, records({"c"})));
  arrives(of_session(Kind::kData, 4, 0, records({"d"})));
  poll();
  EXPECT_THAT(sink.messages, ElementsAre("a"));
  ASSERT_EQ(sink.failures.size(), 1U);
  EXPECT_EQ(sink.failures[0].loss(), Loss::kPeer);
  EXPECT_STREQ(sink.failures[0].reason(), "frames from the peer were lost");
  EXPECT_EQ(session->counters().gaps, 1U);
  EXPECT_EQ(session->state_of(peer), PeerState::kClosed);
  EXPECT_THAT(take_sent_kinds(), ElementsAre(Kind::kGoodbye))
      << "so that the other side's operations end too";
}

TEST_F(SessionFlow, LossOfTheLastFrameIsSeenByThePing) {
  receive(of_session(Kind::kPing, 1, 0));
  EXPECT_EQ(sink.failures.size(), 1U);
  EXPECT_EQ(session->counters().gaps, 1U);
}

TEST_F(SessionFlow, DataCarriesTheAcknowledgement) {
  receive(of_session(Kind::kData, 1, 0, records({"a"})));
  receive(of_session(Kind::kData, 2, 0, records({"b"})));
  EXPECT_THAT(fake->sent, IsEmpty()) << "no acknowledgement of its own for two frames";
  send("x");
  EXPECT_EQ(header_of(take_sent()).acknowledged, 2U);
}

TEST_F(SessionFlow, MoreThanAQuarterOfTheWindowUnconfirmedIsAcknowledgedByAFrameOfItsOwn) {
  for (std::uint32_t i = 1; i <= 16; ++i) receive(of_session(Kind::kData, i, 0, records({"a"})));
  EXPECT_THAT(fake->sent, IsEmpty());
  receive(of_session(Kind::kData, 17, 0, records({"a"})));
  const Bytes ack = take_sent();
  EXPECT_EQ(kind_of(ack), Kind::kAck);
  EXPECT_EQ(header_of(ack).acknowledged, 17U);
  EXPECT_EQ(session->counters().pure_acks, 1U);
  for (std::uint32_t i = 18; i <= 33; ++i) receive(of_session(Kind::kData, i, 0, records({"a"})));
  EXPECT_THAT(fake->sent, IsEmpty()) << "counting began anew";
}

TEST_F(SessionFlow, AnswerSentMeanwhileMakesThePureAcknowledgementUnnecessary) {
  sink.answer = [this](PeerId, std::span<const std::byte> message) {
    if (message.size() == 4) send("answer");
  };
  for (std::uint32_t i = 1; i <= 16; ++i) arrives(of_session(Kind::kData, i, 0, records({"a"})));
  arrives(of_session(Kind::kData, 17, 0, records({"last"})));
  poll();
  EXPECT_THAT(take_sent_kinds(), ElementsAre(Kind::kData));
}

TEST_F(SessionFlow, PingIsAnsweredByAnAcknowledgement) {
  receive(of_session(Kind::kData, 1, 0, records({"a"})));
  receive(of_session(Kind::kPing, 1, 0));
  const Bytes ack = take_sent();
  EXPECT_EQ(kind_of(ack), Kind::kAck);
  EXPECT_EQ(header_of(ack).acknowledged, 1U);
  EXPECT_EQ(header_of(ack).length, 0U);
}

TEST_F(SessionFlow, WhatWasSentBeforeHasArrivedWhenThePeerHasAcknowledgedIt) {
  send("a");
  poll();
  send("b");  // in the open frame: "a" has not left
  take_sent_kinds();
  session->await_arrival();
  EXPECT_EQ(session->awaited_arrivals(), 2U);
  poll();
  EXPECT_THAT(take_sent_kinds(), ElementsAre(Kind::kData, Kind::kPing));
  send("c");
  poll();
  receive(of_session(Kind::kAck, 0, 1));
  EXPECT_EQ(session->awaited_arrivals(), 1U);
  EXPECT_THAT(take_sent_kinds(), Contains(Kind::kPing)) << "the rest is asked for";
  receive(of_session(Kind::kAck, 0, 2));
  EXPECT_EQ(session->awaited_arrivals(), 0U) << "\"c\" was sent later";
}

TEST_F(SessionFlow, NothingIsAwaitedOfPeersThatHaveAllOrAreLost) {
  session->await_arrival();
  EXPECT_EQ(session->awaited_arrivals(), 0U);
  poll();
  EXPECT_THAT(fake->sent, IsEmpty());
  send("a");
  session->await_arrival();
  EXPECT_EQ(session->awaited_arrivals(), 1U);
  fake->fails(lower_peer);
  poll();
  EXPECT_EQ(session->awaited_arrivals(), 0U);
}

TEST_F(SessionFlow, WindowFullThenAckOpensIt) {
  start({.window_frames = 4});
  open();
  const std::string message(session->attributes().max_message_bytes, 'x');
  for (int i = 0; i < 4; ++i) EXPECT_EQ(send(message), PostStatus::kOk);
  poll();
  EXPECT_EQ(take_sent_kinds(), std::vector(4, Kind::kData));
  EXPECT_EQ(send(message), PostStatus::kOk) << "one frame more is kept open";
  EXPECT_EQ(send(message), PostStatus::kWouldBlock);
  EXPECT_EQ(session->counters().would_block, 1U);
  poll();
  EXPECT_THAT(take_sent_kinds(), ElementsAre(Kind::kPing))
      << "the peer may confirm less often than this window needs";
  EXPECT_TRUE(session->prepare_wait()) << "only the peer can open the window";

  receive(of_session(Kind::kAck, 0, 2));
  EXPECT_THAT(take_sent_kinds(), ElementsAre(Kind::kData));
  EXPECT_EQ(send(message), PostStatus::kOk);
  poll();
  EXPECT_THAT(take_sent_kinds(), ElementsAre(Kind::kData));
}

TEST_F(SessionFlow, SmallMessagesFillTheOpenFrameWhileTheWindowIsFull) {
  start({.window_frames = 1});
  open();
  send("first");
  take_sent();
  int taken = 0;
  while (send("12345678") == PostStatus::kOk) ++taken;
  EXPECT_EQ(taken, (1024 - 24) / 16);
  poll();
  EXPECT_THAT(take_sent_kinds(), ElementsAre(Kind::kPing));
  receive(of_session(Kind::kAck, 0, 1));
  EXPECT_EQ(messages_of(take_sent()).size(), static_cast<std::size_t>(taken));
}

TEST_F(SessionFlow, OlderAcknowledgementChangesNothing) {
  for (int i = 0; i < 3; ++i) {
    send("x");
    poll();
  }
  receive(of_session(Kind::kAck, 0, 3));
  receive(of_session(Kind::kAck, 0, 1));
  EXPECT_EQ(session->counters().malformed(), 0U);
  EXPECT_EQ(session->next_deadline(), kNever);
}

TEST_F(SessionFlow, WithoutRoomBelowReserveWouldBlock) {
  fake->room = false;
  EXPECT_EQ(send("a"), PostStatus::kWouldBlock);
  fake->room = true;
  EXPECT_EQ(send("a"), PostStatus::kOk);
}

TEST_F(SessionFlow, FrameThatTheLowerTransportDoesNotTakeNowIsSentLater) {
  fake->commit_answer = PostStatus::kWouldBlock;
  EXPECT_EQ(send("a"), PostStatus::kOk);
  EXPECT_EQ(send("b"), PostStatus::kOk);
  poll();
  EXPECT_EQ(session->next_deadline(), now + 1ms);
  fake->commit_answer = PostStatus::kOk;
  poll(1ms);
  EXPECT_THAT(messages_of(take_sent()), ElementsAre("a", "b"));
}

TEST_F(SessionFlow, ConnectionLostInCommitIsReportedByTheNextPoll) {
  fake->commit_answer = PostStatus::kFailed;
  EXPECT_EQ(send("a"), PostStatus::kOk);
  EXPECT_THAT(sink.failures, IsEmpty());
  EXPECT_EQ(send("b"), PostStatus::kWouldBlock);
  EXPECT_FALSE(session->prepare_wait());
  poll();
  EXPECT_EQ(sink.failures.size(), 1U);
  EXPECT_EQ(fake->lent(), 0U);
}

TEST_F(SessionFlow, HelloInTheSamePollAsALostConnectionOpensANewSession) {
  fake->commit_answer = PostStatus::kFailed;
  send("a");
  fake->commit_answer = PostStatus::kOk;
  shake(hello(kOtherEpoch + 1));
  EXPECT_EQ(sink.failures.size(), 1U);
  EXPECT_EQ(session->state_of(peer), PeerState::kOpen);
}

TEST_F(SessionFlow, LowerFailureFailsThePeerAndForgetsWhatWasOnItsWay) {
  send("a");
  send("b");
  take_sent();
  fake->fails(lower_peer);
  poll();
  ASSERT_EQ(sink.failures.size(), 1U);
  EXPECT_STREQ(sink.failures[0].reason(), "connection refused");
  EXPECT_EQ(fake->lent(), 0U);
  EXPECT_EQ(session->next_deadline(), kNever);
  EXPECT_EQ(sink.left, 0U);
}

TEST_F(SessionFlow, FramesOfAnEndedSessionThatLeaveLateAreNotTakenForThoseOfTheNext) {
  send("a");
  take_sent();
  begin_again();  // "a" is still being sent
  take_sent();
  send("b");
  poll();
  fake->left(lower_peer);  // "a"
  fake->left(lower_peer);  // the second welcome
  poll();
  EXPECT_EQ(sink.left, 0U);
  fake->left(lower_peer);  // "b"
  poll();
  EXPECT_EQ(sink.left, 1U);
}

TEST_F(SessionFlow, WriteGoesToTheLowerTransportWhenOpenAndFailsOtherwise) {
  std::byte memory[16];
  const Registration region = *session->register_memory(peer, memory, Access::kWriteSource);
  EXPECT_EQ(session->post_write(peer, {memory, 16, region}, {}, Immediate{1}, Context{2}),
            PostStatus::kOk);
  EXPECT_EQ(fake->writes, 1);
  receive(of_session(Kind::kGoodbye, 0, 0));
  EXPECT_EQ(session->post_write(peer, {memory, 16, region}, {}, Immediate{1}, Context{2}),
            PostStatus::kFailed)
      << "the peer may be another process by now";
  EXPECT_EQ(fake->writes, 1);
}

TEST_F(SessionFlow, FramesBeforeTheFirstAreDuplicatesAcrossTheWrapOfSequenceNumbers) {
  receive(of_session(Kind::kData, 0, 0, records({"before"})));
  receive(of_session(Kind::kData, 0xffffffffU, 0, records({"before"})));
  EXPECT_EQ(session->counters().duplicates, 2U);
  receive(of_session(Kind::kData, 1, 0, records({"first"})));
  EXPECT_THAT(sink.messages, ElementsAre("first"));
}

TEST_F(SessionFlow, DumpHasALineForEachPeer) {
  send("a");
  send("b");
  std::string text;
  session->dump(text);
  EXPECT_THAT(text, HasSubstr("peer 0 127.0.0.1 pid 200 open next_sequence 2 acknowledged 0 "
                              "in_window 1 received 0 leaving 1"));
  EXPECT_THAT(text, HasSubstr("open_frame_bytes 40\n"));
}

}  // namespace
}  // namespace lintel::transport
