// Placed messages through sessions: each has a frame of its own, in order with the others, and ends
// with the session.

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tests/unit/transport/session_fixture.h"

namespace lintel::transport {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using Kind = FrameKind;

class SessionPlacement : public SessionTest {
 protected:
  static constexpr PlacementKey kKey{7};
  static constexpr Context kContext{11};
  static constexpr std::string_view kPayload = "payload";

  SessionPlacement() { open(); }

  static std::span<const std::byte> payload() { return std::as_bytes(std::span(kPayload)); }
  // Abandons a message that is not accepted. Returns kWouldBlock also when no buffer was available.
  PostStatus send_placed(std::string_view message) {
    const MessageBuffer buffer = session->reserve(peer, message.size());
    if (!buffer) return PostStatus::kWouldBlock;
    std::memcpy(buffer.data, message.data(), message.size());
    const PostStatus status =
        session->commit_placed(peer, buffer, message.size(), payload(), kKey, kContext);
    if (status != PostStatus::kOk) session->abandon(peer, buffer);
    return status;
  }
  FakeTransport::Sent take_sent_placed() {
    if (fake->sent.empty()) {
      ADD_FAILURE() << "no frame was sent";
      return {peer, Frame{}.bytes()};
    }
    FakeTransport::Sent sent = std::move(fake->sent.front());
    fake->sent.pop_front();
    return sent;
  }

  // Delivers as the lower transport does: in its memory for unexpected placed messages.
  void arrives_placed(const Frame& frame) { arrives_placed(frame.bytes()); }
  void arrives_placed(Bytes frame, PeerId from = kNoPeer) {
    frame.resize(std::max(frame.size(), fake->attributes().max_placed_message));
    fake->arrives_placed(std::move(frame), payload(), from);
  }
  void receive_placed(const Frame& frame) {
    arrives_placed(frame);
    poll();
  }
  Frame placed_frame(std::uint32_t sequence,
                     std::initializer_list<std::string_view> messages = {"m"}) const {
    return of_session(Kind::kData, sequence, 0, records(messages));
  }
  // The session must drop the frame, count it under `cause`, and continue as if it had not come.
  void expect_dropped(Bytes frame, std::uint64_t SessionCounters::*cause) {
    const std::uint64_t before = session->counters().*cause;
    fake->arrives_placed(std::move(frame), payload());
    poll();
    EXPECT_EQ(session->counters().*cause, before + 1);
    EXPECT_THAT(sink.log, IsEmpty());
    receive_placed(placed_frame(++good_));
    EXPECT_THAT(sink.take(), ElementsAre("placed message 0 m payload"));
  }
  void expect_dropped(const Frame& frame, std::uint64_t SessionCounters::*cause) {
    expect_dropped(frame.bytes(), cause);
  }
  Frame next_placed(Bytes body) const {
    return of_session(Kind::kData, good_ + 1, 0, std::move(body));
  }

  std::byte room[8] = {};

