// Placed messages through a real provider: whom they wake, and what happens when a process stops or
// ends.
#include <string>
#include <thread>

#include "tests/fabric/placement_fixture.h"

namespace lintel::transport {
namespace {

// In every state of the search for unexpected placed messages.
TEST_P(FabricPlacement, UnexpectedMessagesKeepTheReceiverAwakeUntilTheyAreTaken) {
  connect();
  std::uint32_t sent = 0;
  for (const std::size_t size : {std::size_t{1}, std::size_t{64} << 10}) {
    const std::vector<std::byte> payload = pattern(size, 1);
    for (int polls = 0; polls < 40; ++polls) {
      ASSERT_TRUE(send_placed(a, b_at_a, ++sent, payload, kKey, {&a}));
      ASSERT_TRUE(has_gone(sent));
      for (int i = 0; i < polls && b.seen.came.empty(); ++i) b.poll();
      for (int turns = 0; b.seen.came.empty(); ++turns) {
        ASSERT_TRUE(!b.transport->prepare_wait() || readable(b.transport->wait_fd(), 1000))
            << size << " after " << polls << " polls";
        ASSERT_LT(turns, 1000) << "awake for nothing";
        b.poll();
      }
      b.seen.came.clear();
    }
  }
}

TEST_P(FabricPlacement, EachMessageWakesASleeperExpectedOrNot) {
  connect();
  constexpr std::size_t kPlacedPieces = 100;
  const std::vector<std::byte> payload = pattern(std::size_t{200} << 10, 1);
  Room room(payload.size());
  std::atomic<std::size_t> answered{0};
  std::thread sleeper([&] {
    while (answered < kPlacedPieces) {
      b.poll();
      if (b.seen.came.size() > answered) {
        answered = b.seen.came.size();
        if (answered % 2 != 0)
          (void)b.transport->expect_placement(a_at_b, PlacementKey(answered), room.span());
      } else if (!sleep_once(*b.transport, kTimeout)) {
        return;
      }
    }
  });
  for (std::size_t i = 0; i < kPlacedPieces; ++i) {
    const std::size_t size = i % 3 == 0 ? payload.size() : 64;
    EXPECT_TRUE(send_placed(a, b_at_a, 1, std::span(payload).first(size), PlacementKey(i), {&a}));
    EXPECT_TRUE(until_all({&a}, [&] { return answered > i; })) << i;
  }
  sleeper.join();
  EXPECT_EQ(answered, kPlacedPieces);
}

TEST_P(FabricPlacement, AnExpectationWithoutMessageUsesNoProcessorTime) {
  connect();
  Room room(100);
  ASSERT_TRUE(b.transport->expect_placement(a_at_b, kKey, room.span()));
  for (int i = 0; i < 1000; ++i) b.poll();
  expect_idle_costs_nothing(b);
}

TEST_P(FabricPlacement, AnExpectationOfAPeerThatEndsMayBeWithdrawn) {
  connect();
  Room room(100);
  ASSERT_TRUE(b.transport->expect_placement(a_at_b, kKey, room.span()));
  a.transport.reset();
  for (int i = 0; i < 1000; ++i) b.poll();
  // If the network reports the loss, the end of the connection has withdrawn the placement already.
  EXPECT_NE(b.transport->withdraw_placement(a_at_b), Withdrawal::kArriving);
  EXPECT_TRUE(b.transport->expect_placement(a_at_b, kKey, room.span()));
  EXPECT_EQ(b.transport->withdraw_placement(a_at_b), Withdrawal::kWithdrawn);
  EXPECT_TRUE(room.untouched());
}

TEST_P(FabricPlacement, AMessageThatBreaksOffIsNotReportedAndFreesTheMemory) {
  const std::vector<std::byte> payload = pattern(kLargest, 1);
  std::size_t broken = 0;
  for (std::uint32_t round = 0; round < 5; ++round) {
    a = open();
    ASSERT_TRUE(a.transport);
    b_at_a = at(a, b);
    a_at_b = at(b, a);
    b.seen = {};
    connect();
    Room room(kLargest);
    ASSERT_TRUE(b.transport->expect_placement(a_at_b, kKey, room.span()));
    const std::size_t failed = failed_receives(b);
    // The kernels hold some of it. The rest, and several more messages, are lost with A.
    const std::uint32_t sent = fill_the_way(payload, 8);
    b.seen.when_placed = [&](const Came&) {
      (void)b.transport->expect_placement(a_at_b, kKey, room.span());
    };
    a.transport.reset();
    until_all({&b},
              [&, quiet = 0]() mutable { return ++quiet > 20000 || failed_receives(b) > failed; });
    EXPECT_LT(b.seen.came.size(), sent) << "not all can have come";
    if (failed_receives(b) > failed) ++broken;
    const Withdrawal forgotten = b.transport->withdraw_placement(a_at_b);
    EXPECT_NE(forgotten, Withdrawal::kArriving) << "its sender is gone";
    EXPECT_TRUE(b.transport->expect_placement(a_at_b, kKey, room.span()));
    EXPECT_EQ(b.transport->withdraw_placement(a_at_b), Withdrawal::kWithdrawn);
    EXPECT_TRUE(room.guard_untouched());
  }
  EXPECT_GT(broken, 0U) << "the test saw what it is about";
  // The receiver still works.
  a = open();
  b_at_a = at(a, b);
  a_at_b = at(b, a);
  b.seen = {};
  ASSERT_TRUE(send_placed(1, payload));
  ASSERT_TRUE(send(2));
  ASSERT_TRUE(until_both([&] { return b.seen.came.size() == 2; }));
  EXPECT_EQ(b.seen.came[0].payload, payload);
}

TEST_P(FabricPlacement, SendsToAPeerThatEndsComplete) {
  connect();
  const std::vector<std::byte> payload = pattern(kLargest, 1);
  const std::uint32_t sent = fill_the_way(payload, 12);
  ASSERT_GT(sent, 2U);
  b.transport.reset();
  ASSERT_TRUE(until_all({&a}, [&] {
    return a.seen.write_ends.size() == sent && !a.seen.failures.empty();
  })) << a.seen.write_ends.size();
  EXPECT_FALSE(a.seen.write_ends.back().error.ok());
  EXPECT_EQ(a.seen.failures[0].first, b_at_a);
}

// A sender may be stopped for long without anybody noticing.
TEST_P(FabricPlacement, AStoppedSenderDoesNotDelayThoseOfAnother) {
  connect();
  Side stopped = open();
  const PeerId to = at(stopped, b);
  const std::vector<std::byte> payload = pattern(kLargest, 1);
  ASSERT_TRUE(send(stopped, to, 0, {&stopped, &b}));
  ASSERT_TRUE(until_all({&stopped, &b}, [&] { return b.seen.came.size() == 1; }));
  // more than the kernel holds
  constexpr std::uint32_t kSent = 12;
  for (std::uint32_t i = 1; i <= kSent; ++i)
    ASSERT_TRUE(send_placed(stopped, to, i, payload, kKey, {}));
  until_all({&b}, [&, looks = 0]() mutable { return ++looks > 20000; });
  ASSERT_LT(b.seen.came.size(), 1 + kSent);
  b.seen = {};
  ASSERT_TRUE(send_placed(a, b_at_a, 1, payload, kKey, {&a, &b}));
  ASSERT_TRUE(send(a, b_at_a, 2, {&a, &b}));
  ASSERT_TRUE(until_both([&] { return b.seen.came.size() == 2; }));
  EXPECT_TRUE(is_message(b.seen.came[0], 1) && is_message(b.seen.came[1], 2));
}

TEST_P(FabricPlacement, TheReceiverStillReceivesAfterTheEndOfASenderWithWaitingMessages) {
  Side c = open();
  for (std::uint32_t round = 0; round < 10; ++round) {
    Side gone = open();
    const PeerId to = at(gone, b);
    const std::vector<std::byte> payload = pattern(kLargest, 1);
    ASSERT_TRUE(send(gone, to, 0, {&gone, &b}));
    ASSERT_TRUE(until_all({&gone, &b}, [&] { return gone.seen.messages_left == 1; }));
    ASSERT_TRUE(send_placed(gone, to, 1, payload, kKey, {&gone}));
    for (std::uint32_t i = 0; i < round; ++i) b.poll();
    gone.transport.reset();
    b.seen = {};
    ASSERT_TRUE(send_placed(c, at(c, b), 2, payload, kKey, {&b, &c})) << round;
    ASSERT_TRUE(send(c, at(c, b), 3, {&b, &c})) << round;
    // The message of the one that has ended may come at any time.
    ASSERT_TRUE(until_all({&b, &c}, [&] {
      return std::ranges::any_of(b.seen.came, [](const Came& came) { return is_message(came, 3); });
    })) << round;
  }
}

TEST_P(FabricPlacement, TheTransportMayEndWithExpectations) {
  connect();
  Room room(kLargest);
  const std::vector<std::byte> payload = pattern(kLargest, 1);
  ASSERT_TRUE(b.transport->expect_placement(a_at_b, kKey, room.span()));
  ASSERT_TRUE(send_placed(a, b_at_a, 1, payload, kKey, {&a}));
  b.poll();
  b.transport.reset();
  EXPECT_TRUE(room.guard_untouched());
}

// The sender has stopped in the middle of the message.
TEST_P(FabricPlacement, AMessageThatHasBegunDoesNotHideOthers) {
  connect();
  narrow_all_sockets();
  Side other = open();
  const std::vector<std::byte> payload = pattern(kLargest, 1);
  Room room(payload.size());
  ASSERT_TRUE(b.transport->expect_placement(a_at_b, kKey, room.span()));
  ASSERT_TRUE(send_placed(a, b_at_a, 1, payload, kKey, {&a}));
  ASSERT_TRUE(until_all({&b}, [&] { return room.begun(); }));
  const std::vector<std::byte> unexpected = pattern(1000, 2);
  ASSERT_TRUE(send_placed(other, at(other, b), 2, unexpected, PlacementKey{8}, {&other, &b}));
  ASSERT_TRUE(until_all({&other, &b}, [&] { return b.seen.came.size() == 1; }));
  EXPECT_TRUE(is_message(b.seen.came[0], 2));
  EXPECT_EQ(b.seen.came[0].payload, unexpected);
  ASSERT_TRUE(until_both([&] { return b.seen.came.size() == 2; }));
  EXPECT_TRUE(room.holds(payload));
}

}  // namespace
}  // namespace lintel::transport
