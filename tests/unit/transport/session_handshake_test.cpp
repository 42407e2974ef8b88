// How two processes open, refuse and renew a session.

#include "tests/unit/transport/session_fixture.h"

namespace lintel::transport {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using State = PeerState;

using SessionHandshake = SessionTest;

TEST_F(SessionHandshake, FirstReserveSaysHelloAndWouldBlock) {
  EXPECT_EQ(send("a"), PostStatus::kWouldBlock);
  const Bytes frame = take_sent();
  EXPECT_EQ(kind_of(frame), FrameKind::kHello);
  EXPECT_EQ(header_of(frame).receiver_epoch, 0U);
  const Introduction said = introduction_of(frame);
  EXPECT_EQ(said.nid, kSelf.nid.value);
  EXPECT_EQ(said.pid, kSelf.pid.value);
  EXPECT_EQ(said.incarnation, 1234U);
  EXPECT_STREQ(said.provider, "fake 1.0");
  EXPECT_NE(said.epoch, 0U);
  EXPECT_EQ(session->state_of(peer), State::kConnecting);
}

TEST_F(SessionHandshake, HelloWaitsUntilThereIsAConnection) {
  fake->reachable = false;
  EXPECT_EQ(send("a"), PostStatus::kWouldBlock);
  EXPECT_THAT(fake->reached, Each(lower_peer));
  EXPECT_FALSE(fake->reached.empty()) << "the connection is begun";
  poll();
  EXPECT_THAT(take_sent_kinds(), IsEmpty());
  EXPECT_EQ(session->next_deadline(), now + 1ms);
  fake->reachable = true;
  poll(1ms);
  EXPECT_THAT(take_sent_kinds(), ElementsAre(FrameKind::kHello));
}

TEST_F(SessionHandshake, WhileConnectingNoSecondHelloIsSaidByReserve) {
  send("a");
  send("a");
  poll();
  EXPECT_THAT(take_sent_kinds(), ElementsAre(FrameKind::kHello));
}

TEST_F(SessionHandshake, WelcomeOpensAndDataIsAddressedAsItAsks) {
  send("a");
  receive(welcome(take_sent()));
  EXPECT_EQ(session->state_of(peer), State::kOpen);
  EXPECT_EQ(kind_of(take_sent()), FrameKind::kConfirm);
  EXPECT_EQ(send("a"), PostStatus::kOk);
  poll();
  const Bytes data = take_sent();
  EXPECT_EQ(kind_of(data), FrameKind::kData);
  EXPECT_EQ(header_of(data).receiver_slot, kOtherSlot);
  EXPECT_EQ(header_of(data).receiver_epoch, kOtherEpoch);
  EXPECT_EQ(header_of(data).sequence, 1U);
}

TEST_F(SessionHandshake, HelloIsAnsweredByWelcomeThatEchoesItsEpoch) {
  shake(hello());
  const Bytes answer = take_sent();
  EXPECT_EQ(kind_of(answer), FrameKind::kWelcome);
  EXPECT_EQ(header_of(answer).receiver_slot, kOtherSlot);
  EXPECT_EQ(header_of(answer).receiver_epoch, kOtherEpoch);
  EXPECT_EQ(introduction_of(answer).echoed_epoch, kOtherEpoch);
  EXPECT_EQ(session->state_of(peer), State::kOpen);
}

TEST_F(SessionHandshake, HelloOfAnUnknownProcessMakesItAPeer) {
  Frame frame = hello();
  frame.body = introduction(kOtherEpoch, kOtherIncarnation, 0, "fake 1", kOldestFrameVersion,
                            {NodeId{9}, Pid{9}});
  shake(frame);
  EXPECT_EQ(session->state_of(*session->resolve({NodeId{9}, Pid{9}})), State::kOpen);
}

TEST_F(SessionHandshake, HellosThatCrossOpenOneSession) {
  send("a");
  const Bytes ours = take_sent();
  const Frame theirs = hello();
  receive(theirs);
  const Bytes answer = take_sent();
  EXPECT_EQ(kind_of(answer), FrameKind::kWelcome);
  EXPECT_EQ(introduction_of(answer).epoch, introduction_of(ours).epoch)
      << "both name the same epoch";
  receive(confirmation(theirs, answer));
  EXPECT_EQ(session->state_of(peer), State::kOpen);
  // The answer to our own hello changes nothing.
  receive(welcome(ours));
  EXPECT_EQ(session->state_of(peer), State::kOpen);
  EXPECT_THAT(take_sent_kinds(), IsEmpty());
  EXPECT_THAT(sink.failures, IsEmpty());
}

TEST_F(SessionHandshake, OfHellosThatCrossTheWelcomeOfThePeerProvesItToo) {
  send("a");
  const Bytes ours = take_sent();
  receive(hello());
  EXPECT_EQ(kind_of(take_sent()), FrameKind::kWelcome);
  EXPECT_EQ(send("a"), PostStatus::kWouldBlock) << "its hello proves nothing";
  receive(welcome(ours));
  EXPECT_EQ(session->state_of(peer), State::kOpen);
  EXPECT_EQ(send("a"), PostStatus::kOk);
}

TEST_F(SessionHandshake, LateRefusalOfOurHelloDoesNotEndTheSessionThatTheirsOpened) {
  send("a");
  take_sent();
  shake(hello());
  take_sent();
  fake->fails(lower_peer);
  poll();
  EXPECT_THAT(sink.failures, IsEmpty());
  EXPECT_EQ(session->state_of(peer), State::kOpen);
  EXPECT_THAT(take_sent_kinds(), ElementsAre(FrameKind::kWelcome))
      << "in case the first one is gone with the connection";
  fake->fails(lower_peer);
  poll();
  EXPECT_EQ(sink.failures.size(), 1U) << "a second one is not late";
}

TEST_F(SessionHandshake, RepeatedHelloIsWelcomedAgain) {
  open();
  receive(hello());
  const Bytes again = take_sent();
  EXPECT_EQ(kind_of(again), FrameKind::kWelcome);
  EXPECT_EQ(introduction_of(again).epoch, our_epoch);
  EXPECT_THAT(sink.failures, IsEmpty());
}

TEST_F(SessionHandshake, NewIncarnationFailsTheOldSessionAndOpensANewOneWhenItIsProved) {
  start_with_secret();
  open();
  shake(hello(kOtherEpoch + 1, kOtherIncarnation + 1));
  ASSERT_EQ(sink.failures.size(), 1U);
  EXPECT_STREQ(sink.failures[0].reason(), "the peer was restarted");
  EXPECT_EQ(sink.failures[0].loss(), Loss::kPeer);
  const Bytes answer = take_sent();
  EXPECT_EQ(kind_of(answer), FrameKind::kWelcome);
  EXPECT_NE(introduction_of(answer).epoch, our_epoch);
  EXPECT_EQ(session->state_of(peer), State::kOpen);
}

TEST_F(SessionHandshake, NewEpochOfThePeerFailsTheOldSession) {
  open();
  begin_again();
  ASSERT_EQ(sink.failures.size(), 1U);
  EXPECT_STREQ(sink.failures[0].reason(), "the peer ended the session and began another");
  EXPECT_EQ(session->state_of(peer), State::kOpen);
}

// What was to be sent on it belongs to operations that have ended.
TEST_F(SessionHandshake, NewEpochOnTheConnectionOfTheSessionEndsBoth) {
  fake->attributes().knows_source = true;
  fake->bound_to.bytes[0] = std::byte{1};
  open();
  sink.on_failure = [this](PeerId) { EXPECT_THAT(fake->disconnected, ElementsAre(lower_peer)); };
  begin_again();
  ASSERT_EQ(sink.failures.size(), 1U);
  EXPECT_STREQ(sink.failures[0].reason(), "the peer ended the session and began another");
  EXPECT_EQ(session->state_of(peer), State::kClosed);
}

TEST_F(SessionHandshake, WhatIsSentInsideOnPeerFailedGoesToTheSessionThatCausedIt) {
  open();
  sink.on_failure = [this](PeerId) { EXPECT_EQ(send("again"), PostStatus::kOk); };
  begin_again();
  EXPECT_EQ(kind_of(take_sent()), FrameKind::kWelcome);
  const Bytes data = take_sent();
  EXPECT_EQ(kind_of(data), FrameKind::kData);
  EXPECT_EQ(header_of(data).receiver_epoch, kOtherEpoch + 1);
  EXPECT_EQ(session->state_of(peer), State::kOpen);
}

TEST_F(SessionHandshake, FramesOfAnEndedSessionAreStale) {
  open();
  const std::uint32_t old_epoch = our_epoch;
  begin_again();
  Frame stale = of_session(FrameKind::kData, 1, 0, records({"old"}));
  stale.epoch = old_epoch;
  receive(stale);
  EXPECT_THAT(sink.messages, IsEmpty());
  EXPECT_EQ(session->counters().stale_epoch, 1U);
}

TEST_F(SessionHandshake, AnotherLifeOfThisProcessUsesOtherEpochs) {
  send("a");
  const std::uint32_t first = introduction_of(take_sent()).epoch;
  start({.incarnation = 1235});
  send("a");
  EXPECT_NE(introduction_of(take_sent()).epoch, first);
}

TEST_F(SessionHandshake, WelcomeToAnEarlierHelloIsStale) {
  send("a");
  Frame frame = welcome(take_sent());
  frame.epoch += 1;
  receive(frame);
  EXPECT_EQ(session->state_of(peer), State::kConnecting);
  EXPECT_EQ(session->counters().stale_epoch, 1U);
}

TEST_F(SessionHandshake, WelcomeOfAnotherProcessIsMalformed) {
  send("a");
  const Bytes said = take_sent();
  Frame frame = welcome(said);
  frame.body = introduction(kOtherEpoch, 1, introduction_of(said).epoch, "fake 1",
                            kOldestFrameVersion, {NodeId{9}, Pid{9}});
  receive(frame);
  EXPECT_EQ(session->state_of(peer), State::kConnecting);
  EXPECT_EQ(session->counters().malformed_introduction, 1U);
}

TEST_F(SessionHandshake, WelcomeWithoutRoomBelowIsSentWhenThereIsRoom) {
  fake->room = false;
  receive(hello());
  EXPECT_EQ(session->state_of(peer), State::kWelcoming);
  EXPECT_EQ(send("early"), PostStatus::kWouldBlock) << "no data overtakes the welcome";
  poll();
  EXPECT_EQ(session->next_deadline(), now + 1ms);
  fake->room = true;
  poll(1ms);
  const Bytes answer = take_sent();
  EXPECT_EQ(kind_of(answer), FrameKind::kWelcome);
  receive(confirmation(hello(), answer));
  EXPECT_EQ(session->state_of(peer), State::kOpen);
}

TEST_F(SessionHandshake, HelloOfAnOtherProviderIsRefusedAndCounted) {
  Frame frame = hello();
  frame.body = introduction(kOtherEpoch, kOtherIncarnation, 0, "tcp;ofi_rxm 117.0");
  receive(frame);
  const Bytes answer = take_sent();
  ASSERT_EQ(kind_of(answer), FrameKind::kRefuse);
  const auto refusal = decode<RefuseBody>(answer.data() + sizeof(FrameHeader));
  EXPECT_EQ(refusal.echoed_epoch, kOtherEpoch);
  EXPECT_EQ(refusal.reason, static_cast<std::uint8_t>(RefuseReason::kProvider));
  EXPECT_STREQ(refusal.provider, "fake 1.0");
  EXPECT_EQ(session->counters().refused, 1U);
  EXPECT_EQ(session->state_of(peer), State::kClosed);
}

TEST_F(SessionHandshake, ProviderNamesThatBeginAlikeAreNotTheSame) {
  Frame frame = hello();
  frame.body = introduction(kOtherEpoch, kOtherIncarnation, 0, "faked 1.0");
  receive(frame);
  EXPECT_THAT(take_sent_kinds(), ElementsAre(FrameKind::kRefuse));
}

TEST_F(SessionHandshake, HelloThatDoesNotUnderstandOurVersionIsRefused) {
  Frame frame = hello();
  frame.version = kFrameVersion + 3;
  frame.body = introduction(kOtherEpoch, kOtherIncarnation, 0, "fake 1", kFrameVersion + 2);
  receive(frame);
  const Bytes answer = take_sent();
  ASSERT_EQ(kind_of(answer), FrameKind::kRefuse);
  EXPECT_EQ(decode<RefuseBody>(answer.data() + sizeof(FrameHeader)).reason,
            static_cast<std::uint8_t>(RefuseReason::kVersion));
}

TEST_F(SessionHandshake, NewerHelloThatStillUnderstandsOurVersionIsWelcome) {
  Frame frame = hello();
  frame.version = kFrameVersion + 3;
  receive(frame);
  EXPECT_THAT(take_sent_kinds(), ElementsAre(FrameKind::kWelcome));
}

TEST_F(SessionHandshake, RefusalForTheProviderFailsThePeerAndIsDescribed) {
  send("a");
  receive(refusal(take_sent(), RefuseReason::kProvider, "tcp;ofi_rxm 117.0"));
  ASSERT_EQ(sink.failures.size(), 1U);
  EXPECT_STREQ(sink.failures[0].reason(), "the peer uses another libfabric provider");
  EXPECT_THAT(
      session->describe(peer),
      HasSubstr(
          "provider 'tcp;ofi_rxm 117.0', this process speaks version 2 with provider 'fake 1.0'"));
  EXPECT_EQ(session->state_of(peer), State::kClosed);
}

TEST_F(SessionHandshake, RefusalForTheVersionFailsThePeerAndIsDescribed) {
  send("a");
  receive(refusal(take_sent(), RefuseReason::kVersion, "fake 2.0", 9));
  ASSERT_EQ(sink.failures.size(), 1U);
  EXPECT_STREQ(sink.failures[0].reason(),
               "the peer speaks an incompatible version of the wire protocol");
  EXPECT_THAT(session->describe(peer), HasSubstr("it speaks version 9 with provider 'fake 2.0'"));
}

TEST_F(SessionHandshake, APeerThatAgreesIsDescribedInFewWords) {
  open();
  EXPECT_THAT(session->describe(peer), Not(HasSubstr("speaks")));
}

TEST_F(SessionHandshake, RefusalOfAnEarlierHelloIsStale) {
  send("a");
  Frame frame = refusal(take_sent(), RefuseReason::kProvider);
  frame.epoch += 1;
  receive(frame);
  EXPECT_EQ(session->counters().stale_epoch, 1U);
  EXPECT_EQ(session->state_of(peer), State::kConnecting);
}

TEST_F(SessionHandshake, RefusedConnectionIsTriedAgainWithBackOff) {
  send("a");
  take_sent();
  Nanoseconds expected = 2ms;
  for (int i = 0; i < 9; ++i) {
    fake->fails(lower_peer);
    poll();
    EXPECT_EQ(session->next_deadline(), now + expected);
    poll(expected - 1ns);
    EXPECT_THAT(take_sent_kinds(), IsEmpty());
    poll(1ns);
    EXPECT_THAT(take_sent_kinds(), ElementsAre(FrameKind::kHello));
    expected = std::min<Nanoseconds>(2 * expected, 200ms);
  }
  EXPECT_THAT(sink.failures, IsEmpty());
}

TEST_F(SessionHandshake, UnansweredHelloIsSaidAgain) {
  send("a");
  take_sent();
  poll();
  const TimePoint due = session->next_deadline();
  ASSERT_NE(due, kNever);
  poll(due - now);
  EXPECT_THAT(take_sent_kinds(), ElementsAre(FrameKind::kHello));
}

TEST_F(SessionHandshake, ConnectDeadlineFailsThePeer) {
  send("a");
  const TimePoint begin = now;
  fake->fails(lower_peer);
  poll();
  while (sink.failures.empty()) {
    ASSERT_NE(session->next_deadline(), kNever);
    fake->fails(lower_peer);
    poll(session->next_deadline() - now);
  }
  EXPECT_EQ(now - begin, 10s);
  EXPECT_STREQ(sink.failures[0].reason(),
               "the peer could not be reached within the connect deadline");
  EXPECT_EQ(sink.failures[0].code(), 111) << "the number that the lower transport gave";
  EXPECT_THAT(session->describe(peer), HasSubstr("within the connect deadline: "))
      << "and its reason";
  EXPECT_EQ(session->next_deadline(), kNever);
}

TEST_F(SessionHandshake, DeadlineCountsFromTheFirstPollAfterReserve) {
  poll(3600s);
  send("a");  // the session last read the clock an hour ago
  poll(3600s);
  EXPECT_THAT(sink.failures, IsEmpty());
  EXPECT_EQ(session->state_of(peer), State::kConnecting);
}

TEST_F(SessionHandshake, FailedPeerIsConnectedAgainByTheNextReserve) {
  send("a");
  const Bytes first = take_sent();
  receive(refusal(first, RefuseReason::kProvider));
  EXPECT_EQ(send("a"), PostStatus::kWouldBlock);
  const Bytes second = take_sent();
  EXPECT_EQ(kind_of(second), FrameKind::kHello);
  EXPECT_NE(introduction_of(second).epoch, introduction_of(first).epoch);
  receive(welcome(second));
  EXPECT_EQ(send("a"), PostStatus::kOk);
}

TEST_F(SessionHandshake, PeersAreBounded) {
  start({.max_peers = 2});
  for (std::uint32_t pid = 300; pid < 303; ++pid) {
    Frame frame = hello();
    frame.body =
        introduction(kOtherEpoch, 1, 0, "fake 1", kOldestFrameVersion, {NodeId{9}, Pid{pid}});
    receive(frame);
  }
  EXPECT_EQ(session->counters().too_many_peers, 2U);
  EXPECT_EQ(take_sent_kinds().size(), 1U);
  EXPECT_FALSE(session->resolve({NodeId{9}, Pid{999}}).ok());
}

}  // namespace
}  // namespace lintel::transport
