// The injected faults, each alone, and sessions on a transport with faults.

#include "transport/faulty/faulty_transport.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <string_view>

#include "tests/unit/transport/fake_transport.h"
#include "tests/unit/transport/recording_sink.h"
#include "transport/session/session.h"
#include "transport/simulated/simulated_network.h"
#include "transport/simulated/simulated_transport.h"

namespace lintel::transport {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr ProcessId kSelf{NodeId{1}, Pid{1}};
constexpr ProcessId kOther{NodeId{1}, Pid{200}};

class FaultyTransportTest : public testing::Test {
 protected:
  void start(const char* text) {
    FaultPlan plan;
    ASSERT_EQ(parse_fault_plan(text, plan), "");
    auto wrapped = std::make_unique<FakeTransport>(kSelf);
    fake = wrapped.get();
    faulty = std::make_unique<FaultyTransport>(std::move(wrapped), plan);
    peer = *faulty->resolve(kOther);
  }
  PostStatus send(std::string_view message) {
    const MessageBuffer buffer = faulty->reserve(peer, message.size());
    if (!buffer) return PostStatus::kWouldBlock;
    std::memcpy(buffer.data, message.data(), message.size());
    const PostStatus status = faulty->commit(peer, buffer, message.size());
    if (status != PostStatus::kOk) faulty->abandon(peer, buffer);
    return status;
  }
  PostStatus send_placed() {
    const MessageBuffer buffer = faulty->reserve(peer, 1);
    const PostStatus status =
        faulty->commit_placed(peer, buffer, 1, payload, PlacementKey(1), Context(5));
    if (status != PostStatus::kOk) faulty->abandon(peer, buffer);
    return status;
  }
  PostStatus write() {
    return faulty->post_write(peer, {payload.data(), payload.size(), {}}, {}, Immediate{1},
                              Context{6});
  }
  std::vector<std::string> sent() const {
    std::vector<std::string> out;
    for (const auto& message : fake->sent)
      out.emplace_back(reinterpret_cast<const char*>(message.frame.data()), message.frame.size());
    return out;
  }

