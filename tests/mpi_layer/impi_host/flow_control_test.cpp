// Flow control of IMPI: counted for each ordered pair of processes, credited back by PROTOACK
// (reference section 8); and the end of a channel (section 9).

#include <gtest/gtest.h>

#include "tests/mpi_layer/impi_host/hex.h"
#include "tests/mpi_layer/impi_host/host_pair.h"

namespace lintel::testing {
namespace {

using namespace mpi::impi;

constexpr ChannelLimits kOdd{1000, 3, 5};

class Recorder final : public Channel::Receiver {
 public:
  Error on_packet(const Packet& packet, std::span<const std::byte>) override {
    packets.push_back(packet);
    return {};
  }
  std::vector<Packet> packets;
};

Packet packet(PacketType type, int source, int destination, int tag = 0) {
  Packet packet;
  packet.type = type;
  packet.source = process(source);
  packet.destination = process(destination);
  packet.tag = tag;
  return packet;
}

Packet with_data(Packet packet, std::uint32_t length) {
  packet.length = length;
  packet.message_length = length;
  return packet;
}

class ImpiFlowControl : public ::testing::Test {
 protected:
  std::vector<Packet> written(std::size_t most = SIZE_MAX) {
    std::vector<Packet> packets;
    for (auto next = channel.next_bytes(); !next.empty() && packets.size() < most;
         next = channel.next_bytes()) {
      packets.push_back(decode(next.first<kHeaderBytes>()));
      channel.written(next.size());
    }
    return packets;
  }
  Error comes(const Packet& packet) {
    std::vector<std::byte> bytes = encoded(packet);
    return channel.receive(bytes);
  }

