#include "failure.h"

#include <gtest/gtest.h>

#include <thread>

namespace lintel::perf {
namespace {

std::string said(StopReason& reason, std::chrono::milliseconds limit = {}) {
  try {
    reason.throw_if_set(limit);
  } catch (const PeerLost& lost) {
    return lost.what();
  }
  return "";
}

TEST(StopReason, NobodyIsStoppedWithoutOne) {
  StopReason reason;
  EXPECT_FALSE(reason.is_set());
  EXPECT_EQ(said(reason), "");
}

TEST(StopReason, TheFirstCountsAndEndsTheWaitsOnce) {
  StopReason reason;
  int ended = 0;
  reason.set("first", [&] { ++ended; });
  reason.set("second", [&] { ++ended; });
  EXPECT_EQ(ended, 1);
  EXPECT_EQ(said(reason), "first");
}

TEST(StopReason, AWaitReturnsWhenOneComes) {
  StopReason reason;
  std::thread other([&] { reason.set("late", [] {}); });
  EXPECT_EQ(said(reason, std::chrono::seconds(20)), "late");
  other.join();
}

}  // namespace
}  // namespace lintel::perf