 private:
  std::uint32_t good_ = 0;
};

TEST_F(SessionPlacement, MessageOfAPlacedMessageIsThatOfTheLowerTransportLessTheHeaders) {
  EXPECT_EQ(session->attributes().max_placed_message, 128U - 32U);
  EXPECT_EQ(session->attributes().max_placed_bytes, fake->attributes().max_placed_bytes);
}

TEST_F(SessionPlacement, ThereAreNoneWhereTheLowerTransportHasNone) {
  auto lower = std::make_unique<FakeTransport>(kSelf);
  lower->attributes().max_placed_bytes = lower->attributes().max_placed_message = 0;
  const Session without(std::move(lower), {.incarnation = 1});
  EXPECT_EQ(without.attributes().max_placed_bytes, 0U);
  EXPECT_EQ(without.attributes().max_placed_message, 0U);
}

TEST_F(SessionPlacement, OddLowerLimitIsRoundedDownToWholeRecords) {
  auto lower = std::make_unique<FakeTransport>(kSelf);
  lower->attributes().max_placed_message = 127;
  const Session odd(std::move(lower), {.incarnation = 1});
  EXPECT_EQ(odd.attributes().max_placed_message, 120U - 32U);
}

TEST_F(SessionPlacement, AreWelcomedBelow) {
  EXPECT_FALSE(fake->welcomed);
  session->enable_placement();
  EXPECT_TRUE(fake->welcomed);
}

TEST_F(SessionPlacement, PlacedMessageLeavesAtOnceInAFrameOfItsOwn) {
  EXPECT_EQ(send_placed("m"), PostStatus::kOk);
  const FakeTransport::Sent sent = take_sent_placed();
  EXPECT_EQ(sent.to, lower_peer);
  EXPECT_EQ(kind_of(sent.frame), Kind::kData);
  EXPECT_EQ(header_of(sent.frame).sequence, 1U);
  EXPECT_EQ(header_of(sent.frame).length, sent.frame.size() - sizeof(FrameHeader));
  EXPECT_THAT(messages_of(sent.frame), ElementsAre("m"));
  EXPECT_EQ(sent.payload.data(), payload().data());
  EXPECT_EQ(sent.payload.size(), payload().size());
  EXPECT_EQ(sent.key, kKey);
  EXPECT_EQ(sent.context, kContext);
}

TEST_F(SessionPlacement, LargestMessageOfAPlacedMessageFitsExactly) {
  const std::string message(session->attributes().max_placed_message, 'x');
  EXPECT_EQ(send_placed(message), PostStatus::kOk);
  const FakeTransport::Sent sent = take_sent_placed();
  EXPECT_EQ(sent.frame.size(), fake->attributes().max_placed_message);
  EXPECT_THAT(messages_of(sent.frame), ElementsAre(message));
}

TEST_F(SessionPlacement, PlacedMessagesAndMessagesShareTheSequence) {
  send("a");
  send_placed("m");
  send("b");
  poll();
  std::vector<std::uint32_t> sequences;
  while (!fake->sent.empty()) sequences.push_back(header_of(take_sent()).sequence);
  EXPECT_THAT(sequences, ElementsAre(1, 2, 3));
}

TEST_F(SessionPlacement, PlacedMessageCarriesTheAcknowledgement) {
  receive(of_session(Kind::kData, 1, 0, records({"a"})));
  send_placed("m");
  EXPECT_EQ(header_of(take_sent()).acknowledged, 1U);
}

TEST_F(SessionPlacement, PlacedMessageWouldBlockWhileAnotherMessageWaitsInTheOpenFrame) {
  send("leaves");
  send("waits");
  EXPECT_EQ(send_placed("m"), PostStatus::kWouldBlock);
  EXPECT_THAT(messages_of(take_sent()), ElementsAre("leaves"));
  EXPECT_THAT(fake->sent, IsEmpty());
  poll();
  EXPECT_THAT(messages_of(take_sent()), ElementsAre("waits"))
      << "alone: nothing of the placed message stays behind";
  EXPECT_EQ(send_placed("m"), PostStatus::kOk);
  EXPECT_THAT(messages_of(take_sent()), ElementsAre("m"));
}

TEST_F(SessionPlacement, PlacedMessageGoesThoughAFrameIsLeaving) {
  send("leaves");
  EXPECT_EQ(send_placed("m"), PostStatus::kOk);
  EXPECT_EQ(fake->sent.size(), 2U);
}

TEST_F(SessionPlacement, PlacedMessageWouldBlockWhenTheWindowIsFullThenAckOpensIt) {
  start({.window_frames = 2});
  open();
  EXPECT_EQ(send_placed("1"), PostStatus::kOk);
  EXPECT_EQ(send_placed("2"), PostStatus::kOk);
  EXPECT_EQ(send_placed("3"), PostStatus::kWouldBlock);
  EXPECT_EQ(session->counters().would_block, 1U);
  fake->sent.clear();
  receive(of_session(Kind::kAck, 0, 1));
  EXPECT_EQ(send_placed("3"), PostStatus::kOk);
}

TEST_F(SessionPlacement, PlacedMessageWouldBlockWhereNoSessionIsOpen) {
  const PeerId other = *session->resolve({NodeId{3}, Pid{3}});
  EXPECT_EQ(session->commit_placed(other, {}, 0, payload(), kKey, kContext),
            PostStatus::kWouldBlock);
  EXPECT_FALSE(session->reserve(other, 1));  // connects
  EXPECT_EQ(session->commit_placed(other, {}, 0, payload(), kKey, kContext),
            PostStatus::kWouldBlock);
}

TEST_F(SessionPlacement, PlacedMessageToOneselfWouldBlockAndItsMessageMayGoAlone) {
  const PeerId local = *session->resolve(kSelf);
  const MessageBuffer buffer = session->reserve(local, 1);
  ASSERT_TRUE(buffer);
  buffer.data[0] = std::byte{'m'};
  EXPECT_EQ(session->commit_placed(local, buffer, 1, payload(), kKey, kContext),
            PostStatus::kWouldBlock);
  EXPECT_FALSE(session->expect_placement(local, kKey, room));
  EXPECT_EQ(session->withdraw_placement(local), Withdrawal::kNone);
  EXPECT_EQ(session->commit(local, buffer, 1), PostStatus::kOk);
  poll();
  EXPECT_THAT(sink.take(), ElementsAre("message 1 m", "left 1"));
}

TEST_F(SessionPlacement, PlacedMessageThatTheLowerTransportDoesNotTakeNowLeavesNothingBehind) {
  fake->commit_answer = PostStatus::kWouldBlock;
  EXPECT_EQ(send_placed("m"), PostStatus::kWouldBlock);
  EXPECT_EQ(fake->lent(), 0U);
  EXPECT_EQ(session->counters().messages_sent, 0U);
  fake->commit_answer = PostStatus::kOk;
  poll(1ms);
  EXPECT_THAT(fake->sent, IsEmpty());
  send("a");
  EXPECT_EQ(header_of(take_sent()).sequence, 1U);
}

TEST_F(SessionPlacement, MessageOfAPlacedMessageThatIsNotTakenMayBeCommittedWithoutIt) {
  const MessageBuffer buffer = session->reserve(peer, 5);
  std::memcpy(buffer.data, "again", 5);
  fake->commit_answer = PostStatus::kWouldBlock;
  EXPECT_EQ(session->commit_placed(peer, buffer, 5, payload(), kKey, kContext),
            PostStatus::kWouldBlock);
  fake->commit_answer = PostStatus::kOk;
  EXPECT_EQ(session->commit(peer, buffer, 5), PostStatus::kOk);
  EXPECT_THAT(messages_of(take_sent()), ElementsAre("again"));
  EXPECT_EQ(session->counters().messages_sent, 1U);
}

TEST_F(SessionPlacement, PlacedMessageThatWaitsForRoomBelowIsTriedAgainSoon) {
  fake->commit_answer = PostStatus::kWouldBlock;
  EXPECT_EQ(send_placed("m"), PostStatus::kWouldBlock);
  EXPECT_EQ(session->next_deadline(), now + 1ms) << "as after a reserve() that lends nothing";
}

TEST_F(SessionPlacement, ConnectionLostInAPlacedMessageFailsItAndIsReportedByTheNextPoll) {
  fake->commit_answer = PostStatus::kFailed;
  EXPECT_EQ(send_placed("m"), PostStatus::kFailed);
  EXPECT_EQ(fake->lent(), 0U);
  EXPECT_THAT(sink.failures, IsEmpty());
  EXPECT_EQ(session->commit_placed(peer, {}, 0, payload(), kKey, kContext), PostStatus::kFailed);
  poll();
  ASSERT_EQ(sink.failures.size(), 1U);
  EXPECT_STREQ(sink.failures[0].reason(), "the connection is lost");
}

TEST_F(SessionPlacement,
       MessageOfAPlacedMessageHasLeftWhenItsFrameHasLeftAndItsPayloadIsFreeWhenThatIsSaidBelow) {
  send_placed("m");
  fake->left(lower_peer);
  poll();
  EXPECT_THAT(sink.take(), ElementsAre("left 0"));
  fake->written(kContext);
  poll();
  EXPECT_THAT(sink.take(), ElementsAre("write_done 11"));
}

TEST_F(SessionPlacement, UnacknowledgedPlacedMessageIsAskedAbout) {
  send_placed("m");
  poll();
  EXPECT_EQ(session->next_deadline(), now + 2500ms);
}

TEST_F(SessionPlacement, PlacedMessageIsHandedUpWithItsSenderItsMessageAndItsPayload) {
  receive_placed(placed_frame(1, {"message"}));
  EXPECT_THAT(sink.take(), ElementsAre("placed message 0 message payload"));
  EXPECT_EQ(sink.payloads[0], payload().data());
  EXPECT_EQ(session->counters().messages_received, 1U);
}

TEST_F(SessionPlacement, EmptyMessageOfAPlacedMessageIsAMessage) {
  receive_placed(placed_frame(1, {""}));
  EXPECT_THAT(sink.take(), ElementsAre("placed message 0  payload"));
}

TEST_F(SessionPlacement, PlacedMessagesAndMessagesAreTakenInOneSequence) {
  receive(of_session(Kind::kData, 1, 0, records({"a", "b"})));
  receive_placed(placed_frame(2));
  receive(of_session(Kind::kData, 3, 0, records({"c"})));
  EXPECT_THAT(sink.take(), ElementsAre("message 0 a", "message 0 b", "placed message 0 m payload",
                                       "message 0 c"));
}

TEST_F(SessionPlacement, PlacedMessagesAreAcknowledgedAsMessagesAre) {
  for (std::uint32_t i = 1; i <= 16; ++i) receive_placed(placed_frame(i));
  EXPECT_THAT(fake->sent, IsEmpty());
  receive_placed(placed_frame(17));
  const Bytes ack = take_sent();
  EXPECT_EQ(kind_of(ack), Kind::kAck);
  EXPECT_EQ(header_of(ack).acknowledged, 17U);
}

TEST_F(SessionPlacement, PlacedMessageAcknowledges) {
  send("a");
  take_sent();
  Frame frame = placed_frame(1);
  frame.acknowledged = 1;
  receive_placed(frame);
  EXPECT_EQ(session->next_deadline(), kNever);
}

TEST_F(SessionPlacement, PlacedMessageThatComesAgainIsSuppressedAndCounted) {
  receive_placed(placed_frame(1));
  receive_placed(placed_frame(1));
  receive(of_session(Kind::kData, 1, 0, records({"a"})));
  EXPECT_THAT(sink.take(), ElementsAre("placed message 0 m payload"));
  EXPECT_EQ(session->counters().duplicates, 2U);
  EXPECT_THAT(sink.failures, IsEmpty());
}

TEST_F(SessionPlacement, FrameLostBeforeAPlacedMessageIsSeenAsAGapAndFailsThePeer) {
  receive_placed(placed_frame(2));
  EXPECT_THAT(sink.take(), ElementsAre("failed 0 frames from the peer were lost"));
  EXPECT_EQ(session->counters().gaps, 1U);
}

TEST_F(SessionPlacement, FrameShorterThanItsHeader) {
  const Bytes whole = placed_frame(1).bytes();
  for (std::size_t length = 0; length < sizeof(FrameHeader); ++length) {
    expect_dropped(Bytes(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length)),
                   &SessionCounters::malformed_short);
  }
}

