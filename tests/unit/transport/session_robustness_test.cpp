// Invalid frames are dropped and counted by cause, without harm to the session.

#include <random>

#include "tests/unit/transport/session_fixture.h"

namespace lintel::transport {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using Kind = FrameKind;

class SessionRobustness : public SessionTest {
 protected:
  SessionRobustness() { open(); }

  // The session must drop the frame, count it under `cause`, and continue as if it had not come.
  void expect_dropped(Bytes frame, std::uint64_t SessionCounters::*cause) {
    const std::uint64_t before = session->counters().*cause;
    fake->arrives(std::move(frame));
    poll();
    EXPECT_EQ(session->counters().*cause, before + 1);
    EXPECT_THAT(sink.log, IsEmpty());
    receive(of_session(Kind::kData, ++good_, 0, records({"good"})));
    EXPECT_THAT(sink.take(), ElementsAre("message 0 good"));
  }
  void expect_dropped(const Frame& frame, std::uint64_t SessionCounters::*cause) {
    expect_dropped(frame.bytes(), cause);
  }
  Frame next_data(Bytes body) const {
    return of_session(Kind::kData, good_ + 1, 0, std::move(body));
  }

  std::uint32_t good_ = 0;
};

TEST_F(SessionRobustness, FrameShorterThanItsHeader) {
  const Bytes whole = of_session(Kind::kAck, 0, 0).bytes();
  for (std::size_t length = 0; length < whole.size(); ++length) {
    expect_dropped(Bytes(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length)),
                   &SessionCounters::malformed_short);
  }
}

TEST_F(SessionRobustness, WrongMagic) {
  Frame frame = next_data(records({"a"}));
  frame.magic = 0x1234;
  expect_dropped(frame, &SessionCounters::malformed_magic);
}

TEST_F(SessionRobustness, WrongVersion) {
  Frame frame = next_data(records({"a"}));
  frame.version = kFrameVersion + 1;
  expect_dropped(frame, &SessionCounters::malformed_version);
}

TEST_F(SessionRobustness, UnknownKind) {
  for (const int kind : {0, 9, 255}) {
    Frame frame = next_data(records({"a"}));
    frame.kind = static_cast<Kind>(kind);
    expect_dropped(frame, &SessionCounters::malformed_kind);
  }
}

TEST_F(SessionRobustness, LengthThatIsNotThatOfTheFrame) {
  for (const std::int32_t error : {-1, 1, 100, -16}) {
    Frame frame = next_data(records({"a"}));
    frame.length_error = error;
    expect_dropped(frame, &SessionCounters::malformed_length);
  }
}

TEST_F(SessionRobustness, BodyWhereNoneBelongs) {
  expect_dropped(of_session(Kind::kAck, 0, 0, Bytes(8)), &SessionCounters::malformed_length);
  expect_dropped(of_session(Kind::kPing, 0, 0, Bytes(8)), &SessionCounters::malformed_length);
  expect_dropped(of_session(Kind::kGoodbye, 0, 0, Bytes(8)), &SessionCounters::malformed_length);
}

TEST_F(SessionRobustness, SlotOutOfRange) {
  for (const std::uint32_t slot : {1U, 1000U, 0xffffffffU}) {
    Frame frame = next_data(records({"a"}));
    frame.slot = slot;
    expect_dropped(frame, &SessionCounters::malformed_slot);
  }
}

TEST_F(SessionRobustness, WrongEpoch) {
  Frame frame = next_data(records({"a"}));
  frame.epoch += 1;
  expect_dropped(frame, &SessionCounters::stale_epoch);
  frame.epoch = 0;
  expect_dropped(frame, &SessionCounters::stale_epoch);
}

TEST_F(SessionRobustness, DataToAPeerWithoutSession) {
  const PeerId other = *session->resolve({NodeId{3}, Pid{3}});
  Frame frame = next_data(records({"a"}));
  frame.slot = other.value;
  frame.epoch = 0;
  expect_dropped(frame, &SessionCounters::stale_epoch);
}

TEST_F(SessionRobustness, DataToOurselves) {
  const PeerId local = *session->resolve(kSelf);
  Frame frame = next_data(records({"a"}));
  frame.slot = local.value;
  frame.epoch = 0;
  expect_dropped(frame, &SessionCounters::stale_epoch);
}

TEST_F(SessionRobustness, FrameThatComesFromAnotherProcessThanItsSlotSays) {
  const PeerId stranger = *fake->resolve({NodeId{3}, Pid{3}});
  const std::uint64_t before = session->counters().malformed_source;
  fake->arrives(next_data(records({"a"})).bytes(), stranger);
  fake->arrives(hello().bytes(), stranger);
  poll();
  EXPECT_EQ(session->counters().malformed_source, before + 2);
  EXPECT_THAT(sink.log, IsEmpty());
}

TEST_F(SessionRobustness, AcknowledgementOfWhatWasNeverSent) {
  Frame frame = next_data(records({"a"}));
  frame.acknowledged = 1;
  expect_dropped(frame, &SessionCounters::malformed_acknowledgement);
  frame.acknowledged = 0x7fffffff;
  expect_dropped(frame, &SessionCounters::malformed_acknowledgement);
}

TEST_F(SessionRobustness, RecordLongerThanTheFrame) {
  for (const std::uint32_t length : {9U, 100U, 0x7fffffffU, 0xfffffff8U, 0xffffffffU}) {
    Bytes body = records({"12345678"});
    encode(body.data(), RecordHeader{length, 0});
    expect_dropped(next_data(body), &SessionCounters::malformed_record);
  }
}