  FakeTransport* fake = nullptr;
  std::unique_ptr<FaultyTransport> faulty;
  RecordingSink sink;
  PeerId peer;
  Bytes payload = Bytes(8);
};

TEST_F(FaultyTransportTest, EmptyPlanChangesNothing) {
  start("");
  EXPECT_EQ(send("a"), PostStatus::kOk);
  fake->arrives(Bytes(3, std::byte{'x'}), peer);
  fake->left(peer);
  faulty->poll({}, sink);
  EXPECT_THAT(sent(), ElementsAre("a"));
  EXPECT_THAT(sink.log, ElementsAre("message 0 xxx", "left 0"));
  EXPECT_EQ(faulty->next_deadline(), kNever);
  EXPECT_TRUE(faulty->prepare_wait());
}

TEST_F(FaultyTransportTest, DroppedMessageLeavesAndNeverArrives) {
  start("drop=1");
  EXPECT_EQ(send("a"), PostStatus::kOk);
  EXPECT_FALSE(faulty->prepare_wait());
  faulty->poll({}, sink);
  EXPECT_THAT(sent(), IsEmpty());
  EXPECT_THAT(sink.log, ElementsAre("left 0"));
  EXPECT_EQ(faulty->counters().dropped, 1U);
  EXPECT_EQ(fake->lent(), 0U);
}

TEST_F(FaultyTransportTest, DuplicatedMessageIsReportedAsLeftOnce) {
  start("duplicate=1");
  send("a");
  fake->left(peer);
  fake->left(peer);
  faulty->poll({}, sink);
  EXPECT_THAT(sent(), ElementsAre("a", "a"));
  EXPECT_THAT(sink.log, ElementsAre("left 0"));
}

TEST_F(FaultyTransportTest, DelayedMessageGoesOnWhenItIsDueAndThoseBehindItKeepTheirOrder) {
  start("delay=1:10ms");
  faulty->poll(TimePoint{1}, sink);
  for (const char* message : {"a", "b", "c"}) send(message);
  faulty->poll(TimePoint{1}, sink);
  const TimePoint due = faulty->next_deadline();
  EXPECT_GT(due, TimePoint{1});
  EXPECT_LE(due, TimePoint{1} + 10ms);
  EXPECT_THAT(sent(), IsEmpty());
  faulty->poll(due, sink);
  EXPECT_THAT(sent(), ElementsAre("a", "b", "c"));
  EXPECT_EQ(faulty->next_deadline(), kNever);
}

TEST_F(FaultyTransportTest, DelayedMessageWithoutRoomIsTriedAgain) {
  start("delay=1:10ms");
  send("a");
  fake->room = false;
  faulty->poll(TimePoint{} + 10ms, sink);
  EXPECT_THAT(sent(), IsEmpty());
  EXPECT_NE(faulty->next_deadline(), kNever);
  fake->room = true;
  faulty->poll(faulty->next_deadline(), sink);
  EXPECT_THAT(sent(), ElementsAre("a"));
}

TEST_F(FaultyTransportTest, StormBlocksSoManyCalls) {
  start("block=1:3");
  for (int i = 0; i < 3; ++i) EXPECT_FALSE(faulty->reserve(peer, 1));
  EXPECT_EQ(faulty->counters().blocked, 3U);
  EXPECT_NE(faulty->next_deadline(), kNever) << "nothing else would wake a sleeper";
}

TEST_F(FaultyTransportTest, StormEnds) {
  start("block=0.05:5,seed=3");
  int taken = 0;
  int blocked = 0;
  for (int i = 0; i < 1000; ++i) ++(send("a") == PostStatus::kOk ? taken : blocked);
  EXPECT_GT(taken, 300);
  EXPECT_GT(blocked, 50);
}

TEST_F(FaultyTransportTest, FailedCompletionReplacesTheGoodOne) {
  start("write_error=1");
  FaultPlan plan;
  ASSERT_EQ(parse_fault_plan("write_error=1", plan), "");
  SimulatedNetwork network;
  FaultyTransport writer(network.join(kSelf), plan);
  auto target_process = network.join(kOther);
  std::byte from[4] = {std::byte{1}};
  std::byte to[4] = {};
  const PeerId other = *writer.resolve(kOther);
  const Registration source = *writer.register_memory(other, from, Access::kWriteSource);
  const Registration target =
      *target_process->register_memory(*target_process->resolve(kSelf), to, Access::kWriteTarget);
  writer.post_write(other, {from, 4, source}, {target.key, target.base}, Immediate{1}, Context{5});
  writer.poll(TimePoint{1'000'000}, sink);
  EXPECT_THAT(sink.log, ElementsAre("write_done 5 fault injected: the completion failed"));
  EXPECT_EQ(to[0], std::byte{1}) << "the bytes have arrived all the same";
}

TEST_F(FaultyTransportTest, PostFailureIsFollowedByOnPeerFailed) {
  start("post_failure=1");
  EXPECT_EQ(send("a"), PostStatus::kFailed);
  faulty->poll({}, sink);
  EXPECT_THAT(sink.log, ElementsAre("failed 0 fault injected: the peer is lost"));
}

TEST_F(FaultyTransportTest, PeerDiesAtTheNthMessageAndStaysDead) {
  start("death=200:3");
  for (const char* message : {"a", "b", "c", "d"}) EXPECT_EQ(send(message), PostStatus::kOk);
  fake->arrives(Bytes(1), peer);
  faulty->poll({}, sink);
  EXPECT_THAT(sent(), ElementsAre("a", "b"));
  EXPECT_EQ(sink.failures.size(), 2U) << "each message to it is refused";
  EXPECT_THAT(sink.messages, IsEmpty());
}

TEST_F(FaultyTransportTest, SilentDeathTellsNobody) {
  start("silent_death=200:1");
  send("a");
  faulty->poll({}, sink);
  EXPECT_THAT(sink.log, ElementsAre("left 0"));
}

TEST_F(FaultyTransportTest, DeathOfAnotherPidLeavesThisPeerAlone) {
  start("death=201:1");
  send("a");
  EXPECT_THAT(sent(), ElementsAre("a"));
}

TEST_F(FaultyTransportTest, DisconnectDropsWhatIsHeldBackAndWhatWasToBeReported) {
  start("seed=3,delay=1:1ms");
  send("a");
  faulty->disconnect(peer);
  EXPECT_THAT(fake->disconnected, ElementsAre(peer));
  faulty->poll(TimePoint{1'000'000'000}, sink);
  EXPECT_THAT(fake->sent, IsEmpty());
  start("post_failure=1");
  EXPECT_EQ(send("a"), PostStatus::kFailed);
  faulty->disconnect(peer);
  faulty->poll({}, sink);
  EXPECT_THAT(sink.log, IsEmpty());
}

TEST_F(FaultyTransportTest, DisconnectEndsWritesThatADeadPeerHasSwallowed) {
  start("silent_death=200:1");
  send("a");
  faulty->poll({}, sink);
  sink.take();
  std::byte bytes[8] = {};
  EXPECT_EQ(faulty->post_write(peer, {bytes, sizeof bytes, {}}, {}, Immediate{1}, Context{5}),
            PostStatus::kOk);
  faulty->poll({}, sink);
  EXPECT_THAT(sink.log, IsEmpty());
  faulty->disconnect(peer);
  faulty->poll({}, sink);
  EXPECT_THAT(sink.log, ElementsAre("write_done 5 fault injected: the peer is lost"));
}

TEST_F(FaultyTransportTest, ResetLosesTheConnectionAfterEachMessageAndWriteThatWasSent) {
  start("reset=1");
  EXPECT_EQ(send("a"), PostStatus::kOk);
  EXPECT_THAT(fake->broken, ElementsAre(peer));
  EXPECT_EQ(send_placed(), PostStatus::kOk);
  EXPECT_THAT(fake->broken, ElementsAre(peer, peer));
  EXPECT_EQ(write(), PostStatus::kOk);
  EXPECT_THAT(fake->broken, ElementsAre(peer, peer, peer));
  EXPECT_EQ(faulty->counters().resets, 3U);
  EXPECT_EQ(fake->sent.size(), 2U);
  EXPECT_EQ(fake->writes, 1);
  faulty->poll({}, sink);
  EXPECT_THAT(sink.log, IsEmpty()) << "the network resumes it or reports the loss";
}

TEST_F(FaultyTransportTest, WhatWasNotSentResetsNothing) {
  start("reset=1");
  fake->commit_answer = PostStatus::kWouldBlock;
  EXPECT_EQ(send("a"), PostStatus::kWouldBlock);
  EXPECT_EQ(send_placed(), PostStatus::kWouldBlock);
  EXPECT_THAT(fake->broken, IsEmpty());
  EXPECT_EQ(faulty->counters().resets, 0U);
}

TEST_F(FaultyTransportTest, ResetHasItsProbabilityAndItsSeed) {
  const auto resets = [this](const char* plan) {
    start(plan);
    std::vector<std::size_t> after;
    for (int i = 0; i < 1000; ++i) {
      send("a");
      after.push_back(fake->broken.size());
    }
    return after;
  };
  const std::vector<std::size_t> first = resets("reset=0.2,seed=1");
  EXPECT_GT(first.back(), 150U);
  EXPECT_LT(first.back(), 250U);
  EXPECT_EQ(first, resets("reset=0.2,seed=1"));
  EXPECT_NE(first, resets("reset=0.2,seed=2"));
}

// Placed messages are lost with the connection as others are. Other faults have none of theirs.
TEST_F(FaultyTransportTest, ResetAloneLeavesPlacedMessagesAllowed) {
  start("reset=1");
  EXPECT_EQ(faulty->attributes().max_placed_bytes, fake->attributes().max_placed_bytes);
  start("reset=1,drop=0.1");
  EXPECT_EQ(faulty->attributes().max_placed_bytes, 0U);
}

TEST_F(FaultyTransportTest, SameSeedSameFaults) {
  const auto run = [this](const char* plan) {
    start(plan);
    for (int i = 0; i < 200; ++i) send(std::to_string(i));
    return sent();
  };
  EXPECT_EQ(run("drop=0.5,seed=1"), run("drop=0.5,seed=1"));
  EXPECT_NE(run("drop=0.5,seed=1"), run("drop=0.5,seed=2"));
}

// Two sessions whose lower transports misbehave. In every case each session delivers messages
// without gap or repetition between two failures, and becomes idle.
class SessionUnderFaults : public testing::TestWithParam<const char*> {};

TEST_P(SessionUnderFaults, MessagesComeOnceAndInOrderOrThePeerFails) {
  std::uint64_t failures = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    FaultPlan plan;
    ASSERT_EQ(parse_fault_plan(GetParam(), plan), "");
    SimulatedNetwork network({.seed = seed});
    RecordingSink sinks[2];
    std::unique_ptr<Session> sessions[2];
    const ProcessId names[2] = {kSelf, kOther};
    for (std::size_t i = 0; i < 2; ++i) {
      plan.seed = 2 * seed + i;
      sessions[i] =
          std::make_unique<Session>(std::make_unique<FaultyTransport>(network.join(names[i]), plan),
                                    SessionOptions{.incarnation = i + 1, .window_frames = 8});
    }
    const PeerId to = *sessions[0]->resolve(kOther);
    std::size_t next = 0;
    for (int steps = 0; steps < 20000; ++steps) {
      if (next < 300) {
        const std::string message = std::to_string(next);
        if (const MessageBuffer buffer = sessions[0]->reserve(to, message.size())) {
          std::memcpy(buffer.data, message.data(), message.size());
          if (sessions[0]->commit(to, buffer, message.size()) == PostStatus::kOk) ++next;
        }
      }
      TimePoint time = network.next_event();
      for (const auto& session : sessions) time = std::min(time, session->next_deadline());
      if (time == kNever) {
        if (next >= 300) break;
        continue;  // the next reserve() starts again
      }
      network.run_until(time);
      for (std::size_t i = 0; i < 2; ++i) sessions[i]->poll(network.now(), sinks[i]);
    }
    EXPECT_EQ(next, 300U);
    EXPECT_EQ(sessions[0]->next_deadline(), kNever) << "came to rest";
    failures += sinks[0].failures.size();

    long last = -1;
    bool failed = false;  // since the last message
    for (const std::string& line : sinks[1].log) {
      if (line.starts_with("failed")) failed = true;
      if (!line.starts_with("message")) continue;
      const long number = std::stol(line.substr(line.rfind(' ')));
      EXPECT_GT(number, last) << "seed " << seed;
      if (!failed) {
        EXPECT_EQ(number, last + 1) << "seed " << seed;
      }
      last = number;
      failed = false;
    }
    if (sinks[0].failures.empty() && sinks[1].failures.empty()) {
      EXPECT_EQ(sinks[1].messages.size(), 300U);
    }
  }
  const std::string_view plan = GetParam();
  const bool harmless = plan.find("drop") == plan.npos && plan.find("post_failure") == plan.npos;
  EXPECT_EQ(failures == 0, harmless) << "the fault was felt if it could be";
}

INSTANTIATE_TEST_SUITE_P(
    Plans, SessionUnderFaults,
    testing::Values("", "duplicate=0.2", "delay=0.3:1ms", "block=0.1:20", "drop=0.04",
                    "post_failure=0.02", "reset=0.2",
                    "drop=0.01,duplicate=0.1,delay=0.2:100us,block=0.05:10,post_failure=0.01"));

}  // namespace
}  // namespace lintel::transport
