// The packet header of IMPI, byte for byte, and the cutting of a stream into packets.

#include "mpi_layer/impi/host/packet.h"

#include <gtest/gtest.h>

#include "mpi_layer/impi/host/packet_reader.h"
#include "tests/mpi_layer/impi_host/hex.h"
#include "tests/mpi_layer/impi_host/job_of_vectors.h"

namespace lintel::testing {
namespace {

using namespace mpi::impi;

Packet short_message() {
  Packet packet;
  packet.length = 4;
  packet.source = process(0);
  packet.destination = process(3);
  packet.message_length = 4;
  packet.tag = 7;
  packet.sequence = 1;
  return packet;
}

const std::string kShortMessage = std::string("00000000 00000004 ") + kRank0 + kRank3 +
                                  "0000000000000000 0000000000000000 0000000000000004"
                                  "00000000 00000007 0000000000000000 0000000000000001"
                                  "0000000000000000 0000000000000000 0000000000000000";

Packet decoded(const std::vector<std::byte>& bytes) {
  return decode(std::span<const std::byte, kHeaderBytes>(bytes.data(), kHeaderBytes));
}

TEST(ImpiPacket, ShortMessageHasTheBytesOfVector3) {
  EXPECT_EQ(hex_of(encoded(short_message())), hex_of(bytes_of(kShortMessage)));
  EXPECT_EQ(decoded(bytes_of(kShortMessage)), short_message());
}

TEST(ImpiPacket, BarrierReleaseHasTheBytesOfVector5) {
  Packet packet;
  packet.source = process(0);
  packet.destination = process(2);
  packet.tag = 110;
  packet.context = 1;
  packet.sequence = 0xe9;
  const auto bytes = bytes_of(std::string("00000000 00000000") + kRank0 + kRank2 +
                              "0000000000000000 0000000000000000 0000000000000000 00000000 "
                              "0000006e 0000000000000001 00000000000000e9" +
                              std::string(48, '0'));
  EXPECT_EQ(hex_of(encoded(packet)), hex_of(bytes));
  EXPECT_EQ(decoded(bytes), packet);
}

TEST(ImpiPacket, EveryFieldHasAPlaceOfItsOwn) {
  Packet packet;
  packet.type = PacketType::kCancelno;
  packet.length = 0x11121314;
  packet.source = {{{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}}, 0x2122232425262728};
  packet.destination = {{{17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32}},
                        0x3132333435363738};
  packet.source_request = 0x4142434445464748;
  packet.destination_request = 0x5152535455565758;
  packet.message_length = 0x6162636465666768;
  packet.source_rank = -2;
  packet.tag = -3;
  packet.context = 0x7172737475767778;
  packet.sequence = 0x8182838485868788;
  packet.count = -4;
  packet.datatype = 0x9192939495969798;
  EXPECT_EQ(decoded(encoded(packet)), packet);
  EXPECT_EQ(hex_of(encoded(packet)),
            "0000000611121314"
            "0102030405060708090a0b0c0d0e0f102122232425262728"
            "1112131415161718191a1b1c1d1e1f203132333435363738"
            "414243444546474851525354555657586162636465666768"
            "fffffffefffffffd71727374757677788182838485868788"
            "fffffffffffffffc91929394959697980000000000000000");
}

class Stream : public ::testing::Test {
 protected:
  struct Seen {
    Packet packet;
    std::vector<std::byte> data;
  };
  Error take(const std::vector<std::byte>& bytes, std::size_t piece) {
    Error error;
    for (std::size_t at = 0; at < bytes.size() && error.ok(); at += piece) {
      error = reader.take(std::span(bytes).subspan(at, std::min(piece, bytes.size() - at)));
    }
    return error;
  }

