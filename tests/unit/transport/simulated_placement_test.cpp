// Placed messages on the simulated network: where payloads arrive, when they are read, and their
// order.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tests/unit/transport/two_simulated.h"

namespace lintel::transport {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

// Memory that a placed message may land in.
struct Room {
  explicit Room(std::size_t size) : bytes(size, '.') {}
  std::span<std::byte> span() { return std::as_writable_bytes(std::span(bytes)); }
  std::string bytes;
};

// B's sink records what A, B and C send. A's sink records what B sends, and how its own sends end.
class SimulatedPlacement : public testing::Test, protected TwoSimulated {
 protected:
  static constexpr ProcessId kC{NodeId{1}, Pid{3}};
  static constexpr PlacementKey kKey{7};
  static constexpr Context kContext{11};
  inline static const std::string kNobody = std::to_string(kNoPeer.value);

  SimulatedPlacement() { start({}); }

  void start(const SimulatedOptions& options) {
    c.reset();
    TwoSimulated::start(options);
    c = network->join(kC);
    sink_a = sink_b = {};
  }

  static PostStatus send(SimulatedTransport& from, std::string_view message) {
    return TwoSimulated::send(from, *from.resolve(kB), message);
  }
  static PostStatus send_placed(SimulatedTransport& from, std::string_view message,
                                std::string_view payload, PlacementKey key = kKey) {
    const PeerId to = *from.resolve(kB);
    const MessageBuffer buffer = from.reserve(to, message.size());
    if (!buffer) return PostStatus::kWouldBlock;
    std::memcpy(buffer.data, message.data(), message.size());
    return from.commit_placed(to, buffer, message.size(), std::as_bytes(std::span(payload)), key,
                              kContext);
  }
  // Everything arrives, while no process polls.
  void deliver() { network->run_until(network->now() + std::chrono::seconds(1)); }

