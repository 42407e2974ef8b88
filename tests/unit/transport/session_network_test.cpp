// Sessions on a simulated network: many processes, random delays, deaths and restarts, in virtual
// time.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "tests/unit/transport/recording_sink.h"
#include "transport/session/session.h"
#include "transport/simulated/simulated_network.h"
#include "transport/simulated/simulated_transport.h"

namespace lintel::transport {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;

ProcessId name_of(std::size_t i) {
  return {NodeId{0x7f000001}, Pid{static_cast<std::uint32_t>(i + 1)}};
}

struct Process {
  std::unique_ptr<Session> session;
  RecordingSink sink;
};

class SessionNetwork : public testing::Test {
 protected:
  void start(std::size_t count, SimulatedOptions options = {},
             const SessionOptions& session_options = {}) {
    options_ = session_options;
    processes.clear();
    secrets.clear();
    network = std::make_unique<SimulatedNetwork>(options);
    for (std::size_t i = 0; i < count; ++i) {
      processes.push_back(std::make_unique<Process>());
      secrets.emplace_back(secret);
      join(i);
    }
  }
  void join(std::size_t i) {
    SessionOptions options = options_;
    options.incarnation = ++incarnation_;
    if (!secrets[i].empty()) {
      options.job_key = std::make_shared<JobKey>();
      options.job_key->give(std::as_bytes(std::span(secrets[i])));
    }
    processes[i]->session.reset();
    processes[i]->session = std::make_unique<Session>(network->join(name_of(i)), options);
  }
  PeerId peer(std::size_t at, std::size_t other) {
    return *processes[at]->session->resolve(name_of(other));
  }
  PostStatus send(std::size_t from, std::size_t to, std::string_view message) {
    Session& session = *processes[from]->session;
    const PeerId id = peer(from, to);
    const MessageBuffer buffer = session.reserve(id, message.size());
    if (!buffer) return PostStatus::kWouldBlock;
    std::memcpy(buffer.data, message.data(), message.size());
    return session.commit(id, buffer, message.size());
  }
  void poll_all() {
    for (const auto& process : processes) {
      if (process->session) process->session->poll(network->now(), process->sink);
    }
  }
  // One step: time advances to the next event or deadline, then all processes poll. Returns false
  // when nothing more will happen.
  bool step() {
    TimePoint next = network->next_event();
    for (const auto& process : processes) {
      if (process->session) next = std::min(next, process->session->next_deadline());
    }
    if (next == kNever) return false;
    network->run_until(next);
    poll_all();
    return true;
  }
  void settle() {
    while (step()) {
    }
  }
  // The two processes send to each other, and come to rest.
  void both_say_hello() {
    bool done[2] = {};
    while (!done[0] || !done[1]) {
      for (const std::size_t i : {0U, 1U})
        done[i] = done[i] || send(i, 1 - i, "hello") == PostStatus::kOk;
      ASSERT_TRUE(step());
    }
    settle();
  }
  // Two new processes, each of which sends to the other before it has heard of it.
  void both_say_hello_at_once(std::uint64_t seed) {
    start(2, {.seed = seed});
    ASSERT_NO_FATAL_FAILURE(both_say_hello());
    for (const auto& process : processes) {
      EXPECT_THAT(process->sink.messages, ElementsAre("hello")) << "seed " << seed;
      EXPECT_THAT(process->sink.failures, IsEmpty()) << "seed " << seed;
    }
  }

  std::unique_ptr<SimulatedNetwork> network;
  std::vector<std::unique_ptr<Process>> processes;
  std::string secret;                // of the processes that start() makes; empty: none
  std::vector<std::string> secrets;  // by process
  SessionOptions options_;
  std::uint64_t incarnation_ = 0;
};

TEST_F(SessionNetwork, TwoProcessesTalkAndComeToRest) {
  start(2);
  while (send(0, 1, "hello") != PostStatus::kOk) ASSERT_TRUE(step());
  settle();
  EXPECT_THAT(processes[1]->sink.messages, ElementsAre("hello"));
  EXPECT_EQ(processes[0]->session->next_deadline(), kNever);
  EXPECT_EQ(processes[1]->session->next_deadline(), kNever);
  EXPECT_LT(network->now().ns, 3'000'000'000) << "one ping settles the last acknowledgement";
}

TEST_F(SessionNetwork, BothSayHelloAtOnce) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    both_say_hello_at_once(seed);
  }
}