  Recorder recorder;
  Channel channel{kOdd, client(0), client(1), recorder};
};

TEST_F(ImpiFlowControl, NoMorePacketsLeaveThanTheHighWaterMark) {
  for (int tag = 0; tag < 9; ++tag) channel.send(packet(PacketType::kData, 0, 2, tag));
  EXPECT_EQ(written().size(), 5U);
  EXPECT_EQ(channel.blocked_packets(), 4U);
  EXPECT_FALSE(channel.may_send(process(0), process(2)));
}

TEST_F(ImpiFlowControl, ProtoackLetsAsManyFollowAsTheAckMarkInTheirOrder) {
  for (int tag = 0; tag < 9; ++tag) channel.send(packet(PacketType::kData, 0, 2, tag));
  written();
  ASSERT_TRUE(comes(packet(PacketType::kProtoack, 2, 0)).ok());
  const auto followed = written();
  ASSERT_EQ(followed.size(), 3U);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(followed[static_cast<std::size_t>(i)].tag, 5 + i);
  ASSERT_TRUE(comes(packet(PacketType::kProtoack, 2, 0)).ok());
  EXPECT_EQ(written().size(), 1U);
}

TEST_F(ImpiFlowControl, BlockedPairStopsNoOther) {
  for (int tag = 0; tag < 9; ++tag) channel.send(packet(PacketType::kData, 0, 2, tag));
  channel.send(packet(PacketType::kData, 0, 3, 100));
  channel.send(packet(PacketType::kData, 1, 2, 101));
  const auto left = written();
  ASSERT_EQ(left.size(), 7U);
  EXPECT_EQ(left[5].tag, 100);
  EXPECT_EQ(left[6].tag, 101);
}

TEST_F(ImpiFlowControl, ReceivedPacketsOfEveryKindCountButProtoack) {
  for (int i = 0; i < 3; ++i) channel.send(packet(PacketType::kData, 0, 2));
  written();
  ASSERT_TRUE(comes(packet(PacketType::kSyncack, 2, 0)).ok());
  ASSERT_TRUE(comes(packet(PacketType::kProtoack, 2, 0)).ok());
  ASSERT_TRUE(comes(packet(PacketType::kCancel, 2, 0)).ok());
  EXPECT_TRUE(written().empty());
  ASSERT_TRUE(comes(packet(PacketType::kData, 2, 0)).ok());
  const auto answers = written();
  ASSERT_EQ(answers.size(), 1U);
  EXPECT_EQ(answers[0].type, PacketType::kProtoack);
  EXPECT_EQ(answers[0].source, process(0));
  EXPECT_EQ(answers[0].destination, process(2));
  EXPECT_EQ(recorder.packets.size(), 3U);
}

TEST_F(ImpiFlowControl, PairsAreCountedApart) {
  for (const int source : {2, 3}) {
    for (const int destination : {0, 1}) {
      ASSERT_TRUE(comes(packet(PacketType::kData, source, destination)).ok());
      ASSERT_TRUE(comes(packet(PacketType::kData, source, destination)).ok());
    }
  }
  EXPECT_TRUE(written().empty());
}

TEST_F(ImpiFlowControl, ProtoackPassesAllThatWaitsToBeWritten) {
  for (int tag = 0; tag < 9; ++tag) channel.send(packet(PacketType::kData, 0, 2, tag));
  EXPECT_EQ(written(1).size(), 1U);
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(comes(packet(PacketType::kData, 3, 1)).ok());
  // One packet may have been begun.
  const auto left = written();
  const auto ack = std::find_if(left.begin(), left.end(), [](const Packet& one) {
    return one.type == PacketType::kProtoack;
  });
  EXPECT_LE(ack - left.begin(), 1);
}

TEST_F(ImpiFlowControl, ProtoackForWhatWasNotSentBreaksTheChannel) {
  channel.send(packet(PacketType::kData, 0, 2));
  written();
  EXPECT_EQ(comes(packet(PacketType::kProtoack, 2, 0)).loss(), Loss::kPeer);
  channel.send(packet(PacketType::kData, 0, 2));
  EXPECT_TRUE(written().empty());
}

TEST_F(ImpiFlowControl, PacketOfOrForAnUnknownProcessBreaksTheChannel) {
  EXPECT_EQ(comes(packet(PacketType::kData, 0, 1)).loss(), Loss::kPeer);
  Channel other{kOdd, client(0), client(1), recorder};
  std::vector<std::byte> bytes = encoded(packet(PacketType::kData, 2, 3));
  EXPECT_EQ(other.receive(bytes).loss(), Loss::kPeer);
  EXPECT_TRUE(recorder.packets.empty());
}

TEST_F(ImpiFlowControl, FiniFollowsWhatFlowControlHoldsBack) {
  for (int tag = 0; tag < 6; ++tag) channel.send(packet(PacketType::kData, 0, 2, tag));
  channel.finish();
  EXPECT_EQ(written().size(), 5U);
  ASSERT_TRUE(comes(packet(PacketType::kProtoack, 2, 0)).ok());
  const auto last = written();
  ASSERT_EQ(last.size(), 2U);
  EXPECT_EQ(last[0].tag, 5);
  EXPECT_EQ(last[1].type, PacketType::kFini);
  EXPECT_FALSE(channel.closed());
  ASSERT_TRUE(comes(packet(PacketType::kFini, 2, 0)).ok());
  EXPECT_TRUE(channel.closed());
}

TEST_F(ImpiFlowControl, LateProtoackAfterFiniMendsNothingAndBreaksNothing) {
  for (int i = 0; i < 3; ++i) channel.send(packet(PacketType::kData, 0, 2));
  channel.finish();
  written();
  ASSERT_TRUE(comes(packet(PacketType::kProtoack, 2, 0)).ok());
  EXPECT_TRUE(written().empty());
}

TEST_F(ImpiFlowControl, OtherSideThatHasSaidFiniStillTakesWhatIsHeldBack) {
  for (int tag = 0; tag < 6; ++tag) channel.send(packet(PacketType::kData, 0, 2, tag));
  channel.finish();
  ASSERT_TRUE(comes(packet(PacketType::kFini, 2, 0)).ok());
  EXPECT_EQ(written().size(), 5U);
  EXPECT_FALSE(channel.closed());
  ASSERT_TRUE(comes(packet(PacketType::kProtoack, 2, 0)).ok());
  EXPECT_EQ(written().size(), 2U);
  EXPECT_TRUE(channel.closed());
}

TEST_F(ImpiFlowControl, PacketThatMayBeWrittenAtOnceIsNotCopied) {
  const auto data = content(100);
  std::array<std::byte, kHeaderBytes> header{};
  const Packet sent = with_data(packet(PacketType::kData, 0, 2, 1), 100);
  ASSERT_TRUE(channel.send_at_once(sent, data, header));
  channel.wrote(header, data, kHeaderBytes + 100);
  EXPECT_EQ(decode(header).tag, 1);
  EXPECT_EQ(decode(header).sequence, 1U);
  EXPECT_EQ(channel.unwritten_bytes(), 0U);
}

TEST_F(ImpiFlowControl, WhatTheConnectionDidNotTakeAtOnceIsKeptAndWrittenNext) {
  const auto data = content(100);
  std::array<std::byte, kHeaderBytes> header{};
  for (const std::size_t taken :
       {std::size_t{0}, std::size_t{1}, kHeaderBytes, kHeaderBytes + 99}) {
    Channel other{kOdd, client(0), client(1), recorder};
    ASSERT_TRUE(
        other.send_at_once(with_data(packet(PacketType::kData, 0, 2, 1), 100), data, header));
    other.wrote(header, data, taken);
    EXPECT_EQ(other.unwritten_bytes(), kHeaderBytes + 100 - taken);
    EXPECT_FALSE(other.send_at_once(packet(PacketType::kData, 0, 2, 2), {}, header))
        << "it would pass the first";
    std::vector<std::byte> expected = encoded([&] {
      Packet first = with_data(packet(PacketType::kData, 0, 2, 1), 100);
      first.sequence = 1;
      return first;
    }());
    expected.insert(expected.end(), data.begin(), data.end());
    expected.erase(expected.begin(), expected.begin() + static_cast<std::ptrdiff_t>(taken));
    const auto next = other.next_bytes();
    EXPECT_EQ(hex_of(next), hex_of(expected)) << taken;
    other.written(next.size());
    EXPECT_EQ(decode(other.next_bytes().first<kHeaderBytes>()).tag, 2);
  }
}

TEST_F(ImpiFlowControl, PacketsWrittenAtOnceCount) {
  std::array<std::byte, kHeaderBytes> header{};
  for (int tag = 0; tag < 5; ++tag) {
    ASSERT_TRUE(channel.send_at_once(packet(PacketType::kData, 0, 2, tag), {}, header));
    channel.wrote(header, {}, kHeaderBytes);
  }
  EXPECT_FALSE(channel.send_at_once(packet(PacketType::kData, 0, 2, 5), {}, header));
  EXPECT_EQ(channel.blocked_packets(), 1U);
}

TEST_F(ImpiFlowControl, ProtoackPassesAPacketOfWhichNothingWasTakenAtOnce) {
  std::array<std::byte, kHeaderBytes> header{};
  ASSERT_TRUE(channel.send_at_once(packet(PacketType::kData, 0, 2), {}, header));
  channel.wrote(header, {}, 0);
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(comes(packet(PacketType::kData, 3, 1)).ok());
  const auto left = written();
  ASSERT_EQ(left.size(), 2U);
  EXPECT_EQ(left[0].type, PacketType::kProtoack);
}

TEST_F(ImpiFlowControl, EndOfTheConnectionBeforeFiniIsAnError) {
  EXPECT_EQ(channel.end_of_stream().loss(), Loss::kPeer);
  ASSERT_TRUE(comes(packet(PacketType::kFini, 2, 0)).ok());
  EXPECT_TRUE(channel.end_of_stream().ok());
  EXPECT_EQ(comes(packet(PacketType::kData, 2, 0)).loss(), Loss::kPeer);
}

}  // namespace
}  // namespace lintel::testing
