// A third process that is connected to both, to each in the name of the other, and passes on what
// they send: no session begins through it.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/transport/two_sessions.h"
#include "transport/session/frame_codec.h"
#include "transport/session/session_proof.h"

namespace lintel::transport {
namespace {

using testing::IsEmpty;

constexpr ConnectionBinding kOne{{std::byte{1}}};
constexpr ConnectionBinding kOther{{std::byte{2}}};

FrameKind sent_kind(const FakeTransport::Sent& one) {
  return static_cast<FrameKind>(decode<FrameHeader>(one.frame.data()).kind);
}

struct SessionRelay : testing::Test {
  void bind(const ConnectionBinding& first, const ConnectionBinding& second) {
    two.sides[0].fake->bound_to = first;
    two.sides[1].fake->bound_to = second;
  }
  void expect_closed_to_strangers(std::size_t i) {
    EXPECT_NE(two.state(i), PeerState::kOpen) << "side " << i;
    EXPECT_THAT(two.sides[i].fake->admitted, IsEmpty()) << "side " << i;
  }
  void expect_open_in_the_end() {
    two.settle();
    EXPECT_EQ(two.state(0), PeerState::kOpen);
    EXPECT_EQ(two.state(1), PeerState::kOpen);
  }
  TwoSessions two{"the secret of a job"};
};

TEST_F(SessionRelay, OneConnectionIsNoRelay) {
  bind(kOne, kOne);
  two.send(0, "a");
  expect_open_in_the_end();
}

TEST_F(SessionRelay, NoSessionBeginsOverTwoConnections) {
  bind(kOne, kOther);
  two.send(0, "a");
  two.settle();
  expect_closed_to_strangers(0);
  expect_closed_to_strangers(1);
  EXPECT_EQ(two.sides[0].session->counters().unproved, 1U);
}

TEST_F(SessionRelay, NoSessionBeginsOverTwoConnectionsIfBothCall) {
  bind(kOne, kOther);
  two.send(0, "a");
  two.send(1, "b");
  two.settle();
  expect_closed_to_strangers(0);
  expect_closed_to_strangers(1);
}

TEST_F(SessionRelay, AConfirmationCountsOnTheConnectionOfItsWelcomeOnly) {
  bind(kOne, kOne);
  two.send(0, "a");
  two.pass_on(0);
  two.pass_on(1);
  ASSERT_EQ(two.state(0), PeerState::kOpen);
  two.sides[1].fake->bound_to = kOther;  // somebody else has the confirmation, and passes it on
  two.pass_on(0);
  expect_closed_to_strangers(1);
  EXPECT_EQ(two.sides[1].session->counters().unproved, 1U);
}

TEST_F(SessionRelay, AConfirmationIsNotSentOnAnotherConnection) {
  bind(kOne, kOne);
  two.send(0, "a");
  two.pass_on(0);
  two.sides[0].fake->room = false;
  two.pass_on(1);
  ASSERT_EQ(two.state(0), PeerState::kWelcoming) << "its confirmation waits";
  two.sides[0].fake->room = true;
  two.sides[0].fake->bound_to = kOther;
  two.now = two.now + std::chrono::milliseconds(1);
  two.sides[0].session->poll(two.now, two.sides[0].sink);
  EXPECT_THAT(two.sides[0].fake->sent, IsEmpty());
  expect_closed_to_strangers(0);
  EXPECT_THAT(two.sides[0].sink.failures, IsEmpty()) << "it calls again";
}

TEST_F(SessionRelay, AWelcomeIsNotSentOnAnotherConnection) {
  bind(kOne, kOne);
  two.sides[1].fake->room = false;
  two.send(0, "a");
  two.pass_on(0);
  ASSERT_EQ(two.state(1), PeerState::kWelcoming);
  two.sides[1].fake->room = true;
  two.sides[1].fake->bound_to = kOther;
  two.now = two.now + std::chrono::milliseconds(1);
  two.sides[1].session->poll(two.now, two.sides[1].sink);
  EXPECT_THAT(two.sides[1].fake->sent, IsEmpty());
  EXPECT_EQ(two.state(1), PeerState::kClosed);
}

TEST_F(SessionRelay, AHelloThatComesAgainOnAnotherConnectionIsAnsweredForThat) {
  bind(kOne, kOne);
  two.send(0, "a");
  const FakeTransport::Sent hello = two.sides[0].fake->sent.front();
  two.pass_on(0);
  two.sides[1].fake->sent.clear();  // the welcome is lost with the connection
  bind(kOther, kOther);
  two.sides[0].fake->sent.push_back(hello);
  expect_open_in_the_end();
}

TEST_F(SessionRelay, ALostConnectionIsNotTakenForARefusalOfOurHello) {
  bind(kOne, kOne);
  two.send(0, "a");
  two.send(1, "b");
  two.pass_on(0);
  ASSERT_EQ(two.state(1), PeerState::kWelcoming) << "and its own hello is unanswered";
  two.sides[1].fake->sent.clear();
  two.sides[1].fake->bound_to = kOther;
  two.sides[1].fake->fails(two.sides[1].lower_peer);
  two.sides[1].session->poll(two.now, two.sides[1].sink);
  EXPECT_EQ(two.state(1), PeerState::kConnecting);
  EXPECT_THAT(two.sides[1].fake->sent, IsEmpty()) << "no welcome for who has the new connection";
  two.now = two.sides[1].session->next_deadline();
  two.sides[1].session->poll(two.now, two.sides[1].sink);
  ASSERT_FALSE(two.sides[1].fake->sent.empty());
  EXPECT_EQ(sent_kind(two.sides[1].fake->sent.front()), FrameKind::kHello);
}

TEST(SessionProofs, CoverTheConnection) {
  const Digest key{};
  const HandshakeHalf half{2, {}};
  EXPECT_NE(prove_welcome(key, kOne.bytes, half, half),
            prove_welcome(key, kOther.bytes, half, half));
  EXPECT_NE(prove_confirmation(key, kOne.bytes, half, half),
            prove_confirmation(key, kOther.bytes, half, half));
}

}  // namespace
}  // namespace lintel::transport
