#include "mpi_layer/p2p/packet.h"

#include <gtest/gtest.h>

namespace lintel::mpi {
namespace {

TEST(Packet, KindsHaveTheNumbersOfImpi) {
  EXPECT_EQ(static_cast<int>(PacketKind::kData), 0);
  EXPECT_EQ(static_cast<int>(PacketKind::kDatasync), 1);
  EXPECT_EQ(static_cast<int>(PacketKind::kProtoack), 2);
  EXPECT_EQ(static_cast<int>(PacketKind::kSyncack), 3);
  EXPECT_EQ(static_cast<int>(PacketKind::kCancel), 4);
  EXPECT_EQ(static_cast<int>(PacketKind::kCancelyes), 5);
  EXPECT_EQ(static_cast<int>(PacketKind::kCancelno), 6);
}

TEST(Packet, HeaderOfAMessageComesBack) {
  for (const bool rest : {false, true}) {
    for (const std::uint32_t id : {0U, 1U, kMaxRequestId}) {
      for (const std::uint64_t length :
           {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{5} << 32, kMaxLength}) {
        const DataHeader header =
            decode_message(encode(DataHeader{PacketKind::kDatasync, rest, id, length}));
        EXPECT_EQ(header.kind, PacketKind::kDatasync);
        EXPECT_EQ(header.rest_follows, rest);
        EXPECT_EQ(header.request_id, id);
        EXPECT_EQ(header.length, length);
      }
    }
  }
  EXPECT_EQ(decode_message(encode(DataHeader{PacketKind::kData, false, 0, 7})).kind,
            PacketKind::kData);
}

TEST(Packet, ControlPacketOfAMessageComesBack) {
  const std::uint64_t bits = (std::uint64_t{1} << 60) - 1;
  const Control sent{
      PacketKind::kCancel, bits, kMaxRequestId, short_sequence(~std::uint64_t{0}), 0, 0};
  const Control control = decode_control(encode(sent));
  EXPECT_EQ(control.kind, PacketKind::kCancel);
  EXPECT_EQ(control.match_bits, bits);
  EXPECT_EQ(control.request_id, kMaxRequestId);
  EXPECT_EQ(control.sequence, sent.sequence);
}

TEST(Packet, CreditComesBack) {
  const Control control = decode_control(
      encode(Control{PacketKind::kProtoack, 0, 0, 0, kMaxCreditHeaders, kMaxCreditBytes}));
  EXPECT_EQ(control.kind, PacketKind::kProtoack);
  EXPECT_EQ(control.headers, kMaxCreditHeaders);
  EXPECT_EQ(control.bytes, kMaxCreditBytes);
}

}  // namespace
}  // namespace lintel::mpi
