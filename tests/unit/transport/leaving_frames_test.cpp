// Frames that the lower transport has and has not reported as left.
#include "transport/session/leaving_frames.h"

#include <gtest/gtest.h>

namespace lintel::transport {
namespace {

TEST(LeavingFramesTest, TheMessagesOfAFrameHaveLeftWithIt) {
  LeavingFrames frames;
  frames.add(3);
  EXPECT_EQ(frames.count(), 1U);
  EXPECT_EQ(frames.one_has_left(), 3U);
  EXPECT_EQ(frames.count(), 0U);
}

// The lower transport does not say which frame has left.
TEST(LeavingFramesTest, MessagesSentWhileAFrameLeavesAreReportedAfterThoseBefore) {
  LeavingFrames frames;
  frames.add(3);
  frames.add(2);
  frames.add(1);
  EXPECT_EQ(frames.one_has_left(), 3U);
  EXPECT_EQ(frames.one_has_left(), 0U) << "one of the two others is still leaving";
  EXPECT_EQ(frames.one_has_left(), 3U);
}

TEST(LeavingFramesTest, AFrameThatNobodyHasSentIsIgnored) {
  LeavingFrames frames;
  EXPECT_EQ(frames.one_has_left(), 0U);
  EXPECT_EQ(frames.count(), 0U);
}

TEST(LeavingFramesTest, MessagesOfAnEndedSessionAreNotReported) {
  LeavingFrames frames;
  frames.add(3);
  frames.add(2);
  frames.make_stale();
  EXPECT_EQ(frames.count(), 0U);
  EXPECT_TRUE(frames.has_stale());
  frames.add(7);
  EXPECT_EQ(frames.one_has_left(), 0U);
  EXPECT_EQ(frames.one_has_left(), 0U);
  EXPECT_FALSE(frames.has_stale());
  EXPECT_EQ(frames.one_has_left(), 7U);
}

TEST(LeavingFramesTest, NoFrameOfAnEndedConnectionIsAwaited) {
  LeavingFrames frames;
  frames.add(3);
  frames.make_stale();
  frames.add(2);
  frames.reset();
  EXPECT_EQ(frames.count(), 0U);
  EXPECT_FALSE(frames.has_stale());
}

}  // namespace
}  // namespace lintel::transport