TEST_F(SessionNetwork, PeerThatStartsLateIsReached) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    start(1, {.seed = seed});
    processes.push_back(std::make_unique<Process>());
    secrets.emplace_back();
    while (network->now() < TimePoint{1'500'000'000}) {
      send(0, 1, "early");
      if (!step()) network->run_until(network->now() + 1ms);
    }
    join(1);
    // Both now send to each other. The last refusal may still be under way.
    ASSERT_NO_FATAL_FAILURE(both_say_hello());
    EXPECT_THAT(processes[1]->sink.messages, ElementsAre("hello")) << "seed " << seed;
    EXPECT_THAT(processes[0]->sink.failures, IsEmpty()) << "seed " << seed;
  }
}

// Every process sends to every other one. Nothing is lost or repeated, and each pair is in order.
TEST_F(SessionNetwork, MessagesOf64ProcessesComeOnceAndInOrder) {
  constexpr std::size_t kProcesses = 64;
  constexpr std::size_t kMessages = 3000;
  start(kProcesses, {.seed = 7, .max_in_flight = 4}, {.window_frames = 4});
  std::mt19937_64 random(3);
  std::map<std::pair<std::size_t, std::size_t>, std::vector<std::string>> expected;
  for (std::size_t sent = 0; sent < kMessages;) {
    const std::size_t from = random() % kProcesses;
    const std::size_t to = random() % kProcesses;
    auto& list = expected[{from, to}];
    const std::string message = std::to_string(from) + ">" + std::to_string(to) + " #" +
                                std::to_string(list.size()) + " " +
                                std::string(random() % 700, 'x');
    for (int burst = static_cast<int>(random() % 8); burst >= 0; --burst) {
      if (send(from, to, message) != PostStatus::kOk) break;
      list.push_back(message);
      ++sent;
    }
    if (random() % 4 == 0) step();
  }
  settle();
  std::map<std::pair<std::size_t, std::size_t>, std::vector<std::string>> got;
  for (std::size_t to = 0; to < kProcesses; ++to) {
    EXPECT_THAT(processes[to]->sink.failures, IsEmpty());
    for (const std::string& message : processes[to]->sink.messages)
      got[{std::stoul(message), to}].push_back(message);
  }
  std::erase_if(expected, [](const auto& entry) { return entry.second.empty(); });
  EXPECT_EQ(got, expected);
}

TEST_F(SessionNetwork, EveryMessageIsReportedAsLeftOnce) {
  start(2, {.max_in_flight = 4}, {.window_frames = 8});
  for (std::size_t sent = 0; sent < 1000;) {
    if (send(0, 1, "0123456789") == PostStatus::kOk) {
      ++sent;
    } else {
      ASSERT_TRUE(step());
    }
  }
  settle();
  EXPECT_EQ(processes[0]->sink.left, 1000U);
  EXPECT_EQ(processes[1]->sink.messages.size(), 1000U);
  EXPECT_LT(processes[0]->session->counters().frames_sent, 300U) << "messages share frames";
}

TEST_F(SessionNetwork, SilentDeathIsNoticedByWhoWaits) {
  start(2);
  while (send(0, 1, "hello") != PostStatus::kOk) ASSERT_TRUE(step());
  settle();
  network->kill(name_of(1), Death::kSilent);
  const TimePoint begin = network->now();
  processes[0]->session->watch(peer(0, 1), true);
  while (processes[0]->sink.failures.empty()) ASSERT_TRUE(step());
  EXPECT_EQ(network->now() - begin, 10s);
}

TEST_F(SessionNetwork, NoticedDeathIsToldAtOnce) {
  start(2);
  while (send(0, 1, "hello") != PostStatus::kOk) ASSERT_TRUE(step());
  settle();
  network->kill(name_of(1), Death::kNoticed);
  const TimePoint begin = network->now();
  while (processes[0]->sink.failures.empty()) ASSERT_TRUE(step());
  EXPECT_LE(network->now() - begin, 20us);
}

TEST_F(SessionNetwork, RestartedPeerIsAnotherOne) {
  for (const Death death : {Death::kSilent, Death::kNoticed}) {
    start(2);
    while (send(0, 1, "to the first") != PostStatus::kOk) ASSERT_TRUE(step());
    settle();
    network->kill(name_of(1), death);
    join(1);
    // The new process connects to us before we notice the loss.
    while (send(1, 0, "from the second") != PostStatus::kOk) ASSERT_TRUE(step());
    settle();
    EXPECT_EQ(processes[0]->sink.failures.size(), 1U);
    while (send(0, 1, "to the second") != PostStatus::kOk) ASSERT_TRUE(step());
    settle();
    EXPECT_THAT(processes[0]->sink.messages, ElementsAre("from the second"));
    EXPECT_THAT(processes[1]->sink.messages, ElementsAre("to the first", "to the second"));
  }
}

