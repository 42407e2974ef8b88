// When a session that nobody uses ends: peers that are gone without a goodbye, on a network that
// does not tell of it.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <map>
#include <memory>
#include <string_view>
#include <utility>

#include "tests/unit/transport/recording_sink.h"
#include "transport/session/session.h"
#include "transport/simulated/simulated_network.h"
#include "transport/simulated/simulated_transport.h"

namespace lintel::transport {
namespace {

using namespace std::chrono_literals;
using testing::IsEmpty;
using testing::SizeIs;

class SessionIdle : public testing::Test {
 protected:
  static constexpr std::uint32_t kServer = 1;
  static constexpr std::size_t kLimit = 4;

  struct Process {
    std::unique_ptr<Session> session;
    RecordingSink sink;
  };

  SessionIdle() {
    SessionOptions options;
    options.max_idle_sessions = options.max_closed_peers = kLimit;
    start(options);
  }
  void start(const SessionOptions& options) {
    processes.clear();
    options_ = options;
    join(kServer);
  }
  static ProcessId name_of(std::uint32_t pid) { return {NodeId{0x7f000001}, Pid{pid}}; }
  Process& server() { return processes.at(kServer); }
  Session& session() { return *server().session; }
  PeerId id_of(std::uint32_t pid) { return *session().resolve(name_of(pid)); }

  void join(std::uint32_t pid) {
    options_.incarnation = ++incarnation_;
    processes[pid].session = std::make_unique<Session>(network.join(name_of(pid)), options_);
  }
  // The process is gone, and nobody is told.
  void vanish(std::uint32_t pid) {
    network.kill(name_of(pid), Death::kSilent);
    processes.erase(pid);
  }
  void poll_all() {
    for (auto& [pid, process] : processes) {
      if (pid != stopped) process.session->poll(network.now(), process.sink);
    }
  }
  // Time goes on to the next event or deadline, but not beyond `until`. False: nothing more happens
  // until then.
  bool step(TimePoint until = kNever) {
    TimePoint next = network.next_event();
    for (const auto& [pid, process] : processes) {
      if (pid != stopped) next = std::min(next, process.session->next_deadline());
    }
    if (next >= until) return false;
    network.run_until(next);
    poll_all();
    return true;
  }
  void run_for(Nanoseconds time) {
    const TimePoint until = network.now() + time;
    while (step(until)) {
    }
    network.run_until(until);
    poll_all();
  }
  // A process sends the server a message, which arrives.
  void send(std::uint32_t pid, std::string_view message = "a message") {
    Session& from = *processes.at(pid).session;
    const PeerId to = *from.resolve(name_of(kServer));
    const std::size_t before = server().sink.messages.size();
    MessageBuffer buffer = from.reserve(to, message.size());
    for (; !buffer; buffer = from.reserve(to, message.size())) ASSERT_TRUE(step());
    std::memcpy(buffer.data, message.data(), message.size());
    ASSERT_EQ(from.commit(to, buffer, message.size()), PostStatus::kOk);
    while (server().sink.messages.size() == before) ASSERT_TRUE(step());
  }
  // Processes 2 to `last`, each of which has sent a message.
  void meet_up_to(std::uint32_t last) {
    for (std::uint32_t pid = 2; pid <= last; ++pid) {
      join(pid);
      ASSERT_NO_FATAL_FAILURE(send(pid));
    }
    run_for(5s);  // until the last acknowledgements have come
    server().sink.take();
  }
  // Peers that the server still has a record of.
  std::size_t known(std::size_t met) { return met - server().sink.forgotten.size(); }

