// The end of a process that does not wait any longer for what close() waits for: sessions end, and
// the messages of which nothing is known are logged.

#include "tests/unit/transport/session_fixture.h"

#include <cstdio>
#include <fstream>
#include <string>

#include "base/log.h"
#include "tests/failing_allocation.h"

namespace lintel::transport {
namespace {

using lintel::testing::allocations_until_failure;
using lintel::testing::kNoFailure;

class SessionGivesUpClose : public SessionTest {
 protected:
  static constexpr ProcessId kThird{NodeId{0x7f000001}, Pid{300}};

  SessionGivesUpClose() { open(); }
  ~SessionGivesUpClose() override { log_to(""); }
  void log_to(const std::string& name) { configure_log(LogLevel::kWarn, name); }
  // Ends what close() has left. Returns how many peers it has logged with the message to each.
  // `failing`: the allocation that fails meanwhile.
  std::size_t give_up_and_count_lines(long failing = kNoFailure) {
    std::remove(file.c_str());
    log_to(file);
    allocations_until_failure = failing;
    session->give_up_close();
    has_failed = allocations_until_failure.exchange(kNoFailure) < 0;
    log_to("");
    std::ifstream log(file);
    std::size_t lines = 0;
    for (std::string line; std::getline(log, line); ++lines)
      EXPECT_NE(line.find("1 message to it may not have arrived"), line.npos) << line;
    std::remove(file.c_str());
    return lines;
  }
  bool has_failed = false;  // that allocation
  const std::string file = ::testing::TempDir() + "session_losses_log";
};

TEST_F(SessionGivesUpClose, APeerThatWasLostInTheLastStepIsLogged) {
  send("a");
  poll();
  fake->commit_answer = PostStatus::kFailed;
  EXPECT_FALSE(session->close(now));
  ASSERT_EQ(session->state_of(peer), PeerState::kLost);
  EXPECT_EQ(give_up_and_count_lines(), 1U);
  EXPECT_EQ(session->state_of(peer), PeerState::kClosed);
}

TEST_F(SessionGivesUpClose, APeerThatIsFoundLostByItsGoodbyeIsLogged) {
  send("a");
  poll();
  EXPECT_FALSE(session->close(now));
  fake->commit_answer = PostStatus::kFailed;
  EXPECT_EQ(give_up_and_count_lines(), 1U);
  EXPECT_EQ(session->state_of(peer), PeerState::kClosed);
}

TEST_F(SessionGivesUpClose, WhatIsArrivingEndsWithItsConnection) {
  std::vector<std::byte> room(16);
  ASSERT_TRUE(session->expect_placement(peer, PlacementKey{7}, room));
  send("a");
  poll();
  EXPECT_FALSE(session->close(now));
  fake->arriving = true;
  EXPECT_EQ(give_up_and_count_lines(), 1U);
  EXPECT_TRUE(fake->expected.empty()) << "the owner has its memory back";
}

TEST_F(SessionGivesUpClose, WithoutMemoryForTheSentenceAboutAPeerTheOthersAreLogged) {
  LINTEL_NEEDS_FAILING_ALLOCATIONS();
  const Frame greeting = proved_hello(
      introduction(kOtherEpoch, kOtherIncarnation, 0, "fake 9.9", kOldestFrameVersion, kThird));
  long failures = 0;
  for (has_failed = true; has_failed; ++failures) {
    start();
    open();
    ASSERT_NO_FATAL_FAILURE(shake(greeting));
    send("a");
    send(*session->resolve(kThird), "b");
    poll();
    fake->room = false;
    EXPECT_FALSE(session->close(now));
    const std::size_t lines = give_up_and_count_lines(failures);
    EXPECT_EQ(lines, has_failed ? 1U : 2U);
  }
  EXPECT_GT(failures, 2) << "each sentence has needed memory";
}

}  // namespace
}  // namespace lintel::transport