  std::vector<Seen> seen;
  PacketReader reader{1000, [this](const Packet& packet, std::span<const std::byte> data) {
                        seen.push_back({packet, {data.begin(), data.end()}});
                        return Error();
                      }};
};

TEST_F(Stream, IsCutIntoPacketsWhereverItsPiecesEnd) {
  auto bytes = bytes_of(kShortMessage + "01020304");
  const auto fini = bytes_of("00000007 00000080" + std::string(32, '0') + "ffffffffffffffff" +
                             std::string(32, '0') +
                             "ffffffffffffffff 0000000000000000 0000000000000000 0000000000000080 "
                             "ffffffff ffffffff 0000000000000000 "
                             "00000000000000ee ffffffffffffffff 0000000000000000 0000000000000000");
  bytes.insert(bytes.end(), fini.begin(), fini.end());
  for (const std::size_t piece :
       {std::size_t{1}, std::size_t{7}, kHeaderBytes, kHeaderBytes + 2, bytes.size()}) {
    seen.clear();
    ASSERT_TRUE(take(bytes, piece).ok()) << piece;
    ASSERT_EQ(seen.size(), 2U) << piece;
    EXPECT_EQ(seen[0].packet, short_message());
    EXPECT_EQ(hex_of(seen[0].data), "01020304");
    EXPECT_EQ(seen[1].packet.type, PacketType::kFini);
    EXPECT_TRUE(reader.between_packets());
  }
}

TEST_F(Stream, DataMayBeReadIntoTheRoomThatIsThereForThem) {
  const auto bytes = bytes_of(kShortMessage + "01020304");
  for (const std::size_t taken : {kHeaderBytes, kHeaderBytes + 1, kHeaderBytes + 3}) {
    seen.clear();
    ASSERT_TRUE(reader.take(std::span(bytes).first(taken)).ok());
    for (std::size_t at = taken; at < bytes.size(); ++at) {
      ASSERT_EQ(reader.room().size(), bytes.size() - at);
      reader.room()[0] = bytes[at];
      ASSERT_TRUE(reader.filled(1).ok());
    }
    ASSERT_EQ(seen.size(), 1U) << taken;
    EXPECT_EQ(hex_of(seen[0].data), "01020304");
    EXPECT_TRUE(reader.room().empty());
    EXPECT_TRUE(reader.between_packets());
  }
}

TEST_F(Stream, RoomIsOnlyInAPacket) {
  EXPECT_TRUE(reader.room().empty());
  const auto header = bytes_of(kShortMessage);
  ASSERT_TRUE(reader.take(std::span(header).first(kHeaderBytes - 1)).ok());
  EXPECT_TRUE(reader.room().empty());
  ASSERT_TRUE(reader.take(std::span(header).last(1)).ok());
  EXPECT_EQ(reader.room().size(), 4U);
}

TEST_F(Stream, DataInPiecesLieWhereTheyAreWanted) {
  const auto bytes = bytes_of(kShortMessage + "01020304");
  std::array<std::byte, 4> wanted{};
  const std::byte* lie_at = nullptr;
  PacketReader placing(
      1000,
      [&](const Packet&, std::span<const std::byte> data) {
        lie_at = data.data();
        return Error();
      },
      [&](const Packet& packet) {
        EXPECT_EQ(packet, short_message());
        return std::span(wanted);
      });
  ASSERT_TRUE(placing.take(std::span(bytes).first(kHeaderBytes + 1)).ok());
  EXPECT_EQ(placing.room().data(), wanted.data() + 1);
  ASSERT_TRUE(placing.take(std::span(bytes).last(3)).ok());
  EXPECT_EQ(lie_at, wanted.data());
  EXPECT_EQ(hex_of(wanted), "01020304");
}

TEST_F(Stream, PlaceOfAnotherLengthIsNone) {
  const auto bytes = bytes_of(kShortMessage + "01020304");
  std::array<std::byte, 3> wanted{};
  std::string got;
  PacketReader placing(
      1000,
      [&](const Packet&, std::span<const std::byte> data) {
        got = hex_of(data);
        return Error();
      },
      [&](const Packet&) { return std::span(wanted); });
  ASSERT_TRUE(placing.take(std::span(bytes).first(kHeaderBytes + 1)).ok());
  ASSERT_TRUE(placing.take(std::span(bytes).last(3)).ok());
  EXPECT_EQ(got, "01020304");
  EXPECT_EQ(hex_of(wanted), "000000");
}

TEST_F(Stream, LengthOfAPacketWithoutDataMeansNothing) {
  Packet packet = short_message();
  for (const PacketType type : {PacketType::kProtoack, PacketType::kSyncack, PacketType::kCancel,
                                PacketType::kCancelyes, PacketType::kCancelno, PacketType::kFini}) {
    packet.type = type;
    packet.length = 128;
    ASSERT_TRUE(take(encoded(packet), kHeaderBytes).ok());
    EXPECT_TRUE(seen.back().data.empty());
    EXPECT_TRUE(reader.between_packets());
  }
  EXPECT_EQ(seen.size(), 6U);
}

TEST_F(Stream, PacketOfAnUnknownTypeIsPassedOver) {
  Packet packet = short_message();
  packet.type = static_cast<PacketType>(8);
  ASSERT_TRUE(take(encoded(packet), kHeaderBytes).ok());
  EXPECT_TRUE(seen.empty());
  ASSERT_TRUE(take(bytes_of(kShortMessage + "01020304"), 5).ok());
  EXPECT_EQ(seen.size(), 1U);
}

TEST_F(Stream, MoreDataThanWasAgreedUponBreaksIt) {
  Packet packet = short_message();
  packet.length = 1001;
  packet.message_length = 5000;
  EXPECT_EQ(take(encoded(packet), kHeaderBytes).loss(), Loss::kPeer);
  EXPECT_EQ(take(bytes_of(kShortMessage + "01020304"), 5).loss(), Loss::kPeer);
  EXPECT_TRUE(seen.empty());
}

TEST_F(Stream, MoreDataThanTheMessageHasBreaksIt) {
  Packet packet = short_message();
  packet.length = 5;
  EXPECT_EQ(take(encoded(packet), kHeaderBytes).loss(), Loss::kPeer);
  EXPECT_TRUE(seen.empty());
}

}  // namespace
}  // namespace lintel::testing