TEST_F(SessionPlacement, WrongMagicVersionOrKind) {
  Frame frame = next_placed(records({"m"}));
  frame.magic = 0x1234;
  expect_dropped(frame, &SessionCounters::malformed_magic);
  frame = next_placed(records({"m"}));
  frame.version = kFrameVersion + 1;
  expect_dropped(frame, &SessionCounters::malformed_version);
  for (const Kind kind : {Kind::kHello, Kind::kWelcome, Kind::kRefuse, Kind::kAck, Kind::kPing,
                          Kind::kGoodbye, Kind{0}, Kind{8}, Kind{255}}) {
    frame = next_placed(records({"m"}));
    frame.kind = kind;
    expect_dropped(frame, &SessionCounters::malformed_kind);
  }
}

TEST_F(SessionPlacement, LengthBeyondTheFrame) {
  for (const std::int32_t error : {1, 8, 1000, 0x7fffff00}) {
    Frame frame = next_placed(records({"m"}));
    frame.length_error = error;
    expect_dropped(frame, &SessionCounters::malformed_length);
  }
}

TEST_F(SessionPlacement, LengthThatCutsTheRecord) {
  for (const std::int32_t error : {-1, -8, -9, -15}) {
    Frame frame = next_placed(records({"m"}));
    frame.length_error = error;
    expect_dropped(frame, &SessionCounters::malformed_record);
  }
}

