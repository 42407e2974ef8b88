// What connections of strangers that say nothing cost a process: no look at each of them, and no
// system call in each turn.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <deque>
#include <string>

#include "tests/fabric/direct_sessions.h"
#include "tests/fabric/raw_caller.h"

namespace {

std::size_t epoll_waits = 0;

}  // namespace

extern "C" int epoll_wait(int epoll, epoll_event* events, int most, int timeout) {
  ++epoll_waits;
  return static_cast<int>(
      ::syscall(SYS_epoll_pwait, epoll, events, most, timeout, nullptr, _NSIG / 8));
}

namespace lintel::transport {
namespace {

using ::testing::HasSubstr;

class DirectHalfOpen : public DirectSessions, public ::testing::Test {
 protected:
  static constexpr std::size_t kTurns = 3200;

  void SetUp() override { ASSERT_NO_FATAL_FAILURE(open_both()); }
  std::string state() const {
    std::string text;
    sides[0].session().dump(text);
    return text;
  }
  // Of the first side, in so many turns without a message.
  std::size_t waits_in(std::size_t turns) {
    epoll_waits = 0;
    for (std::size_t turn = 0; turn < turns; ++turn) sides[0].node.poll();
    return epoll_waits;
  }
};

TEST_F(DirectHalfOpen, CallersThatSayNothingCostNoSystemCallPerTurn) {
  waits_in(64);  // those that follow the beginning of the session
  const std::size_t alone = waits_in(kTurns);
  std::deque<RawCaller> callers;
  for (int i = 0; i < 64; ++i) ASSERT_TRUE(callers.emplace_back(sides[0].node).connected());
  ASSERT_TRUE(until({&sides[0].node}, [this] {
    return state().find("connections being made: 64\n") != std::string::npos;
  })) << state();
  waits_in(64);  // those in which their requests are expected
  EXPECT_LE(waits_in(kTurns), alone);
  EXPECT_THAT(state(), HasSubstr("connections being made: 64\n"));
  EXPECT_GT(alone, 0U);
  EXPECT_LT(alone, kTurns / 16);
}

}  // namespace
}  // namespace lintel::transport