TEST_F(SessionRobustness, RecordWithoutItsPadding) {
  Bytes body = records({"12345"});
  body.resize(sizeof(RecordHeader) + 5);
  expect_dropped(next_data(body), &SessionCounters::malformed_record);
}

TEST_F(SessionRobustness, HalfARecordHeader) {
  Bytes body = records({"a"});
  body.resize(body.size() + 4);
  expect_dropped(next_data(body), &SessionCounters::malformed_record);
}

TEST_F(SessionRobustness, OfAFrameWithABadRecordNothingIsHandedUp) {
  Bytes body = records({"good one", "12345678"});
  encode(body.data() + 16, RecordHeader{1000, 0});
  expect_dropped(next_data(body), &SessionCounters::malformed_record);
}

TEST_F(SessionRobustness, FrameWithoutRecordsCountsAsAFrame) {
  receive(next_data({}));
  receive(of_session(Kind::kData, 2, 0, records({"a"})));
  EXPECT_THAT(sink.messages, ElementsAre("a"));
}

TEST_F(SessionRobustness, IntroductionTooShort) {
  Frame frame = hello();
  frame.body.resize(frame.body.size() - 1);
  expect_dropped(frame, &SessionCounters::malformed_introduction);
  frame.kind = Kind::kWelcome;
  expect_dropped(frame, &SessionCounters::malformed_introduction);
  frame.kind = Kind::kRefuse;
  frame.body.resize(sizeof(RefuseBody) - 1);
  expect_dropped(frame, &SessionCounters::malformed_introduction);
}

TEST_F(SessionRobustness, ProviderWithoutEnd) {
  Frame frame = hello();
  std::fill_n(frame.body.begin() + offsetof(Introduction, provider), 32, std::byte{'x'});
  expect_dropped(frame, &SessionCounters::malformed_introduction);
}

TEST_F(SessionRobustness, HelloWithoutIncarnationOrEpoch) {
  expect_dropped(hello(0, 1), &SessionCounters::malformed_introduction);
  expect_dropped(hello(1, 0), &SessionCounters::malformed_introduction);
}

TEST_F(SessionRobustness, HelloWhoseOldestVersionIsNewerThanItsNewest) {
  Frame frame = hello();
  frame.body = introduction(1, 1, 0, "fake 1", kFrameVersion + 1);
  expect_dropped(frame, &SessionCounters::malformed_introduction);
}

TEST_F(SessionRobustness, HelloInOurOwnName) {
  Frame frame = hello();
  frame.body = introduction(1, 1, 0, "fake 1", kOldestFrameVersion, kSelf);
  expect_dropped(frame, &SessionCounters::malformed_introduction);
}

TEST_F(SessionRobustness, HelloOfANameThatIsNoAddress) {
  Frame frame = hello();
  frame.body = introduction(1, 1, 0, "fake 1", kOldestFrameVersion, {NodeId{0}, Pid{1}});
  expect_dropped(frame, &SessionCounters::malformed_introduction);
}

TEST_F(SessionRobustness, RefusalWithAnUnknownReason) {
  send(*session->resolve({NodeId{3}, Pid{3}}), "x");
  fake->sent.clear();
  RefuseBody refusal{};
  refusal.reason = 9;
  Frame frame{.kind = Kind::kRefuse, .slot = 1, .epoch = 1, .body = Bytes(sizeof refusal)};
  encode(frame.body.data(), refusal);
  expect_dropped(frame, &SessionCounters::malformed_introduction);
}

TEST_F(SessionRobustness, WelcomeAndRefusalOutOfRange) {
  Frame frame = hello();
  frame.kind = Kind::kWelcome;
  frame.slot = 99;
  expect_dropped(frame, &SessionCounters::malformed_slot);
  frame.kind = Kind::kRefuse;
  frame.body.assign(sizeof(RefuseBody), std::byte{0});
  frame.body[4] = std::byte{1};
  expect_dropped(frame, &SessionCounters::malformed_slot);
}

TEST_F(SessionRobustness, UnaskedWelcomeIsStale) {
  Frame frame = hello();
  frame.kind = Kind::kWelcome;
  frame.slot = our_slot;
  frame.epoch = our_epoch + 1;
  expect_dropped(frame, &SessionCounters::stale_epoch);
}

TEST_F(SessionRobustness, FailureOfAnUnknownLowerPeerIsIgnored) {
  fake->fails(PeerId{55});
  fake->left(PeerId{55});
  poll();
  EXPECT_THAT(sink.log, IsEmpty());
}

TEST_F(SessionRobustness, ValidFramesWithFlippedBitsNeverHarm) {
  std::mt19937 random(1);
  const std::vector<Bytes> valid = {
      of_session(Kind::kData, 1, 0, records({"a", "bcd", "0123456789"})).bytes(),
      of_session(Kind::kAck, 0, 0).bytes(),
      hello().bytes(),
      hello(3, 3).bytes(),
      of_session(Kind::kGoodbye, 0, 0).bytes(),
      of_session(Kind::kConfirm, 0, 0, Bytes(sizeof(ConfirmBody))).bytes()};
  for (int i = 0; i < 20000; ++i) {
    Bytes frame = valid[random() % valid.size()];
    for (unsigned flips = random() % 4; flips > 0; --flips)
      frame[random() % frame.size()] ^= static_cast<std::byte>(1U << (random() % 8));
    if (random() % 4 == 0) frame.resize(random() % (frame.size() + 1));
    fake->arrives(std::move(frame));
    if (i % 8 == 0) {
      send("x");
      poll(10ms);
      fake->sent.clear();
      sink.take();
    }
  }
  poll();
  EXPECT_EQ(session->counters().frames_received, 20002U) << "these, the hello and its confirmation";
}

}  // namespace
}  // namespace lintel::transport
