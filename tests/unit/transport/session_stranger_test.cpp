// Strangers that call in the name of a peer, refuse in its name, or repeat what it has said: what
// the owner waits for goes on, and nothing of them stays.

#include "tests/unit/transport/session_fixture.h"

namespace lintel::transport {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using Kind = FrameKind;
using State = PeerState;

class SessionStranger : public SessionTest {
 protected:
  static constexpr std::uint64_t kStranger = 666;  // incarnation

  Frame strangers_hello(std::uint32_t epoch = 9) const { return hello(epoch, kStranger); }
  // From a network that knows who has sent a message.
  void receive_from_peer(const Frame& frame) {
    fake->arrives(frame.bytes(), lower_peer);
    poll();
  }
  // Advances the time to the next deadline.
  void sleep() {
    ASSERT_NE(session->next_deadline(), kNever);
    poll(session->next_deadline() - now);
  }
  void know_the_contact() {
    peer_key =
        contact_key({kSelf, kIncarnation, our_nonce}, {kOther, kOtherIncarnation, kOtherNonce});
    key_flag = kProvedByContact;
  }
  void forget_the_contact() {
    peer_key = kOpenKey;
    key_flag = 0;
  }
  // The last frame of that kind.
  Bytes last(Kind kind) const {
    for (auto one = fake->sent.rbegin(); one != fake->sent.rend(); ++one) {
      if (kind_of(one->frame) == kind) return one->frame;
    }
    ADD_FAILURE() << "no such frame";
    return Frame{}.bytes();
  }
};

// ---- Refusals

TEST_F(SessionStranger, RefusalOnAConnectionThatSomebodyElseHasMadeOnlyDelays) {
  fake->bound_to.made_by_peer = true;
  send("a");
  receive(refusal(take_sent(), RefuseReason::kOtherSecret, "fake 1"));
  EXPECT_THAT(sink.failures, IsEmpty());
  EXPECT_EQ(session->state_of(peer), State::kConnecting);
  EXPECT_THAT(fake->disconnected, ElementsAre(lower_peer)) << "the next hello makes its own";
  EXPECT_THAT(session->describe(peer), HasSubstr("the peer has another job secret"));
  fake->bound_to.made_by_peer = false;
  sleep();
  const Bytes said = take_sent();
  ASSERT_EQ(kind_of(said), Kind::kHello);
  receive(welcome(said));
  EXPECT_EQ(session->state_of(peer), State::kOpen);
}

TEST_F(SessionStranger, RefusalOnOurOwnConnectionCountsAtOnce) {
  fake->bound_to.made_by_peer = true;
  send("a");
  receive(refusal(take_sent(), RefuseReason::kOtherSecret, "fake 1"));
  fake->bound_to.made_by_peer = false;
  sleep();
  receive(refusal(take_sent(), RefuseReason::kOtherSecret, "fake 1"));
  ASSERT_EQ(sink.failures.size(), 1U);
  EXPECT_STREQ(sink.failures[0].reason(), "the peer has another job secret");
}

TEST_F(SessionStranger, RefusedByWhoeverCallsTheReasonIsToldAtTheDeadline) {
  fake->bound_to.made_by_peer = true;
  send("a");
  const TimePoint begin = now;
  while (sink.failures.empty()) {
    if (!fake->sent.empty()) receive(refusal(take_sent(), RefuseReason::kOtherSecret, "fake 1"));
    ASSERT_NO_FATAL_FAILURE(sleep());
  }
  EXPECT_EQ(now - begin, 10s);
  EXPECT_THAT(session->describe(peer), HasSubstr("the peer has another job secret"));
}

// ---- Callers that do not answer our hello

TEST_F(SessionStranger, WhoCallsAndDoesNotAnswerIsLeftForAConnectionOfOurs) {
  fake->bound_to.made_by_peer = true;
  send("a");
  const TimePoint begin = now;
  while (fake->disconnected.empty()) {
    ASSERT_NO_FATAL_FAILURE(sleep());
    ASSERT_THAT(sink.failures, IsEmpty());
  }
  EXPECT_EQ(now - begin, 5s) << "half of the connect deadline";
  fake->bound_to.made_by_peer = false;
  take_sent_kinds();
  sleep();
  receive(welcome(take_sent()));
  EXPECT_EQ(session->state_of(peer), State::kOpen);
}

TEST_F(SessionStranger, OurOwnConnectionIsKeptUntilTheDeadline) {
  send("a");
  while (sink.failures.empty()) {
    ASSERT_THAT(fake->disconnected, IsEmpty());
    ASSERT_NO_FATAL_FAILURE(sleep());
  }
}

// ---- Sending while somebody has called

TEST_F(SessionStranger, SendHasItsOwnDeadlineAndItsOwnHello) {
  receive(strangers_hello());
  take_sent_kinds();
  poll(9s);
  take_sent_kinds();
  send("a");
  EXPECT_THAT(take_sent_kinds(), ElementsAre(Kind::kHello)) << "at once";
  poll();
  const TimePoint begin = now;
  while (sink.failures.empty()) ASSERT_NO_FATAL_FAILURE(sleep());
  EXPECT_EQ(now - begin, 10s) << "not that of the caller";
}

TEST_F(SessionStranger, WhoHasShownAKeyIsGivenTimeToConfirm) {
  start_with_secret();
  receive(hello());
  take_sent();
  send("a");
  poll();
  EXPECT_THAT(take_sent_kinds(), IsEmpty());
  sleep();
  EXPECT_THAT(take_sent_kinds(), ElementsAre(Kind::kWelcome, Kind::kHello));
}

TEST_F(SessionStranger, ThePeersWelcomeOpensWhateverAStrangerSays) {
  receive(strangers_hello());
  send("a");
  const Bytes said = last(Kind::kHello);
  for (std::uint32_t epoch = 10; epoch < 20; ++epoch) receive(strangers_hello(epoch));
  receive(welcome(said));
  EXPECT_EQ(session->state_of(peer), State::kOpen);
}

// ---- Several hellos where the network does not tell whose they are

TEST_F(SessionStranger, TheFirstCallerConfirmsAfterAStrangerHasCalled) {
  receive(hello());
  const Bytes answer = take_sent();
  for (std::uint32_t epoch = 10; epoch < 20; ++epoch) receive(strangers_hello(epoch));
  receive(confirmation(hello(), answer));
  EXPECT_EQ(session->state_of(peer), State::kOpen);
  EXPECT_EQ(session->counters().unproved, 0U);
}

TEST_F(SessionStranger, TheSecondCallerConfirmsAfterAStrangerHasCalledFirst) {
  receive(strangers_hello());
  const Bytes first = take_sent();
  receive(hello());
  const Bytes second = take_sent();
  ASSERT_EQ(kind_of(second), Kind::kWelcome);
  EXPECT_NE(introduction_of(first).epoch, introduction_of(second).epoch)
      << "frames of one are not taken for those of the other";
  receive(confirmation(hello(), second));
  EXPECT_EQ(session->state_of(peer), State::kOpen);
  EXPECT_THAT(sink.failures, IsEmpty());
  receive(confirmation(strangers_hello(), first));
  receive(strangers_hello());
  EXPECT_EQ(session->state_of(peer), State::kOpen);
  EXPECT_THAT(sink.failures, IsEmpty());
}

TEST_F(SessionStranger, TheSecondCallerGetsThePlaceWhenTheFirstHasNotConfirmed) {
  receive(strangers_hello());
  poll(9s);
  receive(hello());
  take_sent_kinds();
  while (fake->sent.empty()) ASSERT_NO_FATAL_FAILURE(sleep());
  const Bytes answer = take_sent();
  EXPECT_EQ(header_of(answer).receiver_epoch, kOtherEpoch);
  receive(confirmation(hello(), answer));
  EXPECT_EQ(session->state_of(peer), State::kOpen);
}

TEST_F(SessionStranger, HelloWithoutAProofDoesNotReplaceOneWithAProof) {
  open();
  session->disconnect(peer);
  take_sent_kinds();
  for (const bool source_is_known : {false, true}) {
    const auto comes = [&](const Frame& frame) {
      source_is_known ? receive_from_peer(frame) : receive(frame);
    };
    receive(strangers_hello());
    const std::uint32_t epoch = kOtherEpoch + (source_is_known ? 2 : 1);
    know_the_contact();
    const Frame proved = hello(epoch);
    comes(proved);
    const Bytes answer = last(Kind::kWelcome);
    EXPECT_EQ(introduction_of(answer).flags, kProvedByContact);
    forget_the_contact();
    comes(strangers_hello(10));
    EXPECT_EQ(session->counters().unproved, source_is_known ? 2U : 1U);
    know_the_contact();
    comes(confirmation(proved, answer));
    EXPECT_EQ(session->state_of(peer), State::kOpen);
    forget_the_contact();
    session->disconnect(peer);
    take_sent_kinds();
  }
}

TEST_F(SessionStranger, WhereTheSourceIsKnownTheLatestHelloCounts) {
  receive_from_peer(hello());
  take_sent_kinds();
  const Frame again = hello(kOtherEpoch + 1, kOtherIncarnation + 1);
  receive_from_peer(again);
  receive_from_peer(confirmation(again, take_sent()));
  EXPECT_EQ(session->state_of(peer), State::kOpen);
}

// ---- Hellos of ours that have not left

TEST_F(SessionStranger, HelloThatHasNotLeftCannotHaveBeenRefused) {
  fake->room = false;
  send("a");
  fake->room = true;
  receive(strangers_hello());
  take_sent_kinds();
  fake->fails(lower_peer);
  poll();
  EXPECT_EQ(session->state_of(peer), State::kConnecting) << "the caller has gone";
  EXPECT_THAT(take_sent_kinds(), IsEmpty()) << "no welcome for nobody";
}

TEST_F(SessionStranger, HelloThatWaitsAfterAFailureCannotHaveBeenRefused) {
  send("a");
  fake->fails(lower_peer);
  poll();
  receive(strangers_hello());
  take_sent_kinds();
  fake->fails(lower_peer);
  poll();
  EXPECT_EQ(session->state_of(peer), State::kConnecting);
}

// ---- Many callers

TEST_F(SessionStranger, OfManyCallersTheOldestGoAndNoSessionIsTouched) {
  constexpr std::uint32_t kCallers = 1000;
  open();
  const auto name = [](std::uint32_t i) { return ProcessId{NodeId{9}, Pid{1000 + i}}; };
  const PeerId wanted = *session->resolve(name(0));
  const auto call = [&](std::uint32_t i) {
    Frame frame = hello();
    frame.body = introduction(kOtherEpoch, 1, 0, "fake 1", kOldestFrameVersion, name(i));
    receive(frame);
  };
  call(0);
  send(wanted, "a");
  fake->disconnected.clear();
  for (std::uint32_t i = 1; i <= kCallers; ++i) call(i);
  EXPECT_EQ(session->counters().callers_dropped, kCallers - 256);
  EXPECT_EQ(fake->disconnected.size(), kCallers - 256);
  EXPECT_EQ(fake->disconnected.front(), *fake->resolve(name(1)));
  const auto state_of_caller = [&](std::uint32_t i) {
    return session->state_of(*session->resolve(name(i)));
  };
  EXPECT_EQ(state_of_caller(0), State::kWelcoming) << "somebody here waits for it";
  EXPECT_EQ(state_of_caller(kCallers), State::kWelcoming);
  EXPECT_EQ(state_of_caller(kCallers - 255), State::kWelcoming);
  EXPECT_EQ(state_of_caller(kCallers - 256), State::kClosed);
  EXPECT_EQ(session->state_of(peer), State::kOpen);
  EXPECT_THAT(sink.failures, IsEmpty());
}

TEST_F(SessionStranger, WhoHasProvedItselfOrGoneDoesNotCountAsACaller) {
  start({.max_callers = 2});
  for (std::uint32_t i = 0; i < 8; ++i) {
    Frame frame = hello();
    frame.body =
        introduction(kOtherEpoch, 1, 0, "fake 1", kOldestFrameVersion, {NodeId{9}, Pid{1000 + i}});
    if (i % 2 == 0) {
      shake(frame);
    } else {
      receive(frame);
      fake->fails(*fake->resolve({NodeId{9}, Pid{1000 + i}}));
      poll();
    }
  }
  EXPECT_EQ(session->counters().callers_dropped, 0U);
}

// ---- Lost connections

TEST_F(SessionStranger, NoGoodbyeGoesOnAConnectionOfWhichNothingIsKnown) {
  for (const bool source_is_known : {false, true}) {
    start();
    fake->attributes().knows_source = source_is_known;
    open();
    fake->fails(lower_peer);
    poll();
    EXPECT_EQ(sink.take().size(), 1U);
    EXPECT_EQ(take_sent_kinds().size(), source_is_known ? 0U : 1U);
  }
}

// ---- What is known of a peer

TEST_F(SessionStranger, HelloOfAnotherIncarnationDoesNotSpoilTheKeyOfTheContact) {
  open();
  session->disconnect(peer);
  take_sent_kinds();
  receive(strangers_hello());
  for (int i = 0; i < 100 && session->state_of(peer) != State::kClosed; ++i) sleep();
  ASSERT_EQ(session->state_of(peer), State::kClosed);
  take_sent_kinds();
  know_the_contact();
  receive(hello(kOtherEpoch + 1));
  EXPECT_EQ(introduction_of(take_sent()).flags, kProvedByContact);
}

TEST_F(SessionStranger, WhoHasNotProvedAnythingIsForgottenWhenThePeerAnswers) {
  open();
  receive(strangers_hello());
  receive(of_session(Kind::kAck, 0, 0));
  take_sent_kinds();
  fake->fails(lower_peer);
  poll();
  ASSERT_EQ(sink.failures.size(), 1U);
  EXPECT_EQ(session->state_of(peer), State::kClosed) << "nobody waits for its place";
}

TEST_F(SessionStranger, RecordedHelloIsForgottenAfterTheConnectDeadline) {
  start_with_secret();
  open();
  const Frame recorded = hello(kOtherEpoch - 1, kOtherIncarnation - 1);
  receive(recorded);
  const Bytes answer = last(Kind::kWelcome);
  poll(10s);
  receive(confirmation(recorded, answer));
  EXPECT_EQ(session->counters().stale_epoch, 1U);
  EXPECT_THAT(sink.failures, IsEmpty());
  fake->fails(lower_peer);
  poll();
  EXPECT_EQ(session->state_of(peer), State::kClosed) << "nobody waits for its place";
}

}  // namespace
}  // namespace lintel::transport
