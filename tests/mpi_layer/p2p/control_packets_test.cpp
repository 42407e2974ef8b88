// Packets that are not messages.

#include "mpi_layer/p2p/control_packets.h"

#include "tests/mpi_layer/p2p/parts_fixture.h"

namespace lintel::testing {
namespace {

using mpi::Control;
using mpi::PacketKind;

class ControlPacketsPart : public PartsTest {
 protected:
  std::vector<Control> arrived() LINTEL_REQUIRES(kLock) {
    settle();
    std::vector<Control> packets;
    for (const portals::Event& event : there.take_events()) {
      if (event.portal_index == mpi::kControlPortal)
        packets.push_back(mpi::decode_control({event.match_bits, event.header_data}));
    }
    return packets;
  }
};

TEST_F(ControlPacketsPart, ControlsArriveUnchanged) {
  kLock.is_held();
  here.controls.send(*here.peer, {PacketKind::kSyncack, 0, 7, 9, 0, 0});
  here.controls.send_credit(*here.peer, {500, 3});
  const std::vector<Control> packets = arrived();
  ASSERT_EQ(packets.size(), 2U);
  EXPECT_EQ(packets[0].kind, PacketKind::kSyncack);
  EXPECT_EQ(packets[0].request_id, 7U);
  EXPECT_EQ(packets[0].sequence, 9U);
  EXPECT_EQ(packets[1].kind, PacketKind::kProtoack);
  EXPECT_EQ(packets[1].bytes, 500U);
  EXPECT_EQ(packets[1].headers, 3U);
  EXPECT_FALSE(packets[1].placement);
  EXPECT_TRUE(here.controls.idle());
}

TEST_F(ControlPacketsPart, NothingIsSentToALostPeer) {
  kLock.is_held();
  here.peer->lost = true;
  here.controls.send_credit(*here.peer, {500, 3});
  EXPECT_TRUE(here.controls.idle());
  EXPECT_TRUE(arrived().empty());
}

}  // namespace
}  // namespace lintel::testing
