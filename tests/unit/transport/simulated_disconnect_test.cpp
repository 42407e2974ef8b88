// What a disconnect on the simulated network ends and what it leaves.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "tests/unit/transport/two_simulated.h"

namespace lintel::transport {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// Each test runs with many seeds: at the disconnect a write may already be read or not, and
// delivered or not.
class SimulatedDisconnect : public testing::TestWithParam<std::uint64_t>, protected TwoSimulated {
 protected:
  SimulatedDisconnect() {
    SimulatedOptions options;
    options.seed = GetParam();
    options.attributes.knows_source = true;
    start(options);
  }
  // Part of what is under way happens, while no process polls.
  void half_way() { network->run_until(network->now() + Nanoseconds(10'000)); }
};
INSTANTIATE_TEST_SUITE_P(Seeds, SimulatedDisconnect, testing::Range<std::uint64_t>(1, 33));

TEST_P(SimulatedDisconnect, BothEndsHaveOneBindingUntilEitherDisconnects) {
  const auto first = a->binding(b_at_a).bytes;
  EXPECT_NE(first, ConnectionBinding{}.bytes);
  EXPECT_EQ(b->binding(a_at_b).bytes, first);
  b->disconnect(a_at_b);
  EXPECT_NE(a->binding(b_at_a).bytes, first);
  EXPECT_EQ(b->binding(a_at_b).bytes, a->binding(b_at_a).bytes);
}

TEST_P(SimulatedDisconnect, AMessageComesWithTheBindingOfItsOwnConnection) {
  const auto first = a->binding(b_at_a).bytes;
  send(*a, b_at_a, "a");
  a->disconnect(b_at_a);
  auto seen = ConnectionBinding{}.bytes;
  sink_b.answer = [&](PeerId from, std::span<const std::byte>) { seen = b->binding(from).bytes; };
  settle();
  EXPECT_EQ(seen, first);
  EXPECT_NE(b->binding(a_at_b).bytes, first);
}

TEST_P(SimulatedDisconnect, AWriteUnderWayChangesNoByteOfTheTargetAfterwards) {
  std::vector<std::byte> source(64, std::byte{1});
  std::vector<std::byte> target(64);
  const Registration from = *a->register_memory(b_at_a, source, Access::kWriteSource);
  const Registration to = *b->register_memory(a_at_b, target, Access::kWriteTarget);
  a->post_write(b_at_a, {source.data(), source.size(), from}, {to.key, to.base}, Immediate{7},
                Context{1});
  half_way();
  b->disconnect(a_at_b);
  const std::vector<std::byte> then = target;
  settle();
  EXPECT_EQ(target, then);
  EXPECT_THAT(sink_b.log, IsEmpty());
}

TEST_P(SimulatedDisconnect, APlacedMessageUnderWayChangesNoByteOfItsPlaceAfterwards) {
  const std::vector<std::byte> payload(64, std::byte{1});
  std::vector<std::byte> place(64);
  ASSERT_TRUE(b->expect_placement(a_at_b, PlacementKey{7}, place));
  const MessageBuffer buffer = a->reserve(b_at_a, 1);
  a->commit_placed(b_at_a, buffer, 1, payload, PlacementKey{7}, Context{1});
  half_way();
  b->disconnect(a_at_b);
  const std::vector<std::byte> then = place;
  settle();
  EXPECT_EQ(place, then);
  EXPECT_THAT(sink_b.log, IsEmpty());
  EXPECT_TRUE(b->expect_placement(a_at_b, PlacementKey{7}, place))
      << "nothing is expected any more";
}

TEST_P(SimulatedDisconnect, TheSourceIsNotReadAfterwardsAndTheWriteEndsInTheNextPoll) {
  std::vector<std::byte> source(64, std::byte{1});
  std::vector<std::byte> target(64);
  const Registration from = *a->register_memory(b_at_a, source, Access::kWriteSource);
  const Registration to = *b->register_memory(a_at_b, target, Access::kWriteTarget);
  a->post_write(b_at_a, {source.data(), source.size(), from}, {to.key, to.base}, Immediate{7},
                Context{1});
  half_way();
  a->disconnect(b_at_a);
  std::fill(source.begin(), source.end(), std::byte{2});
  a->poll(network->now(), sink_a);
  EXPECT_EQ(sink_a.take().size(), 1U);
  settle();
  EXPECT_THAT(sink_a.log, IsEmpty());
  EXPECT_TRUE(std::none_of(target.begin(), target.end(),
                           [](std::byte one) { return one == std::byte{2}; }));
}

TEST_P(SimulatedDisconnect, TheRoomOfMessagesThatNobodyTookIsFreeAtOnce) {
  while (send(*a, b_at_a, "x") == PostStatus::kOk) {
  }
  half_way();
  a->disconnect(b_at_a);
  for (std::size_t i = 0; i < network->options().max_in_flight; ++i)
    ASSERT_EQ(send(*a, b_at_a, "y"), PostStatus::kOk) << i;
}

TEST_P(SimulatedDisconnect, MessagesOfThePeerNotYetDeliveredAreDroppedAndLaterOnesArrive) {
  send(*a, b_at_a, "before");
  half_way();
  b->disconnect(a_at_b);
  send(*a, b_at_a, "after");
  settle();
  EXPECT_THAT(sink_b.messages, ElementsAre("after"));
}

TEST_P(SimulatedDisconnect, WhatThePeerSendsOnItsNextConnectionArrivesThoughTheLastIsEndedLater) {
  send(*a, b_at_a, "goodbye");
  a->disconnect(b_at_a);
  send(*a, b_at_a, "hello again");
  sink_b.answer = [this](PeerId from, std::span<const std::byte>) {
    if (sink_b.messages.size() == 1) b->disconnect(from);
  };
  settle();
  EXPECT_THAT(sink_b.messages, ElementsAre("goodbye", "hello again"));
}

TEST_P(SimulatedDisconnect, NothingIsReportedOfEarlierMessagesAndLosses) {
  send(*a, b_at_a, "x");
  network->kill(kB, Death::kNoticed);
  half_way();
  a->disconnect(b_at_a);
  do a->poll(network->now(), sink_a);
  while (network->advance_to_next());
  a->poll(network->now(), sink_a);
  EXPECT_THAT(sink_a.log, IsEmpty());
}

}  // namespace
}  // namespace lintel::transport
