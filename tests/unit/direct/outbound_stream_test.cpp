// OutboundStream: what is kept of what was sent, and what comes next.
#include "transport/direct/outbound_stream.h"

#include <gtest/gtest.h>

#include <vector>

#include "tests/unit/direct/stream_bytes.h"

namespace lintel::transport {
namespace {

class OutboundStreamTest : public testing::Test {
 protected:
  static constexpr std::size_t kHead = sizeof(PieceHeader);

  // A message of `bytes` bytes, whose piece has kHead more.
  Outbound& message(std::size_t bytes) {
    Outbound* const frame = table.take_frame(share);
    EXPECT_NE(frame, nullptr);
    const Bytes content = filled(bytes, static_cast<unsigned>(sent.size()));
    std::byte* const begin = frame->memory - kHead;
    encode(begin, piece_header(PieceKind::kMessage, bytes));
    std::copy(content.begin(), content.end(), frame->memory);
    frame->parts[0] = {begin, kHead + bytes};
    frame->parts[1] = {};
    append_message(sent, content);
    stream.append(*frame, 0);
    return *frame;
  }
  // The kernel accepts at most `most` of the next bytes, which are returned.
  Bytes pass_on(std::size_t most, std::uint64_t received = 0) {
    Bytes passed;
    for (const iovec& part : stream.next(received)) {
      const std::size_t take = std::min(part.iov_len, most - passed.size());
      append(passed, {static_cast<const std::byte*>(part.iov_base), take});
    }
    if (!passed.empty()) left = stream.accepted(passed.size());
    return passed;
  }
  bool acknowledge(std::uint64_t position) {
    return stream.acknowledge(position, [this](Outbound& record) {
      arrived.push_back(&record);
      table.give_back(record);
    });
  }
  Bytes part_of_sent(std::size_t begin, std::size_t end) const {
    return {sent.begin() + static_cast<std::ptrdiff_t>(begin),
            sent.begin() + static_cast<std::ptrdiff_t>(end)};
  }
  static Bytes acknowledgement(std::uint32_t received) {
    Bytes wire;
    append_wire(wire, piece_header(PieceKind::kAcknowledge, received));
    return wire;
  }

