// Packets that are not messages.

#include "mpi_layer/p2p/control_packets.h"

#include <numeric>

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

// The network does not run, so that nothing leaves.
class UnreadControlPackets : public ControlPacketsPart {
 protected:
  // CANCELs of the other process for messages that it has never sent: each is answered.
  void cancel(std::size_t times) LINTEL_REQUIRES(kLock) {
    for (std::size_t i = 0; i < times; ++i)
      here.receives.on_cancel(*here.peer, {PacketKind::kCancel, 0, 1, next_++, 0, 0});
  }
  // Until the engine has no more room.
  void fill() LINTEL_REQUIRES(kLock) {
    while (waiting() == 0) cancel(1);
  }
  std::size_t waiting() const LINTEL_REQUIRES(kLock) { return here.peer->controls.waiting.size(); }
  std::size_t losses() LINTEL_REQUIRES(kLock) {
    std::size_t losses = 0;
    for (const portals::Event& event : here.take_events())
      losses += event.kind == portals::EventKind::kPeerLost ? 1U : 0U;
    return losses;
  }

  std::uint64_t next_ = 0;  // number of the next message that is cancelled
};

TEST_F(UnreadControlPackets, AreSentInOrderWhenThereIsRoom) {
  kLock.is_held();
  fill();
  cancel(here.controls.most_waiting(*here.peer) - 1);
  EXPECT_EQ(waiting(), here.controls.most_waiting(*here.peer));
  std::vector<std::uint64_t> came;
  for (int turn = 0; turn < 100; ++turn) {
    for (const Control& control : arrived()) came.push_back(control.sequence);
    here.controls.retry();
  }
  EXPECT_TRUE(here.controls.idle());
  std::vector<std::uint64_t> all(next_);
  std::iota(all.begin(), all.end(), 0);
  EXPECT_EQ(came, all);
  EXPECT_EQ(losses(), 0U);
}

TEST_F(UnreadControlPackets, BeyondTheLimitThePeerIsGivenUp) {
  kLock.is_held();
  fill();
  cancel(here.controls.most_waiting(*here.peer) - 1);
  EXPECT_EQ(losses(), 0U);
  cancel(100'000);
  EXPECT_EQ(waiting(), 0U);
  EXPECT_EQ(losses(), 1U);
  EXPECT_EQ(processes.process(0).counters().get(Counter::kPeersOverdrawn), 1U);
  here.controls.retry();
  EXPECT_TRUE(here.controls.idle());
}

// It may cancel each of them until it learns that its data have gone.
TEST_F(UnreadControlPackets, APeerMayCancelAllMessagesThatAreBeingPulled) {
  kLock.is_held();
  constexpr std::size_t kPulls = 1000;
  const std::size_t least = here.controls.most_waiting(*here.peer);
  for (std::size_t i = 0; i < kPulls; ++i) mpi::ControlPackets::begin_pull(*here.peer);
  fill();
  for (std::size_t i = 0; i < kPulls; ++i) mpi::ControlPackets::end_pull(*here.peer);
  cancel(least + kPulls - 1);
  EXPECT_EQ(waiting(), least + kPulls);
  EXPECT_EQ(losses(), 0U);
  cancel(1);
  EXPECT_EQ(losses(), 1U);
}

TEST_F(UnreadControlPackets, WhatThisProcessAsksForDoesNotCountAgainstThePeer) {
  kLock.is_held();
  fill();
  const std::size_t most = here.controls.most_waiting(*here.peer);
  for (std::size_t i = 0; i < 2 * most; ++i)
    here.controls.send(*here.peer, {PacketKind::kCancel, 0, 1, i, 0, 0});
  EXPECT_EQ(waiting(), 1 + 2 * most);
  EXPECT_EQ(losses(), 0U);
}

}  // namespace
}  // namespace lintel::testing
