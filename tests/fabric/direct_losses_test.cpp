// Messages that were accepted and that no connection brings to their end: in each of the ways in
// which a lost connection is not resumed, they are counted, and the sentence about the peer has
// their number.
#include <gmock/gmock.h>

#include <cstdio>
#include <fstream>
#include <sstream>

#include "base/log.h"
#include "tests/fabric/direct_sessions.h"

namespace lintel::transport {
namespace {

using testing::HasSubstr;

constexpr std::uint64_t kUnanswered = 5;
constexpr const char* kLost = "5 messages to it may not have arrived";

class DirectLosses : public DirectSessions, public testing::Test {
 protected:
  ~DirectLosses() override { configure_log(LogLevel::kWarn, ""); }

  // Side 0 has sent messages on a connection that is lost. Side 1 has seen neither.
  void lose_connection_with_messages(Nanoseconds timeout = std::chrono::seconds(10)) {
    open_both(timeout);
    if (HasFatalFailure()) return;
    // What was sent before is acknowledged.
    ASSERT_TRUE(until_both([&] {
      std::string state;
      a().session().dump(state);
      return state.find(" in_window 0 ") != std::string::npos;
    }));
    // A reset destroys what the receiver has not read.
    for (std::uint32_t number = 1; number <= kUnanswered; ++number)
      ASSERT_TRUE(send_at_once(0, number));
    b().session().interrupt(b().peer);
    a().session().interrupt(a().peer);
  }
  // The process is gone. It cannot say goodbye.
  void end_without_goodbye(SessionSide& side) { side.node.transport.reset(); }
  void expect_counted() {
    ASSERT_TRUE(until({&a().node}, [&] { return !a().node.seen.failures.empty(); }));
    EXPECT_EQ(a().node.seen.failures.size(), 1U);
    EXPECT_EQ(a().session().counters().messages_unacknowledged, kUnanswered);
    EXPECT_EQ(a().session().frame_counts().unacknowledged, kUnanswered);
    EXPECT_EQ(a().session().lost_messages(a().peer), kUnanswered);
    EXPECT_THAT(a().session().describe(a().peer), HasSubstr(kLost));
    EXPECT_EQ(b().node.seen.message_count, 1U) << "the test saw what it is about";
  }
  SessionSide& a() { return sides[0]; }
  SessionSide& b() { return sides[1]; }
};

TEST_F(DirectLosses, TheDeadlineEnds) {
  lose_connection_with_messages(std::chrono::milliseconds(200));
  if (HasFatalFailure()) return;
  expect_counted();  // B listens, and answers nothing
}

TEST_F(DirectLosses, NobodyListensAtTheAddress) {
  lose_connection_with_messages();
  if (HasFatalFailure()) return;
  end_without_goodbye(b());
  expect_counted();
}

TEST_F(DirectLosses, AnotherIncarnationAnswers) {
  lose_connection_with_messages();
  if (HasFatalFailure()) return;
  NetworkOptions options = options_for(DirectTransport::kName);
  options.pid = b().session().self().pid;
  end_without_goodbye(b());
  SessionSide restarted = open_session(options, 99);
  ASSERT_TRUE(until({&a().node, &restarted.node}, [&] { return !a().node.seen.failures.empty(); }));
  expect_counted();
  EXPECT_EQ(restarted.node.seen.message_count, 0U);
}

TEST_F(DirectLosses, ThePeerRefuses) {
  lose_connection_with_messages();
  if (HasFatalFailure()) return;
  b().session().disconnect(b().peer);
  ASSERT_TRUE(until_both([&] { return !a().node.seen.failures.empty(); }));
  expect_counted();
}

TEST_F(DirectLosses, ThisProcessEndsBeforeThePeerAnswers) {
  const std::string file = testing::TempDir() + "direct_losses_log";
  std::remove(file.c_str());
  lose_connection_with_messages();
  if (HasFatalFailure()) return;
  EXPECT_FALSE(a().session().close(monotonic_now()));
  a().node.poll();
  EXPECT_FALSE(a().session().close(monotonic_now()));
  configure_log(LogLevel::kWarn, file);
  a().session().give_up_close();
  configure_log(LogLevel::kWarn, "");
  EXPECT_EQ(a().session().frame_counts().unacknowledged, kUnanswered);
  std::ostringstream log;
  log << std::ifstream(file).rdbuf();
  EXPECT_THAT(log.str(), HasSubstr(kLost));
  std::remove(file.c_str());
}

}  // namespace
}  // namespace lintel::transport