  SimulatedNetwork network;
  std::map<std::uint32_t, Process> processes;
  std::uint32_t stopped = 0;  // this one does not run
  SessionOptions options_;
  std::uint64_t incarnation_ = 0;
};

TEST_F(SessionIdle, ManyPeersThatVanishLeaveTheRecordsOfFew) {
  start({});
  constexpr std::uint32_t kPeers = 10'000;
  std::uint32_t highest = 0;
  std::size_t most = 0;
  for (std::uint32_t i = 0; i < kPeers; ++i) {
    join(2 + i);
    ASSERT_NO_FATAL_FAILURE(send(2 + i));
    highest = std::max(highest, id_of(2 + i).value);
    vanish(2 + i);
    most = std::max(most, known(i + 1));
    run_for(50ms);
    server().sink.messages.clear();
  }
  // 20 in a second, each until it was asked and has not answered for 10 s, and the two limits.
  EXPECT_LE(most, 20U * 30 + 2 * 256U);
  EXPECT_LE(highest, most);
  run_for(100s);
  EXPECT_LE(known(kPeers), 2 * 256U);
  EXPECT_EQ(session().next_deadline(), kNever);
}

TEST_F(SessionIdle, AStoppedPeerOfASmallJobIsNotLost) {
  ASSERT_NO_FATAL_FAILURE(meet_up_to(1 + kLimit));
  stopped = 3;
  const std::uint64_t pings = session().counters().pings;
  EXPECT_EQ(session().next_deadline(), kNever);
  run_for(1h);
  EXPECT_THAT(server().sink.failures, IsEmpty());
  EXPECT_EQ(session().counters().pings, pings);
  stopped = 0;
  ASSERT_NO_FATAL_FAILURE(send(3)) << "in the same session";
  EXPECT_THAT(server().sink.failures, IsEmpty());
}

// They are processes of the job, as many as it has.
TEST_F(SessionIdle, WhoHasProvedTheSecretIsNotAskedHoweverManyTheyAre) {
  const std::string_view secret = "of the job";
  SessionOptions options = options_;
  options.job_key = std::make_shared<JobKey>();
  options.job_key->give(std::as_bytes(std::span(secret.data(), secret.size())));
  start(options);
  ASSERT_NO_FATAL_FAILURE(meet_up_to(3 * kLimit));
  stopped = 3;
  const std::uint64_t pings = session().counters().pings;
  EXPECT_EQ(session().next_deadline(), kNever);
  run_for(1h);
  EXPECT_EQ(session().counters().pings, pings);
  EXPECT_THAT(server().sink.failures, IsEmpty());
  stopped = 0;
  ASSERT_NO_FATAL_FAILURE(send(3)) << "in the same session";
  EXPECT_THAT(server().sink.failures, IsEmpty());
}

TEST_F(SessionIdle, BeyondTheLimitThoseThatDoNotAnswerAreLost) {
  ASSERT_NO_FATAL_FAILURE(meet_up_to(3 + kLimit));
  for (std::uint32_t pid = 2; pid <= 3 + kLimit; ++pid) vanish(pid);
  const TimePoint begin = network.now();
  while (server().sink.failures.size() < 2) ASSERT_TRUE(step());
  EXPECT_LE(network.now() - begin, 30s);
  for (const std::uint32_t pid : {2U, 3U})
    EXPECT_EQ(session().state_of(id_of(pid)), PeerState::kClosed) << "the longest idle ones";
  EXPECT_STREQ(server().sink.failures[0].reason(),
               "the idle peer has not answered within the dead-peer deadline");
  EXPECT_EQ(session().next_deadline(), kNever);
  run_for(1h);
  EXPECT_THAT(server().sink.failures, SizeIs(2)) << "the others are as many as the limit";
}

TEST_F(SessionIdle, PeersThatAnswerStayAndAreSeldomAsked) {
  ASSERT_NO_FATAL_FAILURE(meet_up_to(3 * kLimit));
  const std::uint64_t pings = session().counters().pings;
  run_for(1h);
  EXPECT_THAT(server().sink.failures, IsEmpty());
  // One each at first, later one in 160 s.
  EXPECT_GE(session().counters().pings - pings, 3 * kLimit - 1);
  EXPECT_LE(session().counters().pings - pings, (3 * kLimit - 1) * (1 + 3600 / 160));
  for (std::uint32_t pid = 2; pid <= 3 * kLimit; ++pid)
    EXPECT_EQ(session().state_of(id_of(pid)), PeerState::kOpen);
}

TEST_F(SessionIdle, PeersInUseAreNotAsked) {
  ASSERT_NO_FATAL_FAILURE(meet_up_to(2 + kLimit));
  const std::uint64_t pings = session().counters().pings;
  for (int turn = 0; turn < 100; ++turn) {
    for (std::uint32_t pid = 2; pid <= 2 + kLimit; ++pid) ASSERT_NO_FATAL_FAILURE(send(pid));
    run_for(3s);
  }
  EXPECT_EQ(session().counters().pings, pings);
}

// It may have been in a debugger itself.
TEST_F(SessionIdle, AProcessThatWasStoppedAsksAgainBeforeItGivesUp) {
  ASSERT_NO_FATAL_FAILURE(meet_up_to(3 * kLimit));
  const std::uint64_t pings = session().counters().pings;
  stopped = kServer;
  for (int stop = 0; stop < 3; ++stop) {
    network.run_until(network.now() + 1h);
    session().poll(network.now(), server().sink);
  }
  EXPECT_GT(session().counters().pings, pings);
  stopped = 0;
  run_for(60s);
  EXPECT_THAT(server().sink.failures, IsEmpty());
}

TEST_F(SessionIdle, OneTurnAsksABoundedNumber) {
  ASSERT_NO_FATAL_FAILURE(meet_up_to(400));
  for (std::uint32_t pid = 2; pid <= 400; ++pid) vanish(pid);
  network.run_until(network.now() + 1h);
  std::uint64_t pings = session().counters().pings;
  std::uint64_t asked = 0;
  for (int turn = 0; turn < 10; ++turn) {
    poll_all();
    EXPECT_LE(session().counters().pings - pings, 64U);
    asked += session().counters().pings - pings;
    pings = session().counters().pings;
  }
  EXPECT_EQ(asked, 256U) << "as many as are asked at a time";
  run_for(10min);
  EXPECT_THAT(server().sink.failures, SizeIs(399 - kLimit));
}

}  // namespace
}  // namespace lintel::transport
