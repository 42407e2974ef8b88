// The time, the sink and the reports of the poll under way.
#include "transport/session/poll_turn.h"

#include <gtest/gtest.h>

#include "tests/unit/transport/recording_sink.h"

namespace lintel::transport {
namespace {

using std::chrono::seconds;

class PollTurnTest : public ::testing::Test {
 protected:
  static constexpr TimePoint kStart{1'000'000'000};

  PollTurn turn;
  RecordingSink sink;
};

TEST_F(PollTurnTest, ThereIsASinkOnlyInsideTheScope) {
  EXPECT_FALSE(turn.is_under_way());
  {
    const PollTurn::Scope scope(turn, sink);
    EXPECT_TRUE(turn.is_under_way());
    EXPECT_EQ(&turn.sink(), &sink);
  }
  EXPECT_FALSE(turn.is_under_way());
}

TEST_F(PollTurnTest, TheFirstPollHasNoGap) {
  EXPECT_EQ(turn.begin(kStart), Nanoseconds(0));
  EXPECT_EQ(turn.now(), kStart);
}

TEST_F(PollTurnTest, ALaterPollTellsTheTimeSinceTheLastOne) {
  turn.begin(kStart);
  EXPECT_EQ(turn.begin(kStart + seconds(3)), seconds(3));
}

TEST_F(PollTurnTest, TheTimeNeverDecreases) {
  turn.begin(kStart);
  EXPECT_EQ(turn.begin(TimePoint{}), Nanoseconds(0));
  turn.advance(TimePoint{});
  EXPECT_EQ(turn.now(), kStart);
  turn.advance(kStart + seconds(1));
  EXPECT_EQ(turn.now(), kStart + seconds(1));
}

TEST_F(PollTurnTest, ReportsAreCountedFromTheBeginOfThePoll) {
  const PollTurn::Scope scope(turn, sink);
  turn.begin(kStart);
  EXPECT_EQ(&turn.report(), &sink);
  turn.report(3);
  turn.count(2);
  EXPECT_EQ(turn.reports(), 6U);
  turn.begin(kStart);
  EXPECT_EQ(turn.reports(), 0U);
}

}  // namespace
}  // namespace lintel::transport