  SendShare share;
  OutboundTable table{64, 1000, 4};
  OutboundStream stream;
  Bytes sent;
  Outbound* left = nullptr;
  std::vector<Outbound*> arrived;
};

// An acknowledgement names the low 32 bits of a position.
TEST_F(OutboundStreamTest, IsFullBeforePositionsCannotBeToldApart) {
  SendShare shares[2];
  for (SendShare& writes : shares) {
    EXPECT_FALSE(stream.is_full());
    Outbound& write = *table.take_write(writes);
    write.parts[0] = {write.write_head, 1};
    write.parts[1] = {nullptr, std::size_t{1} << 30};  // nothing reads it
    stream.append(write, 0);
  }
  EXPECT_TRUE(stream.is_full());
}

TEST_F(OutboundStreamTest, KeepsARecordUntilItIsAcknowledgedWhole) {
  Outbound& first = message(10);
  Outbound& second = message(20);
  EXPECT_EQ(pass_on(1000), part_of_sent(0, 18));
  EXPECT_EQ(left, &first);
  EXPECT_EQ(pass_on(1000), part_of_sent(18, 46));
  EXPECT_EQ(left, &second);
  EXPECT_FALSE(stream.waits());
  EXPECT_FALSE(stream.empty());
  EXPECT_TRUE(acknowledge(17));
  EXPECT_TRUE(arrived.empty());
  EXPECT_TRUE(acknowledge(45));
  EXPECT_EQ(arrived, std::vector{&first});
  EXPECT_TRUE(acknowledge(46));
  EXPECT_EQ(arrived, (std::vector{&first, &second}));
  EXPECT_TRUE(stream.empty());
  EXPECT_EQ(table.frames_taken(), 0U);
}

TEST_F(OutboundStreamTest, AcknowledgementsOfWhatWasNotSentAreRefused) {
  message(10);
  pass_on(7);
  EXPECT_FALSE(acknowledge(8));
  EXPECT_TRUE(acknowledge(7));
  EXPECT_FALSE(acknowledge(6)) << "less than before";
  EXPECT_FALSE(acknowledge(~std::uint64_t{0}));
}

TEST_F(OutboundStreamTest, AnAcknowledgementGoesBetweenTwoRecords) {
  message(10);
  message(20);
  Bytes expected = acknowledgement(5);
  append(expected, part_of_sent(0, 3));
  EXPECT_EQ(pass_on(11, 5), expected);
  EXPECT_EQ(pass_on(1000, 9), part_of_sent(3, 18)) << "in the middle of a record";
  expected = acknowledgement(9);
  append(expected, part_of_sent(18, 46));
  EXPECT_EQ(pass_on(1000, 9), expected);
  EXPECT_EQ(stream.acknowledgement_sent(), 9U);
  EXPECT_TRUE(pass_on(1000, 9).empty()) << "it says nothing new";
  EXPECT_EQ(pass_on(1000, 10), acknowledgement(10));
}

TEST_F(OutboundStreamTest, AnAcknowledgementThatHasBegunIsSentToItsEnd) {
  const Bytes wire = acknowledgement(5);
  EXPECT_EQ(pass_on(3, 5), Bytes(wire.begin(), wire.begin() + 3));
  EXPECT_TRUE(stream.waits());
  message(10);
  Bytes expected(wire.begin() + 3, wire.end());
  append(expected, part_of_sent(0, 18));
  EXPECT_EQ(pass_on(1000, 6), expected);
}

TEST_F(OutboundStreamTest, GoesOnAfterALossWithWhatHasNotArrived) {
  Outbound& first = message(10);
  message(20);
  Outbound& third = message(30);
  for (int i = 0; i < 2; ++i) pass_on(1000);
  pass_on(5);
  ASSERT_TRUE(acknowledge(20)) << "in the middle of the second";
  EXPECT_EQ(arrived, std::vector{&first});
  stream.resume(0);
  EXPECT_EQ(pass_on(1000), part_of_sent(20, 46));
  EXPECT_EQ(left, nullptr) << "it had left before";
  EXPECT_EQ(pass_on(1000), part_of_sent(46, 84));
  EXPECT_EQ(left, &third);
}

TEST_F(OutboundStreamTest, AfterALossTheHandshakeHasAcknowledged) {
  pass_on(3, 5);  // the rest of it is lost
  message(10);
  stream.resume(7);
  EXPECT_EQ(pass_on(1000, 7), part_of_sent(0, 18));
}

TEST_F(OutboundStreamTest, CountsTheBytesOfTheFramesThatItKeeps) {
  message(10);
  message(20);
  EXPECT_EQ(stream.frame_bytes(), 46U);
  pass_on(1000);
  acknowledge(18);
  EXPECT_EQ(stream.frame_bytes(), 28U);
}

TEST_F(OutboundStreamTest, PositionsAreCountedBeyond32Bits) {
  constexpr std::size_t kWrite = std::size_t{16} << 20;
  const std::uint64_t end = std::uint64_t{5} << 30;
  std::byte nowhere[2 * kHead];  // only its length counts
  while (stream.acknowledged() < end) {
    Outbound* const write = table.take_write(share);
    ASSERT_NE(write, nullptr);
    write->parts[0] = {nowhere + kHead, kHead};
    write->parts[1] = {nowhere, kWrite - kHead};
    stream.append(*write, 0);
    stream.next(0);
    stream.accepted(kWrite);
    const std::uint64_t position = stream.sent();
    ASSERT_EQ(stream.position_of(static_cast<std::uint32_t>(position)), position);
    ASSERT_TRUE(acknowledge(position));
  }
}

}  // namespace
}  // namespace lintel::transport
