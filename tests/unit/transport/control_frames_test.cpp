// Frames without messages. The test acts as the session and as the lower transport.
#include "transport/session/control_frames.h"

#include <gtest/gtest.h>

#include "tests/unit/transport/session_parts.h"
#include "transport/session/frame_codec.h"

namespace lintel::transport {
namespace {

class ControlFramesTest : public SessionParts, public ::testing::Test {
 protected:
  ControlFramesTest() {
    peer.remote_slot = 5;
    peer.remote_epoch = 77;
  }
  FrameHeader header_of_last() const { return decode<FrameHeader>(lower.sent.back().frame.data()); }

  PeerSession& peer = peer_of(kOther);
  const std::byte body[3] = {std::byte{1}, std::byte{2}, std::byte{3}};
};

TEST_F(ControlFramesTest, MagicVersionAndLengthAreFilledIn) {
  const FrameHeader header{0, 0, static_cast<std::uint8_t>(FrameKind::kHello), 1, 2, 3, 4, 0};
  ASSERT_EQ(frames.send(peer, header, body), PostStatus::kOk);
  const FrameHeader sent = header_of_last();
  EXPECT_EQ(sent.magic, kFrameMagic);
  EXPECT_EQ(sent.version, kFrameVersion);
  EXPECT_EQ(sent.length, sizeof body);
  EXPECT_EQ(static_cast<FrameKind>(sent.kind), FrameKind::kHello);
  EXPECT_EQ(sent.receiver_slot, 1U);
  EXPECT_EQ(sent.receiver_epoch, 2U);
  EXPECT_EQ(lower.sent.back().frame.size(), sizeof(FrameHeader) + sizeof body);
  EXPECT_EQ(lower.sent.back().frame.back(), body[2]);
}

TEST_F(ControlFramesTest, ANumberedFrameHasTheNumbersOfTheSession) {
  peer.window.open(64);
  peer.window.add(1);
  ASSERT_TRUE(peer.received.ahead(1) == 0 && !peer.received.accept(64));
  ASSERT_EQ(frames.send_numbered(peer, FrameKind::kPing, {}), PostStatus::kOk);
  const FrameHeader sent = header_of_last();
  EXPECT_EQ(static_cast<FrameKind>(sent.kind), FrameKind::kPing);
  EXPECT_EQ(sent.receiver_slot, 5U);
  EXPECT_EQ(sent.receiver_epoch, 77U);
  EXPECT_EQ(sent.sequence, 1U);
  EXPECT_EQ(sent.acknowledged, 1U);
  EXPECT_EQ(tables.counters.frames_sent, 1U);
  EXPECT_EQ(peer.leaving.count(), 1U);
}

TEST_F(ControlFramesTest, WithoutRoomNothingIsSentAndRoomIsAwaited) {
  lower.room = false;
  EXPECT_EQ(frames.send_numbered(peer, FrameKind::kPing, {}), PostStatus::kWouldBlock);
  EXPECT_TRUE(lower.sent.empty());
  EXPECT_FALSE(tables.pending.work_waits());
  EXPECT_NE(tables.pending.next_deadline(TimePoint{1}), kNever);
  EXPECT_EQ(peer.leaving.count(), 0U);
}

TEST_F(ControlFramesTest, WhatTheNetworkDoesNotAcceptNowIsGivenBackAndRoomIsAwaited) {
  lower.commit_answer = PostStatus::kWouldBlock;
  EXPECT_EQ(frames.send_numbered(peer, FrameKind::kPing, {}), PostStatus::kWouldBlock);
  EXPECT_EQ(lower.lent(), 0U);
  EXPECT_NE(tables.pending.next_deadline(TimePoint{1}), kNever);
}

TEST_F(ControlFramesTest, OnALostConnectionTheRoomIsGivenBack) {
  lower.commit_answer = PostStatus::kFailed;
  EXPECT_EQ(frames.send_numbered(peer, FrameKind::kPing, {}), PostStatus::kFailed);
  EXPECT_EQ(lower.lent(), 0U);
  EXPECT_EQ(tables.counters.frames_sent, 0U);
}

}  // namespace
}  // namespace lintel::transport
