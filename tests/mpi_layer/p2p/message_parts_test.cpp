// Sends, Receives, UnexpectedBlocks, Probes and EagerPlacement, each tested through its own
// functions.

#include <cstring>

#include "tests/mpi_layer/p2p/parts_fixture.h"

namespace lintel::testing {
namespace {

using mpi::CallError;
using mpi::ReceiveRequest;
using mpi::RequestEnds;
using mpi::RequestFailure;
using mpi::SendMode;
using mpi::SendRequest;

constexpr std::uint32_t kContext = 1;
constexpr std::int32_t kTag = 5;

class MessageParts : public PartsTest {
 protected:
  CallError send(SendRequest& request, std::span<const std::byte> bytes,
                 SendMode mode = SendMode::kStandard) LINTEL_REQUIRES(kLock) {
    const CallError error =
        here.sends.set_up({bytes.data(), bytes.size(), 0, kContext, kTag, mode}, request, false);
    return error == CallError::kNone ? here.sends.begin(request) : error;
  }
  CallError receive(ReceiveRequest& request, std::span<std::byte> buffer, std::int32_t source = 0)
      LINTEL_REQUIRES(kLock) {
    const CallError error = there.receives.set_up(
        {buffer.data(), buffer.size(), source, kContext, kTag}, request, false);
    if (error == CallError::kNone) there.receives.begin(request);
    return error;
  }
  void pass() LINTEL_REQUIRES(kLock) {
    for (int i = 0; i < 4; ++i) {
      settle();
      here.drain();
      there.drain();
    }
  }
  // The requests have ended and have been reported.
  static ::testing::AssertionResult ended(std::initializer_list<mpi::MessageRequest*> requests) {
    for (mpi::MessageRequest* request : requests) {
      if (request->under_way()) return ::testing::AssertionFailure() << "one is under way";
      RequestEnds::retire(*request);
      if (request->result().failure != RequestFailure::kNone)
        return ::testing::AssertionFailure() << "one has failed";
    }
    return ::testing::AssertionSuccess();
  }

