// The frames that were sent and are not acknowledged yet.
#include "transport/session/send_window.h"

#include <gtest/gtest.h>

namespace lintel::transport {
namespace {

using AckResult = SendWindow::AckResult;

class SendWindowTest : public ::testing::Test {
 protected:
  static constexpr std::uint32_t kFrames = 4;

  SendWindowTest() { window.open(kFrames); }
  void send(std::uint32_t frames, std::uint32_t messages = 1) {
    while (frames-- > 0) window.add(messages);
  }

  SendWindow window;
};

TEST_F(SendWindowTest, ItIsFullWhenSoManyFramesAreUnacknowledged) {
  send(kFrames - 1);
  EXPECT_FALSE(window.is_full());
  send(1);
  EXPECT_TRUE(window.is_full());
  window.acknowledge(1);
  EXPECT_FALSE(window.is_full());
}

TEST_F(SendWindowTest, AnAcknowledgementCoversAllFramesUpToItsSequence) {
  send(3);
  EXPECT_EQ(window.acknowledge(2), AckResult::kAdvanced);
  EXPECT_EQ(window.acknowledged(), 2U);
  EXPECT_EQ(window.unacknowledged(), 1U);
}

TEST_F(SendWindowTest, TheSameAcknowledgementAgainIsNoNews) {
  send(3);
  window.acknowledge(2);
  EXPECT_EQ(window.acknowledge(2), AckResult::kUnchanged);
}

TEST_F(SendWindowTest, AnOlderAcknowledgementChangesNothing) {
  send(3);
  window.acknowledge(2);
  EXPECT_EQ(window.acknowledge(1), AckResult::kOlder);
  EXPECT_EQ(window.acknowledged(), 2U);
}

TEST_F(SendWindowTest, OfFramesThatWereNeverSentNothingIsAcknowledged) {
  send(3);
  EXPECT_EQ(window.acknowledge(4), AckResult::kNeverSent);
  EXPECT_EQ(window.unacknowledged(), 3U);
}

TEST_F(SendWindowTest, ItsEndTellsTheMessagesOfUnacknowledgedFrames) {
  send(2, 10);
  send(1, 20);
  window.acknowledge(1);
  EXPECT_EQ(window.end(), 30U);
  EXPECT_EQ(window.unacknowledged(), 0U);
  EXPECT_EQ(window.sent(), 0U);
}

TEST_F(SendWindowTest, TheNumbersOfMessagesAreRightAfterManyWindows) {
  for (std::uint32_t sequence = 1; sequence <= 10 * kFrames; ++sequence) {
    send(1, sequence);
    window.acknowledge(sequence - 1);
  }
  EXPECT_EQ(window.end(), 10 * kFrames);
}

TEST_F(SendWindowTest, NothingIsFullBecauseASessionHasEnded) {
  send(kFrames);
  window.end();
  EXPECT_FALSE(window.is_full());
}

TEST_F(SendWindowTest, WhatIsAwaitedIsWhatWasSentAndWhatIsOpen) {
  send(2);
  window.await(1);
  EXPECT_EQ(window.awaited(), 3);
  send(2);
  window.acknowledge(3);
  EXPECT_EQ(window.awaited(), 0);
  window.acknowledge(4);
  EXPECT_LT(window.awaited(), 1);
}

}  // namespace
}  // namespace lintel::transport
