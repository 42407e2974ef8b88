// Decoding of a stream that arrives in portions of any size: doc/wire_format.md, the stream of
// direct connections.
#include "transport/direct/inbound_stream.h"

#include <gtest/gtest.h>

#include <random>

#include "tests/unit/direct/stream_bytes.h"

namespace lintel::transport {
namespace {

constexpr std::size_t kBuffer = 4096;
constexpr InboundStream::PieceLimits kLimits{1000, 100000, 50000};
using State = InboundStream::StreamState;
using Found = std::vector<std::string>;

class InboundStreamTest : public ::testing::Test {
 protected:
  StreamBuffers buffers{kBuffer};
  InboundStream stream{kLimits, buffers};
  RecordingStreamSink sink;
  Bytes bytes;
};

TEST_F(InboundStreamTest, DeliversMessagesWholeWhateverPortionsTheyComeIn) {
  std::vector<Bytes> sent;
  for (const std::size_t size :
       {0U, 1U, 7U, 8U, 500U, 999U, 1000U, 3U, 1000U, 1000U, 1000U, 1000U, 0U}) {
    sent.push_back(filled(size, static_cast<unsigned>(sent.size())));
    append_message(bytes, sent.back());
  }
  for (const std::size_t portion : {1U, 2U, 7U, 8U, 9U, 1007U, 1008U, 1009U, 4095U, 100000U}) {
    sink.contents.clear();
    ASSERT_EQ(feed(stream, sink, bytes, portion), bytes.size()) << portion;
    EXPECT_EQ(sink.contents, sent) << portion;
  }
}

TEST_F(InboundStreamTest, HoldsABufferOnlyInTheMiddleOfAPiece) {
  append_message(bytes, filled(10, 1));
  append_message(bytes, filled(10, 2));
  feed(stream, sink, std::span(bytes).first(bytes.size() - 1), 1000);
  EXPECT_EQ(buffers.in_use(), 1U);
  EXPECT_TRUE(stream.has_partial_piece());
  feed(stream, sink, std::span(bytes).last(1), 1000);
  EXPECT_EQ(buffers.in_use(), 0U);
  EXPECT_FALSE(stream.has_partial_piece());
}

TEST_F(InboundStreamTest, KeepsNoBufferIfNothingComes) {
  ASSERT_EQ(stream.room(kBuffer).size(), 1U);
  EXPECT_EQ(buffers.in_use(), 1U);
  stream.nothing_came();
  EXPECT_EQ(buffers.in_use(), 0U);
}

TEST_F(InboundStreamTest, LeavesTheBeginningOfAPieceToArriveAgain) {
  append_message(bytes, filled(10, 1));
  append_message(bytes, filled(500, 2));
  const std::size_t whole = sizeof(PieceHeader) + 10;
  feed(stream, sink, std::span(bytes).first(whole + 100), 1000);
  EXPECT_EQ(stream.wanted(), sizeof(PieceHeader) + 500);
  EXPECT_EQ(stream.leave_beginning(), 100U);
  EXPECT_EQ(buffers.in_use(), 0U);
  EXPECT_FALSE(stream.has_partial_piece());
  feed(stream, sink, std::span(bytes).subspan(whole), 1000);
  EXPECT_EQ(sink.contents.back(), filled(500, 2));
  EXPECT_EQ(stream.position(), bytes.size());
}

TEST_F(InboundStreamTest, LeavesNothingOfAPayloadUnderWay) {
  sink.targets[5] = Bytes(1000);
  append_write(bytes, {5, 0}, Immediate(1), filled(1000, 3));
  feed(stream, sink, std::span(bytes).first(100), 100);
  EXPECT_EQ(stream.wanted(), 0U);
  EXPECT_EQ(stream.leave_beginning(), 0U);
  feed(stream, sink, std::span(bytes).subspan(100), 1000);
  EXPECT_EQ(sink.targets[5], filled(1000, 3));
}

TEST_F(InboundStreamTest, RequestsTheBytesOfAWriteWhereTheyBelong) {
  sink.targets[5] = Bytes(2000);
  const Bytes data = filled(1500, 3);
  append_write(bytes, {5, 400}, Immediate(77), data);
  feed(stream, sink, std::span(bytes).first(32 + 100), 132);
  const std::span<const iovec> room = stream.room(64);
  ASSERT_EQ(room.size(), 2U);
  EXPECT_EQ(room[0].iov_base, sink.targets[5].data() + 500);
  EXPECT_EQ(room[0].iov_len, 1400U);
  EXPECT_EQ(room[1].iov_len, 64U);
  EXPECT_TRUE(sink.found.empty());
  feed(stream, sink, std::span(bytes).subspan(132), 1000);
  EXPECT_EQ(sink.found, Found{"write 77"});
  Bytes expected(2000);
  std::copy(data.begin(), data.end(), expected.begin() + 400);
  EXPECT_EQ(sink.targets[5], expected);
}

TEST_F(InboundStreamTest, DropsTheRestOfAWriteWhoseMemoryIsDeregistered) {
  sink.targets[5] = Bytes(1000);
  append_write(bytes, {5, 0}, Immediate(1), filled(1000, 3));
  append_message(bytes, filled(4, 9));
  feed(stream, sink, std::span(bytes).first(32 + 300), 400);
  stream.cut_write();
  const Bytes before = sink.targets[5];
  sink.targets.clear();  // its owner may free it
  ASSERT_EQ(feed(stream, sink, std::span(bytes).subspan(332), 100), bytes.size() - 332);
  EXPECT_EQ(sink.found, Found{"message"});
  EXPECT_EQ(sink.contents.back(), filled(4, 9));
  EXPECT_TRUE(std::all_of(before.begin() + 300, before.end(),
                          [](std::byte b) { return b == std::byte{0}; }));
}

TEST_F(InboundStreamTest, TruncatesAPlacedMessageToItsPlace) {
  sink.landings[3] = Bytes(100, std::byte{0xaa});
  const Bytes payload = filled(5000, 1);
  append_placed(bytes, PlacementKey(3), filled(128, 2), payload);
  append_message(bytes, filled(4, 9));
  for (const std::size_t portion : {1U, 50U, 10000U}) {
    sink.found.clear();
    ASSERT_EQ(feed(stream, sink, bytes, portion), bytes.size());
    EXPECT_EQ(sink.found, (Found{"placed message 3 of 5000", "message"}));
    EXPECT_EQ(sink.landings[3], Bytes(payload.begin(), payload.begin() + 100));
  }
}

TEST_F(InboundStreamTest, StopsWhileAPlacedMessageHasNoPlaceAndLosesNothing) {
  append_message(bytes, filled(3, 1));
  append_placed(bytes, PlacementKey(3), filled(10, 2), filled(200, 3));
  append_message(bytes, filled(4, 4));
  const std::size_t fed = feed(stream, sink, bytes, 10000);
  EXPECT_EQ(stream.state(), State::kStalled);
  EXPECT_EQ(sink.found, Found{"message"});
  stream.resume(sink);
  EXPECT_EQ(stream.state(), State::kStalled);
  sink.landings[3] = Bytes(200);
  stream.resume(sink);
  EXPECT_EQ(stream.state(), State::kReading);
  feed(stream, sink, std::span(bytes).subspan(fed), 10000);
  EXPECT_EQ(sink.found, (Found{"message", "placed message 3 of 200", "message"}));
  EXPECT_EQ(sink.landings[3], filled(200, 3));
}

TEST_F(InboundStreamTest, BreaksAtAPlacedMessageThatThePeerMayNotSend) {
  sink.may_place = false;
  append_message(bytes, filled(3, 1));
  append_placed(bytes, PlacementKey(3), filled(10, 2), filled(200, 3));
  feed(stream, sink, bytes, 10000);
  EXPECT_EQ(stream.state(), State::kBroken);
  EXPECT_STREQ(stream.reason(), "a placed message comes before the session");
  EXPECT_EQ(sink.found, Found{"message"});
}

TEST_F(InboundStreamTest, PausesBehindAnAcknowledgementThatEndsTheLastOperation) {
  sink.acknowledgements_are_of = Acknowledged::kLastOperation;
  append_acknowledgement(bytes, 7);
  append_message(bytes, filled(3, 1));
  ASSERT_EQ(feed(stream, sink, bytes, 10000), bytes.size());
  EXPECT_EQ(stream.state(), State::kPaused);
  EXPECT_TRUE(sink.found.empty());
  stream.resume(sink);
  EXPECT_EQ(stream.state(), State::kReading);
  EXPECT_EQ(sink.found, Found{"message"});
}

TEST_F(InboundStreamTest, DoesNotPauseIfNothingHasArrivedBehindTheAcknowledgement) {
  sink.acknowledgements_are_of = Acknowledged::kLastOperation;
  append_acknowledgement(bytes, 7);
  feed(stream, sink, bytes, 10000);
  EXPECT_EQ(stream.state(), State::kReading);
}

TEST_F(InboundStreamTest, ForgetsThatItPausedIfTheConnectionIsInterrupted) {
  sink.acknowledgements_are_of = Acknowledged::kLastOperation;
  append_acknowledgement(bytes, 7);
  append_message(bytes, filled(3, 1));
  feed(stream, sink, bytes, 10000);
  stream.interrupt();
  EXPECT_EQ(stream.state(), State::kReading);
  EXPECT_EQ(stream.position(), 0U);
}

struct Nonsense {
  const char* name;
  Bytes bytes;
  const char* reason;
};

std::vector<Nonsense> nonsense() {
  const auto header = [](std::uint8_t kind, std::uint32_t length, std::uint8_t message_bytes = 0) {
    Bytes bytes;
    append_wire(bytes, PieceHeader{length, kind, message_bytes, 0});
    return bytes;
  };
  const auto placement_key = [&](std::uint64_t key) {
    Bytes bytes = header(3, 10);
    append_wire(bytes, PlacedHeader{key});
    return bytes;
  };
  const auto write_to = [&](RemoteMemory where, std::uint32_t length) {
    Bytes bytes = header(2, length);
    append_wire(bytes, WriteHeader{where.key, where.address, 0, 0});
    return bytes;
  };
  return {
      {"NoKind", header(0, 8), "a piece has an unknown kind"},
      {"UnknownKind", header(5, 8), "a piece has an unknown kind"},
      {"LongMessage", header(1, 1001), "a message is longer than the largest"},
      {"EndlessMessage", header(1, 0xffffffff), "a message is longer than the largest"},
      {"EmptyWrite", header(2, 0), "a write has an invalid length"},
      {"LongWrite", header(2, 100001), "a write has an invalid length"},
      {"EmptyPlaced", header(3, 0), "a placed message has an invalid length"},
      {"LongPlaced", header(3, 50001), "a placed message has an invalid length"},
      {"PlacedWithALongMessage", header(3, 10, 129),
       "the placed message is longer than the largest"},
      {"PlacedWithNoKey", placement_key(1ULL << 63), "a placed message has an invalid key"},
      {"WriteToNowhere", write_to({6, 0}, 1),
       "a write goes to memory that is not registered for it"},
      {"WritePastTheEnd", write_to({5, 91}, 10),
       "a write goes to memory that is not registered for it"},
      {"WriteBeforeTheStart", write_to({5, ~0ULL}, 10),
       "a write goes to memory that is not registered for it"},
  };
}

class InvalidPiece : public InboundStreamTest, public ::testing::WithParamInterface<Nonsense> {};
INSTANTIATE_TEST_SUITE_P(Piece, InvalidPiece, ::testing::ValuesIn(nonsense()),
                         [](const auto& one) { return std::string(one.param.name); });

TEST_P(InvalidPiece, BreaksTheStreamAfterWhatCameBeforeIt) {
  sink.targets[5] = Bytes(100);
  append_message(bytes, filled(3, 1));
  append(bytes, GetParam().bytes);
  append_message(bytes, filled(3, 2));
  feed(stream, sink, bytes, 10000);
  EXPECT_EQ(stream.state(), State::kBroken);
  EXPECT_STREQ(stream.reason(), GetParam().reason);
  EXPECT_EQ(sink.found, Found{"message"});
}

// Any sequence of pieces, in any portions, with any limit on read-ahead.
TEST(InboundStreams, FindTheSameInAnyPortions) {
  std::mt19937 random(1);
  const auto below = [&](std::size_t most) {
    return std::uniform_int_distribution<std::size_t>(0, most)(random);
  };
  for (int round = 0; round < 300; ++round) {
    Bytes bytes;
    Found expected;
    std::vector<Bytes> contents;
    RecordingStreamSink sink;
    sink.targets[1] = Bytes(100000);
    sink.landings[2] = Bytes(20000);
    Bytes target = sink.targets[1];
    for (std::uint32_t piece = 0; piece < 40; ++piece) {
      switch (below(3)) {
        case 0:
        case 1: {
          const Bytes message = filled(below(round % 2 == 0 ? 1000 : 50), piece);
          append_message(bytes, message);
          expected.emplace_back("message");
          contents.push_back(message);
          break;
        }
        case 2: {
          const Bytes data = filled(1 + below(below(3) == 0 ? 50000 : 100), piece);
          const std::size_t at = below(50000);
          append_write(bytes, {1, at}, Immediate(piece), data);
          std::copy(data.begin(), data.end(), target.begin() + static_cast<std::ptrdiff_t>(at));
          expected.push_back("write " + std::to_string(piece));
          contents.emplace_back();
          break;
        }
        default: {
          const Bytes message = filled(below(128), piece);
          const Bytes payload = filled(1 + below(below(3) == 0 ? 40000 : 300), piece + 1);
          append_placed(bytes, PlacementKey(2), message, payload);
          expected.push_back("placed message 2 of " + std::to_string(payload.size()));
          contents.push_back(message);
          contents.emplace_back(
              payload.begin(), payload.begin() + static_cast<std::ptrdiff_t>(
                                                     std::min<std::size_t>(payload.size(), 20000)));
        }
      }
    }
    StreamBuffers buffers(kBuffer);
    InboundStream stream(kLimits, buffers);
    std::size_t fed = 0;
    while (fed < bytes.size()) {
      const std::size_t part = std::min(bytes.size() - fed, 1 + below(below(2) == 0 ? 20 : 9000));
      fed += feed(stream, sink, std::span(bytes).subspan(fed, part), part, 1 + below(5000));
      ASSERT_EQ(stream.state(), State::kReading) << stream.reason();
    }
    ASSERT_EQ(sink.found, expected) << round;
    ASSERT_EQ(sink.contents, contents) << round;
    ASSERT_EQ(sink.targets[1], target) << round;
    ASSERT_FALSE(stream.has_partial_piece());
  }
}

}  // namespace
}  // namespace lintel::transport