TEST_F(SessionPlacement, NoRecordOrMoreThanOne) {
  expect_dropped(next_placed({}), &SessionCounters::malformed_record);
  expect_dropped(next_placed(records({"m", "another"})), &SessionCounters::malformed_record);
  expect_dropped(next_placed(records({"m", ""})), &SessionCounters::malformed_record);
}

TEST_F(SessionPlacement, RecordLongerThanTheFrame) {
  for (const std::uint32_t length : {9U, 100U, 0x7fffffffU, 0xffffffffU}) {
    Bytes body = records({"12345678"});
    encode(body.data(), RecordHeader{length, 0});
    expect_dropped(next_placed(body), &SessionCounters::malformed_record);
  }
}

TEST_F(SessionPlacement, HalfARecordBehindTheMessage) {
  Bytes body = records({"m"});
  body.resize(body.size() + 4);
  expect_dropped(next_placed(body), &SessionCounters::malformed_record);
}

TEST_F(SessionPlacement, WrongSlotEpochOrAcknowledgement) {
  Frame frame = next_placed(records({"m"}));
  frame.slot = 1000;
  expect_dropped(frame, &SessionCounters::malformed_slot);
  frame = next_placed(records({"m"}));
  frame.epoch += 1;
  expect_dropped(frame, &SessionCounters::stale_epoch);
  frame = next_placed(records({"m"}));
  frame.acknowledged = 1;
  expect_dropped(frame, &SessionCounters::malformed_acknowledgement);
}