  std::unique_ptr<SimulatedTransport> c;
};

TEST_F(SimulatedPlacement, PlacedMessageLandsInTheMemoryThatItIsExpectedIn) {
  Room room(8);
  EXPECT_TRUE(b->expect_placement(a_at_b, kKey, room.span()));
  EXPECT_EQ(send_placed(*a, "head", "payload"), PostStatus::kOk);
  settle();
  EXPECT_THAT(sink_b.log, ElementsAre("placed message 0 head payload"));
  EXPECT_EQ(room.bytes, "payload.");
  EXPECT_THAT(sink_b.payloads, ElementsAre(room.span().data()));
  EXPECT_THAT(sink_a.log, UnorderedElementsAre("left 0", "write_done 11"));
  EXPECT_EQ(network->counters().payloads_placed, 1U);
}

TEST_F(SimulatedPlacement,
       PlacedMessageThatNobodyExpectsComesWithoutItsSendersNameInMemoryOfTheTransport) {
  send_placed(*a, "head", "payload");
  settle();
  EXPECT_THAT(sink_b.log, ElementsAre("placed message " + kNobody + " head payload"));
  EXPECT_EQ(network->counters().payloads_placed, 0U);
}

TEST_F(SimulatedPlacement, SenderOfAPlacedMessageThatNobodyExpectsIsToldIfConfigured) {
  SimulatedOptions options;
  options.attributes.knows_source = true;
  start(options);
  send_placed(*a, "head", "payload");
  settle();
  EXPECT_THAT(sink_b.log, ElementsAre("placed message 0 head payload"));
}

TEST_F(SimulatedPlacement, PayloadLongerThanTheMemoryIsCutAndItsLengthIsTold) {
  Room room(8);
  b->expect_placement(a_at_b, kKey, room.span().first(3));
  send_placed(*a, "head", "payload");
  settle();
  EXPECT_THAT(sink_b.log, ElementsAre("placed message 0 head pay of 7"));
  EXPECT_EQ(room.bytes, "pay.....");
}

TEST_F(SimulatedPlacement, LargestMessageAndLargestPayloadFit) {
  const TransportAttributes& attributes = a->attributes();
  const std::string message(attributes.max_placed_message, 'm');
  const std::string payload(attributes.max_placed_bytes, 'p');
  Room room(payload.size());
  b->expect_placement(a_at_b, kKey, room.span());
  send_placed(*a, message, payload);
  settle();
  EXPECT_EQ(room.bytes, payload);
  EXPECT_THAT(sink_b.log, ElementsAre("placed message 0 " + message + " " + payload));
}

TEST_F(SimulatedPlacement, PlacedMessageWithAnotherKeyLeavesWhatIsExpectedAlone) {
  Room room(8);
  b->expect_placement(a_at_b, kKey, room.span());
  send_placed(*a, "other", "wrong", PlacementKey{8});
  settle();
  EXPECT_THAT(sink_b.take(), ElementsAre("placed message " + kNobody + " other wrong"));
  EXPECT_EQ(room.bytes, "........");
  send_placed(*a, "this", "right");
  settle();
  EXPECT_THAT(sink_b.take(), ElementsAre("placed message 0 this right"));
  EXPECT_EQ(room.bytes, "right...");
}

TEST_F(SimulatedPlacement, PlacedMessageOfAnotherSenderWithTheSameKeyLeavesWhatIsExpectedAlone) {
  Room room(8);
  b->expect_placement(a_at_b, kKey, room.span());
  send_placed(*c, "of c", "wrong");
  settle();
  EXPECT_THAT(sink_b.take(), ElementsAre("placed message " + kNobody + " of c wrong"));
  EXPECT_EQ(room.bytes, "........");
  EXPECT_EQ(b->withdraw_placement(a_at_b), Withdrawal::kWithdrawn);
}

TEST_F(SimulatedPlacement, EachSendersPlacedMessageLandsInItsOwnPlace) {
  Room of_a(2);
  Room of_c(2);
  EXPECT_TRUE(b->expect_placement(a_at_b, kKey, of_a.span()));
  EXPECT_TRUE(b->expect_placement(*b->resolve(kC), kKey, of_c.span()));
  send_placed(*a, "m", "aa");
  send_placed(*c, "m", "cc");
  settle();
  EXPECT_EQ(of_a.bytes, "aa");
  EXPECT_EQ(of_c.bytes, "cc");
}

TEST_F(SimulatedPlacement, OneIsExpectedFromAPeerAtATime) {
  Room first(8);
  Room second(8);
  EXPECT_TRUE(b->expect_placement(a_at_b, kKey, first.span()));
  EXPECT_FALSE(b->expect_placement(a_at_b, PlacementKey{8}, second.span()));
  send_placed(*a, "m", "payload", PlacementKey{8});
  settle();
  EXPECT_EQ(second.bytes, "........");
}

TEST_F(SimulatedPlacement, TheNextMayBeExpectedFromWithinTheReportOfTheLast) {
  Room rooms[3] = {Room(1), Room(1), Room(1)};
  std::size_t next = 0;
  const auto expect_next = [&] {
    if (next == 3) return;
    EXPECT_TRUE(b->expect_placement(a_at_b, kKey, rooms[next++].span()));
  };
  sink_b.answer = [&](PeerId, std::span<const std::byte>) { expect_next(); };
  expect_next();
  for (const char* payload : {"1", "2", "3"}) {
    send_placed(*a, "m", payload);
    settle();
  }
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(rooms[i].bytes, std::to_string(i + 1));
  EXPECT_EQ(b->withdraw_placement(a_at_b), Withdrawal::kNone);
}

TEST_F(SimulatedPlacement, PlacedMessagesKeepTheirPlaceAmongTheMessagesOfTheirSender) {
  std::vector<std::string> expected;
  std::vector<std::string> payloads(30);
  for (int i = 0; i < 30; ++i) {
    const std::string number = std::to_string(i);
    if (i % 3 == 0) {
      payloads[static_cast<std::size_t>(i)] = std::string(static_cast<std::size_t>(i) + 1, 'x');
      send_placed(*a, number, payloads[static_cast<std::size_t>(i)]);
      expected.push_back("placed message " + kNobody + " " + number + " " +
                         payloads[static_cast<std::size_t>(i)]);
    } else {
      send(*a, number);
      expected.push_back("message " + kNobody + " " + number);
    }
  }
  settle();
  EXPECT_EQ(sink_b.log, expected);
}

TEST_F(SimulatedPlacement, PlacedMessagesInFlightAreBoundedAsMessagesAre) {
  start({.max_in_flight = 2});
  EXPECT_EQ(send_placed(*a, "m", "p"), PostStatus::kOk);
  EXPECT_EQ(send(*a, "m"), PostStatus::kOk);
  EXPECT_EQ(send_placed(*a, "m", "p"), PostStatus::kWouldBlock);
  deliver();
  EXPECT_EQ(send_placed(*a, "m", "p"), PostStatus::kWouldBlock) << "arrived, but nobody took it";
  poll();
  EXPECT_EQ(send_placed(*a, "m", "p"), PostStatus::kOk);
}

TEST_F(SimulatedPlacement, WhatIsExpectedMayBeForgottenUntilItArrives) {
  Room room(8);
  EXPECT_EQ(b->withdraw_placement(a_at_b), Withdrawal::kNone);
  b->expect_placement(a_at_b, kKey, room.span());
  send_placed(*a, "m", "payload");
  EXPECT_EQ(b->withdraw_placement(a_at_b), Withdrawal::kWithdrawn);
  EXPECT_EQ(b->withdraw_placement(a_at_b), Withdrawal::kNone);
  settle();
  EXPECT_THAT(sink_b.take(), ElementsAre("placed message " + kNobody + " m payload"));
  EXPECT_EQ(room.bytes, "........");
}

TEST_F(SimulatedPlacement, WhatHasLandedCannotBeForgottenBeforeItIsReported) {
  Room room(8);
  Room next(8);
  b->expect_placement(a_at_b, kKey, room.span());
  send_placed(*a, "m", "payload");
  deliver();
  EXPECT_EQ(room.bytes, "payload.");
  EXPECT_EQ(b->withdraw_placement(a_at_b), Withdrawal::kArriving);
  EXPECT_FALSE(b->expect_placement(a_at_b, PlacementKey{8}, next.span()));
  poll();
  EXPECT_THAT(sink_b.log, ElementsAre("placed message 0 m payload"));
  EXPECT_EQ(b->withdraw_placement(a_at_b), Withdrawal::kNone);
  EXPECT_TRUE(b->expect_placement(a_at_b, PlacementKey{8}, next.span()));
}

TEST_F(SimulatedPlacement, SecondPlacedMessageWithTheKeyDoesNotOverwriteTheFirst) {
  Room room(8);
  b->expect_placement(a_at_b, kKey, room.span());
  send_placed(*a, "m", "first");
  send_placed(*a, "m", "second");
  deliver();
  poll();
  EXPECT_THAT(sink_b.log,
              ElementsAre("placed message 0 m first", "placed message " + kNobody + " m second"));
  EXPECT_EQ(room.bytes, "first...");
}

TEST_F(SimulatedPlacement, PayloadThatChangesTooEarlyShowsAtTheReceiverAndAfterItsEndItDoesNot) {
  int spoiled = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    start({.seed = seed});
    std::string early = "early";
    send_placed(*a, "m", early);
    network->run_until(network->now() + Nanoseconds(3'000));
    early = "SPOIL";
    settle();
    ASSERT_EQ(sink_b.log.size(), 1U);
    if (sink_b.take()[0].ends_with("SPOIL")) ++spoiled;

    std::string patient = "right";
    send_placed(*a, "m", patient);
    sink_a.take();
    do poll();
    while (network->advance_to_next() &&
           (sink_a.log.empty() || sink_a.log.back() != "write_done 11"));
    patient = "SPOIL";
    settle();
    EXPECT_THAT(sink_b.take(), ElementsAre("placed message " + kNobody + " m right"))
        << "seed " << seed;
  }
  EXPECT_GT(spoiled, 0);
  EXPECT_LT(spoiled, 40);
}

TEST_F(SimulatedPlacement, PlacedMessageToADeadReceiverEndsWithAnError) {
  send(*a, "m");
  settle();
  network->kill(kB, Death::kNoticed);
  settle();
  sink_a.take();
  EXPECT_EQ(send_placed(*a, "m", "payload"), PostStatus::kOk);
  settle();
  EXPECT_THAT(sink_a.log, UnorderedElementsAre("failed 0 the connection was refused",
                                               "write_done 11 the connection was refused"));
  EXPECT_EQ(network->counters().messages_lost, 1U);
}

TEST_F(SimulatedPlacement, OfAPlacedMessageToAReceiverThatDiedSilentlyNothingMoreIsHeard) {
  network->kill(kB, Death::kSilent);
  send_placed(*a, "m", "payload");
  settle();
  EXPECT_THAT(sink_a.log, ElementsAre("left 0"));
}

TEST_F(SimulatedPlacement, PlacedMessageToAReceiverThatDiesMeanwhileEndsOnce) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    start({.seed = seed});
    Room room(8);
    b->expect_placement(a_at_b, kKey, room.span());
    send_placed(*a, "m", "payload");
    network->kill(kB, Death::kNoticed);
    settle();
    EXPECT_EQ(room.bytes, "........");
    std::size_t ends = 0;
    for (const std::string& line : sink_a.log) ends += line.starts_with("write_done 11") ? 1 : 0;
    EXPECT_EQ(ends, 1U) << "seed " << seed;
  }
}

