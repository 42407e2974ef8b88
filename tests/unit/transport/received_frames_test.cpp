// Which frame of a session is the next one, and when it is to be acknowledged.
#include "transport/session/received_frames.h"

#include <gtest/gtest.h>

namespace lintel::transport {
namespace {

TEST(ReceivedFramesTest, TheFirstFrameHasTheSequenceOne) {
  const ReceivedFrames frames;
  EXPECT_EQ(frames.ahead(1), 0);
}

TEST(ReceivedFramesTest, AFrameIsAheadByThoseThatAreMissing) {
  ReceivedFrames frames;
  frames.accept(64);
  EXPECT_EQ(frames.ahead(4), 2);
  EXPECT_TRUE(frames.lacks(2));
}

TEST(ReceivedFramesTest, AFrameThatWasReceivedIsBehind) {
  ReceivedFrames frames;
  frames.accept(64);
  EXPECT_LT(frames.ahead(1), 0);
  EXPECT_FALSE(frames.lacks(1));
}

TEST(ReceivedFramesTest, AnAcknowledgementIsDueAfterAQuarterOfTheWindow) {
  ReceivedFrames frames;
  for (int i = 0; i < 2; ++i) EXPECT_FALSE(frames.accept(8));
  EXPECT_TRUE(frames.accept(8));
  frames.confirmed();
  EXPECT_FALSE(frames.accept(8));
  EXPECT_EQ(frames.last(), 4U);
}

TEST(ReceivedFramesTest, AnotherSessionBeginsAnew) {
  ReceivedFrames frames;
  for (int i = 0; i < 3; ++i) frames.accept(8);
  frames.reset();
  EXPECT_EQ(frames.last(), 0U);
  EXPECT_FALSE(frames.accept(8));
}

}  // namespace
}  // namespace lintel::transport
