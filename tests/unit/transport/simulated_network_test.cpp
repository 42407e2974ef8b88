// What the simulated network guarantees, and what it deliberately does not.

#include "transport/simulated/simulated_network.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "tests/unit/transport/two_simulated.h"

namespace lintel::transport {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class SimulatedNetworkTest : public testing::Test, protected TwoSimulated {
 protected:
  SimulatedNetworkTest() { start({}); }

  PostStatus write(std::span<std::byte> from, RemoteMemory to, std::uint64_t context = 1) {
    if (source.id == 0) source = *a->register_memory(b_at_a, from, Access::kWriteSource);
    return a->post_write(b_at_a, {from.data(), from.size(), source}, to, Immediate{7},
                         Context{context});
  }

  Registration source;
};

TEST_F(SimulatedNetworkTest, MessageComesAfterADelayWithinTheRange) {
  send(*a, b_at_a, "hello");
  EXPECT_EQ(b->poll(network->now(), sink_b), 0U);
  EXPECT_TRUE(b->prepare_wait());
  settle();
  EXPECT_THAT(sink_b.messages, ElementsAre("hello"));
  EXPECT_THAT(sink_a.log, ElementsAre("left 0"));
  EXPECT_GE(network->now().ns, 1'000);
  EXPECT_LE(network->now().ns, 20'000);
}

TEST_F(SimulatedNetworkTest, PollWithALaterTimeMovesTheNetwork) {
  send(*a, b_at_a, "hello");
  b->poll(TimePoint{20'000}, sink_b);
  EXPECT_THAT(sink_b.messages, ElementsAre("hello"));
  EXPECT_EQ(network->now(), TimePoint{20'000});
}

TEST_F(SimulatedNetworkTest, WhatIsDueMakesPrepareWaitFalse) {
  send(*a, b_at_a, "hello");
  network->run_until(TimePoint{20'000});
  EXPECT_FALSE(b->prepare_wait());
  EXPECT_EQ(b->wait_fd(), -1);
}

TEST_F(SimulatedNetworkTest, OrderOfAPairIsKept) {
  std::vector<std::string> expected;
  for (int i = 0; i < 60; ++i) {
    expected.push_back(std::to_string(i));
    send(*a, b_at_a, expected.back());
  }
  settle();
  EXPECT_EQ(sink_b.messages, expected);
}

TEST_F(SimulatedNetworkTest, OrderBetweenPairsIsRandomAndRepeatsWithItsSeed) {
  const auto run = [](std::uint64_t seed) {
    SimulatedNetwork seeded({.seed = seed});
    auto receiver = seeded.join(kA);
    std::vector<std::unique_ptr<SimulatedTransport>> senders;
    RecordingSink sink;
    for (std::uint32_t pid = 2; pid < 10; ++pid) {
      senders.push_back(seeded.join({NodeId{1}, Pid{pid}}));
      send(*senders.back(), *senders.back()->resolve(kA), std::to_string(pid));
    }
    receiver->poll(TimePoint{1'000'000}, sink);
    return sink.messages;
  };
  EXPECT_EQ(run(1), run(1));
  EXPECT_NE(run(1), run(2));
  EXPECT_THAT(run(1), testing::UnorderedElementsAre("2", "3", "4", "5", "6", "7", "8", "9"));
}

TEST_F(SimulatedNetworkTest, InFlightIsBoundedUntilTheReceiverPolls) {
  start({.max_in_flight = 3});
  for (int i = 0; i < 3; ++i) EXPECT_EQ(send(*a, b_at_a, "x"), PostStatus::kOk);
  EXPECT_EQ(send(*a, b_at_a, "x"), PostStatus::kWouldBlock);
  network->run_until(TimePoint{1'000'000});
  EXPECT_EQ(send(*a, b_at_a, "x"), PostStatus::kWouldBlock) << "arrived, but nobody took it";
  b->poll(network->now(), sink_b);
  EXPECT_EQ(send(*a, b_at_a, "x"), PostStatus::kOk);
}

TEST_F(SimulatedNetworkTest, SourceIsToldOnlyIfConfigured) {
  send(*a, b_at_a, "x");
  settle();
  EXPECT_THAT(sink_b.log, ElementsAre("message " + std::to_string(kNoPeer.value) + " x"));
  SimulatedOptions options;
  options.attributes.knows_source = true;
  start(options);
  sink_b.take();
  send(*a, b_at_a, "x");
  settle();
  EXPECT_THAT(sink_b.log, ElementsAre("message 0 x"));
}

TEST_F(SimulatedNetworkTest, WriteLandsThenItsImmediate) {
  std::vector<std::byte> from(100, std::byte{5});
  std::vector<std::byte> to(100);
  const Registration target = *b->register_memory(a_at_b, to, Access::kWriteTarget);
  EXPECT_EQ(write(from, {target.key, target.base}), PostStatus::kOk);
  EXPECT_NE(from, to);
  settle();
  EXPECT_EQ(from, to);
  EXPECT_THAT(sink_b.log, ElementsAre("immediate 7"));
  EXPECT_THAT(sink_a.log, ElementsAre("write_done 1"));
  EXPECT_EQ(network->counters().writes, 1U);
}

TEST_F(SimulatedNetworkTest, OffsetModeCountsAddressesFromZero) {
  start({.virtual_addresses = false});
  std::vector<std::byte> from(4, std::byte{5});
  std::vector<std::byte> to(8);
  const Registration target = *b->register_memory(a_at_b, to, Access::kWriteTarget);
  EXPECT_EQ(target.base, 0U);
  write(from, {target.key, 4});
  settle();
  EXPECT_EQ(to[3], std::byte{0});
  EXPECT_EQ(to[4], std::byte{5});
}

TEST_F(SimulatedNetworkTest, SourceReusedTooEarlyShowsAtTheTarget) {
  int spoiled = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    start({.seed = seed});
    source = {};
    std::vector<std::byte> from(4, std::byte{5});
    std::vector<std::byte> to(4);
    const Registration target = *b->register_memory(a_at_b, to, Access::kWriteTarget);
    write(from, {target.key, target.base});
    network->run_until(TimePoint{3'000});
    from.assign(4, std::byte{6});
    settle();
    if (to == from) ++spoiled;
  }
  EXPECT_GT(spoiled, 0);
  EXPECT_LT(spoiled, 20);
}

TEST_F(SimulatedNetworkTest, BadKeyAddressOrLengthFailsTheWritersPeerAndChangesNothing) {
  std::vector<std::byte> from(16, std::byte{5});
  std::vector<std::byte> to(32);
  const std::span<std::byte> middle = std::span(to).subspan(8, 16);
  const Registration target = *b->register_memory(a_at_b, middle, Access::kWriteTarget);
  const RemoteMemory bad[] = {{target.key + 1, target.base},
                              {target.key, target.base + 1},
                              {target.key, target.base - 1},
                              {target.key, target.base + 17},
                              {target.key, 0},
                              {target.key, ~std::uint64_t{0}}};
  std::uint64_t expected = 0;
  for (const RemoteMemory& memory : bad) {
    write(from, memory);
    settle();
    EXPECT_EQ(network->counters().writes_refused, ++expected);
    EXPECT_THAT(sink_a.take(),
                Contains(HasSubstr("failed 0 the peer has no such memory registered")));
  }
  EXPECT_EQ(to, std::vector<std::byte>(32));
  EXPECT_THAT(sink_b.log, IsEmpty());
}

TEST_F(SimulatedNetworkTest, DeregisteredMemoryIsNotWritten) {
  std::vector<std::byte> from(16, std::byte{5});
  std::vector<std::byte> to(16);
  const Registration target = *b->register_memory(a_at_b, to, Access::kWriteTarget);
  write(from, {target.key, target.base});
  b->deregister_memory(target);
  settle();
  EXPECT_EQ(to, std::vector<std::byte>(16));
  EXPECT_EQ(network->counters().writes_refused, 1U);
}

TEST_F(SimulatedNetworkTest, RegionForReadingOrForAnotherPeerIsNoTarget) {
  std::vector<std::byte> from(16, std::byte{5});
  std::vector<std::byte> to(16);
  const Registration wrong_access = *b->register_memory(a_at_b, to, Access::kWriteSource);
  const Registration wrong_peer =
      *b->register_memory(*b->resolve({NodeId{9}, Pid{9}}), to, Access::kWriteTarget);
  write(from, {wrong_access.key, wrong_access.base});
  write(from, {wrong_peer.key, wrong_peer.base});
  settle();
  EXPECT_EQ(network->counters().writes_refused, 2U);
}

TEST_F(SimulatedNetworkTest, WritesInFlightAreBounded) {
  start({.max_writes_in_flight = 2});
  std::vector<std::byte> from(4);
  std::vector<std::byte> to(4);
  const Registration target = *b->register_memory(a_at_b, to, Access::kWriteTarget);
  EXPECT_EQ(write(from, {target.key, target.base}), PostStatus::kOk);
  EXPECT_EQ(write(from, {target.key, target.base}), PostStatus::kOk);
  EXPECT_EQ(write(from, {target.key, target.base}), PostStatus::kWouldBlock);
  settle();
  EXPECT_EQ(write(from, {target.key, target.base}), PostStatus::kOk);
}

TEST_F(SimulatedNetworkTest, MessageToANameThatNeverJoinedIsRefused) {
  send(*a, *a->resolve({NodeId{9}, Pid{9}}), "x");
  settle();
  EXPECT_THAT(sink_a.log, ElementsAre("failed 1 the connection was refused"));
}

TEST_F(SimulatedNetworkTest, NoticedDeathIsToldToThoseWhoKnowTheProcess) {
  network->kill(kB, Death::kNoticed);
  settle();
  EXPECT_THAT(sink_a.take(), ElementsAre("failed 0 the connection was reset by the peer"));
  send(*a, b_at_a, "x");
  settle();
  EXPECT_THAT(sink_a.take(), ElementsAre("failed 0 the connection was refused"));
}

TEST_F(SimulatedNetworkTest, SilentDeathSwallowsMessages) {
  network->kill(kB, Death::kSilent);
  send(*a, b_at_a, "x");
  settle();
  EXPECT_THAT(sink_a.take(), ElementsAre("left 0"));
  EXPECT_EQ(network->counters().messages_lost, 1U);
}

TEST_F(SimulatedNetworkTest, WhatAProcessSentBeforeItsDeathArrives) {
  send(*a, b_at_a, "last words");
  network->kill(kA, Death::kSilent);
  settle();
  EXPECT_THAT(sink_b.messages, ElementsAre("last words"));
  EXPECT_EQ(send(*a, b_at_a, "from the grave"), PostStatus::kWouldBlock);
}

TEST_F(SimulatedNetworkTest, DeadProcessesMemoryIsNotRead) {
  std::vector<std::byte> to(4);
  const Registration target = *b->register_memory(a_at_b, to, Access::kWriteTarget);
  {
    std::vector<std::byte> from(4, std::byte{5});
    write(from, {target.key, target.base});
    network->kill(kA, Death::kSilent);
    a.reset();
  }
  settle();
  EXPECT_EQ(network->counters().writes_cancelled, 1U);
  EXPECT_EQ(to, std::vector<std::byte>(4));
}

TEST_F(SimulatedNetworkTest, RestartedProcessIsReachedByTheOldName) {
  send(*a, b_at_a, "to the first");
  b.reset();
  b = network->join(kB);
  settle();
  EXPECT_THAT(sink_b.messages, IsEmpty());
  send(*a, b_at_a, "to the second");
  settle();
  EXPECT_THAT(sink_b.messages, ElementsAre("to the second"));
}

TEST_F(SimulatedNetworkTest, RunUntilCallsTheStepAfterEachEvent) {
  send(*a, b_at_a, "x");
  std::vector<std::int64_t> times;
  network->run_until(TimePoint{50'000}, [&](TimePoint now) { times.push_back(now.ns); });
  ASSERT_EQ(times.size(), 3U) << "left, delivered, end";
  EXPECT_LE(times[0], times[1]);
  EXPECT_EQ(times[2], 50'000);
  EXPECT_EQ(network->next_event(), kNever);
  EXPECT_FALSE(network->advance_to_next());
}

}  // namespace
}  // namespace lintel::transport