TEST_F(SimulatedPlacement, DeathThatIsNoticedEndsWhatIsExpected) {
  Room room(8);
  b->expect_placement(a_at_b, kKey, room.span());
  network->kill(kA, Death::kNoticed);
  EXPECT_EQ(b->withdraw_placement(a_at_b), Withdrawal::kWithdrawn);
  b->expect_placement(a_at_b, kKey, room.span());
  settle();
  EXPECT_THAT(sink_b.log, Contains(HasSubstr("failed 0")));
  EXPECT_EQ(b->withdraw_placement(a_at_b), Withdrawal::kNone);
}

TEST_F(SimulatedPlacement, PlacedMessageThatHasLandedComesAlthoughItsSenderIsDead) {
  Room room(8);
  b->expect_placement(a_at_b, kKey, room.span());
  send_placed(*a, "m", "payload");
  deliver();
  network->kill(kA, Death::kNoticed);
  settle();
  EXPECT_THAT(sink_b.log, ElementsAre("placed message 0 m payload", HasSubstr("failed 0")));
}

TEST_F(SimulatedPlacement, PayloadOfADeadSenderIsNotReadAndItsPlacedMessageIsLost) {
  {
    const std::string payload = "payload";
    send_placed(*a, "m", payload);
    network->kill(kA, Death::kSilent);
    a.reset();
  }
  settle();
  EXPECT_THAT(sink_b.log, IsEmpty());
  EXPECT_EQ(network->counters().messages_lost, 1U);
}

TEST_F(SimulatedPlacement, MemoryOfADeadReceiverIsLeftAlone) {
  Room room(8);
  b->expect_placement(a_at_b, kKey, room.span());
  send_placed(*a, "m", "payload");
  b.reset();
  b = network->join(kB);
  settle();
  EXPECT_EQ(room.bytes, "........");
  EXPECT_THAT(sink_b.log, IsEmpty());
}

TEST_F(SimulatedPlacement, RunWithPlacedMessagesRepeatsWithItsSeed) {
  const auto run = [this](std::uint64_t seed) {
    start({.seed = seed});
    for (const char* message : {"1", "2", "3", "4", "5"}) {
      send_placed(*a, message, "payload");
      send_placed(*c, message, "payload");
    }
    settle();
    return std::pair{sink_a.log, sink_b.log};
  };
  EXPECT_EQ(run(1), run(1));
  EXPECT_NE(run(1), run(2));
}

}  // namespace
}  // namespace lintel::transport