// However it has died: without the secret, a silent death has to be noticed first.
TEST_F(SessionNetwork, RestartedPeerWithTheSecretOfTheJobTakesItsPlaceAtOnce) {
  secret = "the secret of a job";
  for (const Death death : {Death::kSilent, Death::kNoticed}) {
    start(2);
    while (send(0, 1, "to the first") != PostStatus::kOk) ASSERT_TRUE(step());
    settle();
    network->kill(name_of(1), death);
    const TimePoint begin = network->now();
    join(1);
    while (send(1, 0, "from the second") != PostStatus::kOk) ASSERT_TRUE(step());
    while (processes[0]->sink.messages.empty()) ASSERT_TRUE(step());
    EXPECT_LT(network->now() - begin, 1ms);
    EXPECT_EQ(processes[0]->sink.failures.size(), 1U);
    settle();
    EXPECT_THAT(processes[0]->sink.messages, ElementsAre("from the second"));
    EXPECT_EQ(processes[0]->sink.failures.size(), 1U);
    EXPECT_THAT(processes[1]->sink.messages, ElementsAre("to the first"));
  }
}

TEST_F(SessionNetwork, BothSayHelloAtOnceWithTheSecretOfTheJob) {
  secret = "the secret of a job";
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    both_say_hello_at_once(seed);
    for (const auto& process : processes) {
      EXPECT_EQ(process->session->counters().unproved, 0U) << "seed " << seed;
      EXPECT_EQ(process->session->counters().malformed(), 0U) << "seed " << seed;
    }
  }
}

TEST_F(SessionNetwork, StrangersDoNotReachAJobAndDoNotDisturbIt) {
  secret = "the secret of a job";
  start(4);
  secrets[2] = "";
  secrets[3] = "the secret of another job";
  join(2);
  join(3);
  while (send(0, 1, "first") != PostStatus::kOk) ASSERT_TRUE(step());
  for (int i = 0; i < 20; ++i) {
    for (const std::size_t stranger : {2U, 3U}) {
      EXPECT_EQ(send(stranger, 0, "stranger"), PostStatus::kWouldBlock);
      EXPECT_EQ(send(0, stranger, "mistake"), PostStatus::kWouldBlock);
    }
    EXPECT_EQ(send(0, 1, "more"), PostStatus::kOk);
    settle();
  }
  EXPECT_EQ(processes[1]->sink.messages.size(), 21U);
  EXPECT_THAT(processes[1]->sink.failures, IsEmpty());
  EXPECT_THAT(processes[0]->sink.messages, IsEmpty());
  for (const std::size_t stranger : {2U, 3U}) {
    EXPECT_THAT(processes[stranger]->sink.messages, IsEmpty());
    EXPECT_FALSE(processes[stranger]->sink.failures.empty());
  }
}

TEST_F(SessionNetwork, ClosedEndpointFailsItsPeersPromptlyAndAfterItsMessages) {
  start(2);
  while (send(0, 1, "first") != PostStatus::kOk) ASSERT_TRUE(step());
  settle();
  processes[1]->sink.take();
  for (int i = 0; i < 20; ++i) send(0, 1, "last");
  const TimePoint begin = network->now();
  while (!processes[0]->session->close(network->now())) ASSERT_TRUE(step());
  processes[0]->session.reset();
  while (processes[1]->sink.failures.empty()) ASSERT_TRUE(step());
  EXPECT_EQ(processes[1]->sink.messages.size(), 21U);
  EXPECT_STREQ(processes[1]->sink.failures[0].reason(), "the peer closed its endpoint");
  EXPECT_LT(network->now() - begin, 1ms);
}

TEST_F(SessionNetwork, WriteOfSeveralPartsPassesThrough) {
  start(2);
  while (send(0, 1, "hello") != PostStatus::kOk) ASSERT_TRUE(step());
  settle();
  std::vector<std::byte> from(1000, std::byte{3});
  std::vector<std::byte> to(1000);
  Session& a = *processes[0]->session;
  const Registration source = *a.register_memory(peer(0, 1), from, Access::kWriteSource);
  const Registration target =
      *processes[1]->session->register_memory(peer(1, 0), to, Access::kWriteTarget);
  for (std::size_t at = 0; at < 1000; at += 100) {
    ASSERT_EQ(a.post_write(peer(0, 1), {from.data() + at, 100, source},
                           {target.key, target.base + at}, Immediate{5}, Context{at}),
              PostStatus::kOk);
  }
  settle();
  EXPECT_EQ(from, to);
}

}  // namespace
}  // namespace lintel::transport
