// Connections whose peer has not identified itself yet: how many are kept, and for how long. Tests
// pass the time as an argument.
#include "transport/contact/half_open_callers.h"

#include <gtest/gtest.h>

namespace lintel::transport {
namespace {

using std::chrono::seconds;

constexpr TimePoint at(Nanoseconds since_start) { return TimePoint{1000000000} + since_start; }

TEST(HalfOpenCallersTest, TheOldestMakesRoomAtTheLimit) {
  HalfOpenCallers callers(2, seconds(3));
  HalfOpenCaller first;
  HalfOpenCaller second;
  EXPECT_EQ(callers.displaced_by_next(), nullptr);
  callers.add(first, at(seconds(0)));
  EXPECT_EQ(callers.displaced_by_next(), nullptr);
  callers.add(second, at(seconds(1)));
  EXPECT_EQ(callers.displaced_by_next(), &first);
  callers.remove(first);
  EXPECT_EQ(callers.displaced_by_next(), nullptr);
}

TEST(HalfOpenCallersTest, ACallerThatSendsNothingForTheTimeoutIsOverdue) {
  HalfOpenCallers callers(2, seconds(3));
  HalfOpenCaller first;
  HalfOpenCaller second;
  EXPECT_EQ(callers.next_deadline(), kNever);
  callers.add(first, at(seconds(0)));
  callers.add(second, at(seconds(1)));
  EXPECT_EQ(callers.next_deadline(), at(seconds(3)));
  EXPECT_EQ(callers.overdue(at(seconds(2))), nullptr);
  EXPECT_EQ(callers.overdue(at(seconds(3))), &first);
  callers.remove(first);
  EXPECT_EQ(callers.overdue(at(seconds(3))), nullptr);
  EXPECT_EQ(callers.next_deadline(), at(seconds(4)));
}

TEST(HalfOpenCallersTest, ACallerIsRemovedOnce) {
  HalfOpenCallers callers(1, seconds(3));
  HalfOpenCaller caller;
  callers.remove(caller);
  callers.add(caller, at(seconds(0)));
  callers.remove(caller);
  callers.remove(caller);
  callers.add(caller, at(seconds(1)));
  EXPECT_EQ(callers.displaced_by_next(), &caller);
}

}  // namespace
}  // namespace lintel::transport