TEST_F(SessionPlacement, PlacedMessageThatLandedFromAnotherProcessThanItsSlotSays) {
  const PeerId stranger = *fake->resolve({NodeId{3}, Pid{3}});
  arrives_placed(placed_frame(1).bytes(), stranger);
  poll();
  EXPECT_EQ(session->counters().malformed_source, 1U);
  EXPECT_THAT(sink.log, IsEmpty());
  arrives_placed(placed_frame(1).bytes(), lower_peer);
  poll();
  EXPECT_THAT(sink.take(), ElementsAre("placed message 0 m payload"));
}

TEST_F(SessionPlacement, ExpectationIsThatOfTheLowerTransport) {
  ASSERT_TRUE(session->expect_placement(peer, kKey, room));
  ASSERT_TRUE(fake->expected.contains(lower_peer));
  EXPECT_EQ(fake->expected[lower_peer].key, kKey);
  EXPECT_EQ(fake->expected[lower_peer].memory.data(), room);
  EXPECT_FALSE(session->expect_placement(peer, PlacementKey{8}, room)) << "one per peer";
  fake->arriving = true;
  EXPECT_EQ(session->withdraw_placement(peer), Withdrawal::kArriving);
  fake->arriving = false;
  EXPECT_EQ(session->withdraw_placement(peer), Withdrawal::kWithdrawn);
  EXPECT_EQ(session->withdraw_placement(peer), Withdrawal::kNone);
}

TEST_F(SessionPlacement, NothingIsExpectedWhereNoSessionIsOpen) {
  const PeerId other = *session->resolve({NodeId{3}, Pid{3}});
  EXPECT_FALSE(session->expect_placement(other, kKey, room));
  EXPECT_EQ(session->withdraw_placement(other), Withdrawal::kNone);
  EXPECT_THAT(fake->expected, IsEmpty());
}

TEST_F(SessionPlacement, EndOfTheSessionForgetsWhatWasExpected) {
  const auto restart = [this] {
    start();
    open();
  };
  const auto expects = [this] { return session->expect_placement(peer, kKey, room); };
  const auto ended = [this] {
    EXPECT_EQ(sink.failures.size(), 1U);
    sink.failures.clear();
    EXPECT_EQ(session->withdraw_placement(peer), Withdrawal::kNone);
    return fake->expected.empty();
  };
  ASSERT_TRUE(expects());
  receive(of_session(Kind::kGoodbye, 0, 0));
  EXPECT_TRUE(ended()) << "the peer says goodbye";

  restart();
  ASSERT_TRUE(expects());
  fake->fails(lower_peer);
  poll();
  EXPECT_TRUE(ended()) << "the connection breaks";

  restart();
  ASSERT_TRUE(expects());
  begin_again();
  EXPECT_TRUE(ended()) << "the peer has begun another session";

  restart();
  ASSERT_TRUE(expects());
  receive(of_session(Kind::kData, 2, 0, records({"after a gap"})));
  EXPECT_TRUE(ended()) << "a frame is lost";

  restart();
  ASSERT_TRUE(expects());
  fake->commit_answer = PostStatus::kFailed;
  send("a");
  EXPECT_TRUE(fake->expected.empty()) << "before anybody is told";
  poll();
  EXPECT_TRUE(ended()) << "a message cannot be sent";
}

TEST_F(SessionPlacement, PlacedMessageOfAnEndedSessionIsDropped) {
  ASSERT_TRUE(session->expect_placement(peer, kKey, room));
  fake->arriving = true;
  const Frame late = placed_frame(1);
  receive(of_session(Kind::kGoodbye, 0, 0));
  sink.take();
  receive_placed(late);
  EXPECT_THAT(sink.log, IsEmpty());
  EXPECT_EQ(session->counters().stale_epoch, 1U);
}

}  // namespace
}  // namespace lintel::transport