  std::vector<std::byte> out = std::vector<std::byte>(5000, std::byte{7});
  std::vector<std::byte> in = std::vector<std::byte>(5000);
};

TEST_F(MessageParts, AShortMessageHasLeftWhenTheEngineHasIt) {
  kLock.is_held();
  SendRequest sent;
  ReceiveRequest received;
  ASSERT_EQ(receive(received, in), CallError::kNone);
  ASSERT_EQ(send(sent, std::span(out).first(100)), CallError::kNone);
  EXPECT_TRUE(ended({&sent}));
  EXPECT_TRUE(here.sends.idle());
  pass();
  EXPECT_TRUE(ended({&received}));
  EXPECT_EQ(received.result().length, 100U);
  EXPECT_EQ(std::memcmp(in.data(), out.data(), 100), 0);
}

TEST_F(MessageParts, TheRestOfALongMessageIsPulled) {
  kLock.is_held();
  SendRequest sent;
  ReceiveRequest received;
  ASSERT_EQ(receive(received, in), CallError::kNone);
  ASSERT_EQ(send(sent, out), CallError::kNone);
  EXPECT_TRUE(sent.under_way());
  EXPECT_FALSE(here.sends.idle());
  settle();
  there.drain();
  EXPECT_EQ(there.peer->controls.pulls, 1U);
  pass();
  EXPECT_TRUE(ended({&sent, &received}));
  EXPECT_EQ(there.peer->controls.pulls, 0U);
  EXPECT_EQ(in, out);
  EXPECT_TRUE(here.sends.idle());
}

TEST_F(MessageParts, SendsWithoutCreditWaitInOrderUntilItComes) {
  kLock.is_held();
  std::array<SendRequest, 6> sent;
  for (SendRequest& request : sent)
    ASSERT_EQ(send(request, std::span(out).first(8)), CallError::kNone);
  EXPECT_FALSE(sent[3].under_way());
  EXPECT_TRUE(sent[4].under_way());
  EXPECT_TRUE(here.sends.wants_turn(sent[4]));
  EXPECT_TRUE(here.deferred_work.any());
  here.credit.receive(*here.peer, {0, 1});
  here.sends.retry();
  EXPECT_FALSE(sent[4].under_way());
  EXPECT_TRUE(sent[5].under_way());
  EXPECT_TRUE(here.sends.has_deferred_work());
  here.sends.end_lost(*here.peer);
  EXPECT_EQ(sent[5].result().failure, RequestFailure::kPeerLost);
  for (SendRequest& request : sent) RequestEnds::retire(request);
  here.sends.retry();
  EXPECT_TRUE(here.sends.idle());
}

TEST_F(MessageParts, ASendThatWaitsMayBeCancelled) {
  kLock.is_held();
  here.credit.spend(*here.peer, 0);
  for (int i = 0; i < 3; ++i) here.credit.spend(*here.peer, 0);
  SendRequest sent;
  ASSERT_EQ(send(sent, std::span(out).first(8)), CallError::kNone);
  EXPECT_FALSE(here.sends.cancel(sent));
  EXPECT_TRUE(ended({&sent}));
  EXPECT_TRUE(sent.result().cancelled);
}

TEST_F(MessageParts, ReceivesBeyondTheMostWaitForRoom) {
  kLock.is_held();
  std::array<ReceiveRequest, 3> received;
  for (ReceiveRequest& request : received)
    ASSERT_EQ(receive(request, std::span(in).first(8)), CallError::kNone);
  EXPECT_EQ(there.engine.posted(), kMostPosted);
  EXPECT_TRUE(there.receives.has_deferred_work());
  there.receives.cancel(received[0]);
  EXPECT_TRUE(received[0].result().cancelled);
  there.receives.retry();
  EXPECT_FALSE(there.receives.has_deferred_work());
  EXPECT_EQ(there.engine.posted(), kMostPosted);
  for (ReceiveRequest& request : received) {
    if (request.under_way()) there.receives.cancel(request);
    RequestEnds::retire(request);
  }
}

TEST_F(MessageParts, ALostPeerEndsItsReceivesAndThoseFromAnySource) {
  kLock.is_held();
  ReceiveRequest named;
  ReceiveRequest any;
  ASSERT_EQ(receive(named, in), CallError::kNone);
  ASSERT_EQ(receive(any, in, mpi::kAnySource), CallError::kNone);
  there.receives.end_lost(*there.peer);
  for (ReceiveRequest* request : {&named, &any}) {
    EXPECT_EQ(request->result().failure, RequestFailure::kPeerLost);
    RequestEnds::retire(*request);
  }
  EXPECT_EQ(there.engine.posted(), 0U);
}

TEST_F(MessageParts, AnUnexpectedMessageTakesRoomUntilItIsReceived) {
  kLock.is_held();
  const std::uint64_t room = there.unexpected_blocks.room();
  SendRequest sent;
  ASSERT_EQ(send(sent, std::span(out).first(1000)), CallError::kNone);
  EXPECT_TRUE(ended({&sent}));
  pass();
  EXPECT_EQ(there.unexpected_blocks.room(), room - 1000);
  mpi::MessageResult envelope;
  EXPECT_TRUE(there.probes.look({0, kContext, kTag}, envelope));
  EXPECT_EQ(envelope.length, 1000U);
  EXPECT_FALSE(there.probes.look({0, kContext, kTag + 1}, envelope));
  ReceiveRequest received;
  ASSERT_EQ(receive(received, in), CallError::kNone);
  pass();
  EXPECT_TRUE(ended({&received}));
  there.unexpected_blocks.reuse_blocks();
  EXPECT_EQ(there.unexpected_blocks.room(), room);
}

TEST_F(MessageParts, RoomIsMadeByMovingMessagesAndTheyStay) {
  kLock.is_held();
  const std::uint64_t room = there.unexpected_blocks.room();
  SendRequest sent;
  ASSERT_EQ(send(sent, std::span(out).first(1000)), CallError::kNone);
  EXPECT_TRUE(ended({&sent}));
  pass();
  EXPECT_TRUE(there.unexpected_blocks.make_room(room));
  EXPECT_EQ(there.unexpected_blocks.room(), room);
  mpi::MatchedMessage message;
  ASSERT_TRUE(there.probes.take({mpi::kAnySource, kContext, mpi::kAnyTag}, message));
  ReceiveRequest received;
  ASSERT_EQ(there.receives.begin_matched(message, in.data(), in.size(), received),
            CallError::kNone);
  EXPECT_FALSE(message);
  EXPECT_TRUE(ended({&received}));
  EXPECT_EQ(std::memcmp(in.data(), out.data(), 1000), 0);
}

TEST_F(MessageParts, OnlyALongAnswerToAPeerThatAcceptsIsPlaced) {
  kLock.is_held();
  constexpr std::uint64_t kLong = 2 * mpi::EagerPlacement::kLeast;
  mpi::EagerPlacement& placement = here.placement;
  mpi::Peer& peer = *here.peer;
  placement.set_limit(4 * mpi::EagerPlacement::kLeast);
  mpi::EagerPlacement::note_acceptance(peer, true);
  EXPECT_FALSE(placement.suits(peer, kLong, kContext));  // nothing to answer
  peer.numbers.note_arrival(1);
  EXPECT_TRUE(placement.suits(peer, kLong, kContext));
  EXPECT_FALSE(placement.suits(peer, mpi::EagerPlacement::kLeast - 1, kContext));
  EXPECT_FALSE(placement.suits(peer, 3 * kLong, kContext));
  EXPECT_FALSE(placement.suits(peer, kLong, 1U << 20U));  // its key has no room for the context
  peer.numbers.note_sent();
  EXPECT_FALSE(placement.suits(peer, kLong, kContext));  // the answer has been sent
  peer.numbers.note_arrival(2);
  mpi::EagerPlacement::note_acceptance(peer, false);
  EXPECT_FALSE(placement.suits(peer, kLong, kContext));
}

}  // namespace
}  // namespace lintel::testing
