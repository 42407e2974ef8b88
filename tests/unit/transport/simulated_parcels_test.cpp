// Parcels on the simulated network: where their payloads come to, when they are read, and in which order they come.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tests/unit/transport/recording_sink.h"
#include "transport/simulated/simulated_network.h"
#include "transport/simulated/simulated_transport.h"

namespace lintel::transport {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

// Memory that a parcel may land in.
struct Room {
  explicit Room(std::size_t size) : bytes(size, '.') {}
  std::span<std::byte> span() { return std::as_writable_bytes(std::span(bytes)); }
  std::string bytes;
};

// What A, B and C send is noted by B; what B sends, and how what they sent ends, by A.
class SimulatedParcels : public testing::Test {
 protected:
  static constexpr ProcessId kA{NodeId{1}, Pid{1}};
  static constexpr ProcessId kB{NodeId{1}, Pid{2}};
  static constexpr ProcessId kC{NodeId{1}, Pid{3}};
  static constexpr ParcelKey kKey{7};
  static constexpr Context kContext{11};
  inline static const std::string kNobody = std::to_string(kNoPeer.value);

  SimulatedParcels() { start({}); }

  void start(const SimulatedOptions& options) {
    c.reset();
    b.reset();
    a.reset();
    network = std::make_unique<SimulatedNetwork>(options);
    a = network->join(kA);
    b = network->join(kB);
    c = network->join(kC);
    b_at_a = *a->resolve(kB);
    a_at_b = *b->resolve(kA);
    sink_a = sink_b = {};
  }

  static PostStatus send(SimulatedTransport& from, std::string_view message) {
    const PeerId to = *from.resolve(kB);
    const MessageBuffer buffer = from.reserve(to, message.size());
    if (!buffer) return PostStatus::kWouldBlock;
    std::memcpy(buffer.data, message.data(), message.size());
    return from.commit(to, buffer, message.size());
  }
  static PostStatus send_parcel(SimulatedTransport& from, std::string_view message, std::string_view payload, ParcelKey key = kKey) {
    const PeerId to = *from.resolve(kB);
    const MessageBuffer buffer = from.reserve(to, message.size());
    if (!buffer) return PostStatus::kWouldBlock;
    std::memcpy(buffer.data, message.data(), message.size());
    return from.commit_parcel(to, buffer, message.size(), std::as_bytes(std::span(payload)), key, kContext);
  }
  // Until nothing is under way.
  void settle() {
    do poll();
    while (network->advance_to_next());
    poll();
  }
  void poll() {
    if (a) a->poll(network->now(), sink_a);
    if (b) b->poll(network->now(), sink_b);
  }
  // Everything arrives, but nobody polls.
  void deliver() { network->run_until(network->now() + std::chrono::seconds(1)); }

  std::unique_ptr<SimulatedNetwork> network;
  std::unique_ptr<SimulatedTransport> a;
  std::unique_ptr<SimulatedTransport> b;
  std::unique_ptr<SimulatedTransport> c;
  PeerId b_at_a;
  PeerId a_at_b;
  RecordingSink sink_a;
  RecordingSink sink_b;
};

TEST_F(SimulatedParcels, ParcelLandsInTheMemoryThatItIsExpectedIn) {
  Room room(8);
  EXPECT_TRUE(b->expect_parcel(a_at_b, kKey, room.span()));
  EXPECT_EQ(send_parcel(*a, "head", "payload"), PostStatus::kOk);
  settle();
  EXPECT_THAT(sink_b.log, ElementsAre("parcel 0 head payload"));
  EXPECT_EQ(room.bytes, "payload.");
  EXPECT_THAT(sink_b.payloads, ElementsAre(room.span().data()));
  EXPECT_THAT(sink_a.log, UnorderedElementsAre("left 0", "write_done 11"));
  EXPECT_EQ(network->counters().parcels_landed, 1U);
}

TEST_F(SimulatedParcels, ParcelThatNobodyExpectsComesWithoutItsSendersNameInMemoryOfTheTransport) {
  send_parcel(*a, "head", "payload");
  settle();
  EXPECT_THAT(sink_b.log, ElementsAre("parcel " + kNobody + " head payload"));
  EXPECT_EQ(network->counters().parcels_landed, 0U);
}

TEST_F(SimulatedParcels, SenderOfAParcelThatNobodyExpectsIsToldIfConfigured) {
  SimulatedOptions options;
  options.attributes.knows_source = true;
  start(options);
  send_parcel(*a, "head", "payload");
  settle();
  EXPECT_THAT(sink_b.log, ElementsAre("parcel 0 head payload"));
}

TEST_F(SimulatedParcels, PayloadLongerThanTheMemoryIsCutAndItsLengthIsTold) {
  Room room(8);
  b->expect_parcel(a_at_b, kKey, room.span().first(3));
  send_parcel(*a, "head", "payload");
  settle();
  EXPECT_THAT(sink_b.log, ElementsAre("parcel 0 head pay of 7"));
  EXPECT_EQ(room.bytes, "pay.....");
}

TEST_F(SimulatedParcels, LargestMessageAndLargestPayloadFit) {
  const Attributes& attributes = a->attributes();
  const std::string message(attributes.max_parcel_message, 'm');
  const std::string payload(attributes.max_parcel_bytes, 'p');
  Room room(payload.size());
  b->expect_parcel(a_at_b, kKey, room.span());
  send_parcel(*a, message, payload);
  settle();
  EXPECT_EQ(room.bytes, payload);
  EXPECT_THAT(sink_b.log, ElementsAre("parcel 0 " + message + " " + payload));
}

TEST_F(SimulatedParcels, ParcelWithAnotherKeyLeavesWhatIsExpectedAlone) {
  Room room(8);
  b->expect_parcel(a_at_b, kKey, room.span());
  send_parcel(*a, "other", "wrong", ParcelKey{8});
  settle();
  EXPECT_THAT(sink_b.take(), ElementsAre("parcel " + kNobody + " other wrong"));
  EXPECT_EQ(room.bytes, "........");
  send_parcel(*a, "this", "right");
  settle();
  EXPECT_THAT(sink_b.take(), ElementsAre("parcel 0 this right"));
  EXPECT_EQ(room.bytes, "right...");
}

TEST_F(SimulatedParcels, ParcelOfAnotherSenderWithTheSameKeyLeavesWhatIsExpectedAlone) {
  Room room(8);
  b->expect_parcel(a_at_b, kKey, room.span());
  send_parcel(*c, "of c", "wrong");
  settle();
  EXPECT_THAT(sink_b.take(), ElementsAre("parcel " + kNobody + " of c wrong"));
  EXPECT_EQ(room.bytes, "........");
  EXPECT_EQ(b->forget_parcel(a_at_b), Forgotten::kWithdrawn);
}

TEST_F(SimulatedParcels, EachSendersParcelLandsInItsOwnPlace) {
  Room of_a(2);
  Room of_c(2);
  EXPECT_TRUE(b->expect_parcel(a_at_b, kKey, of_a.span()));
  EXPECT_TRUE(b->expect_parcel(*b->resolve(kC), kKey, of_c.span()));
  send_parcel(*a, "m", "aa");
  send_parcel(*c, "m", "cc");
  settle();
  EXPECT_EQ(of_a.bytes, "aa");
  EXPECT_EQ(of_c.bytes, "cc");
}

TEST_F(SimulatedParcels, OneIsExpectedFromAPeerAtATime) {
  Room first(8);
  Room second(8);
  EXPECT_TRUE(b->expect_parcel(a_at_b, kKey, first.span()));
  EXPECT_FALSE(b->expect_parcel(a_at_b, ParcelKey{8}, second.span()));
  send_parcel(*a, "m", "payload", ParcelKey{8});
  settle();
  EXPECT_EQ(second.bytes, "........");
}

TEST_F(SimulatedParcels, TheNextMayBeExpectedFromWithinTheReportOfTheLast) {
  Room rooms[3] = {Room(1), Room(1), Room(1)};
  std::size_t next = 0;
  const auto expect_next = [&] {
    if (next == 3) return;
    EXPECT_TRUE(b->expect_parcel(a_at_b, kKey, rooms[next++].span()));
  };
  sink_b.answer = [&](PeerId, std::span<const std::byte>) { expect_next(); };
  expect_next();
  for (const char* payload : {"1", "2", "3"}) {
    send_parcel(*a, "m", payload);
    settle();
  }
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(rooms[i].bytes, std::to_string(i + 1));
  EXPECT_EQ(b->forget_parcel(a_at_b), Forgotten::kNone);
}

TEST_F(SimulatedParcels, ParcelsKeepTheirPlaceAmongTheMessagesOfTheirSender) {
  std::vector<std::string> expected;
  std::vector<std::string> payloads(30);
  for (int i = 0; i < 30; ++i) {
    const std::string number = std::to_string(i);
    if (i % 3 == 0) {
      payloads[static_cast<std::size_t>(i)] = std::string(static_cast<std::size_t>(i) + 1, 'x');
      send_parcel(*a, number, payloads[static_cast<std::size_t>(i)]);
      expected.push_back("parcel " + kNobody + " " + number + " " + payloads[static_cast<std::size_t>(i)]);
    } else {
      send(*a, number);
      expected.push_back("message " + kNobody + " " + number);
    }
  }
  settle();
  EXPECT_EQ(sink_b.log, expected);
}

TEST_F(SimulatedParcels, ParcelsInFlightAreBoundedAsMessagesAre) {
  start({.max_in_flight = 2});
  EXPECT_EQ(send_parcel(*a, "m", "p"), PostStatus::kOk);
  EXPECT_EQ(send(*a, "m"), PostStatus::kOk);
  EXPECT_EQ(send_parcel(*a, "m", "p"), PostStatus::kWouldBlock);
  deliver();
  EXPECT_EQ(send_parcel(*a, "m", "p"), PostStatus::kWouldBlock) << "arrived, but nobody took it";
  poll();
  EXPECT_EQ(send_parcel(*a, "m", "p"), PostStatus::kOk);
}

TEST_F(SimulatedParcels, WhatIsExpectedMayBeForgottenUntilItArrives) {
  Room room(8);
  EXPECT_EQ(b->forget_parcel(a_at_b), Forgotten::kNone);
  b->expect_parcel(a_at_b, kKey, room.span());
  send_parcel(*a, "m", "payload");
  EXPECT_EQ(b->forget_parcel(a_at_b), Forgotten::kWithdrawn);
  EXPECT_EQ(b->forget_parcel(a_at_b), Forgotten::kNone);
  settle();
  EXPECT_THAT(sink_b.take(), ElementsAre("parcel " + kNobody + " m payload"));
  EXPECT_EQ(room.bytes, "........");
}

TEST_F(SimulatedParcels, WhatHasLandedCannotBeForgottenBeforeItIsReported) {
  Room room(8);
  Room next(8);
  b->expect_parcel(a_at_b, kKey, room.span());
  send_parcel(*a, "m", "payload");
  deliver();
  EXPECT_EQ(room.bytes, "payload.");
  EXPECT_EQ(b->forget_parcel(a_at_b), Forgotten::kArriving);
  EXPECT_FALSE(b->expect_parcel(a_at_b, ParcelKey{8}, next.span()));
  poll();
  EXPECT_THAT(sink_b.log, ElementsAre("parcel 0 m payload"));
  EXPECT_EQ(b->forget_parcel(a_at_b), Forgotten::kNone);
  EXPECT_TRUE(b->expect_parcel(a_at_b, ParcelKey{8}, next.span()));
}

TEST_F(SimulatedParcels, SecondParcelWithTheKeyDoesNotOverwriteTheFirst) {
  Room room(8);
  b->expect_parcel(a_at_b, kKey, room.span());
  send_parcel(*a, "m", "first");
  send_parcel(*a, "m", "second");
  deliver();
  poll();
  EXPECT_THAT(sink_b.log, ElementsAre("parcel 0 m first", "parcel " + kNobody + " m second"));
  EXPECT_EQ(room.bytes, "first...");
}

TEST_F(SimulatedParcels, PayloadThatChangesTooEarlyShowsAtTheReceiverAndAfterItsEndItDoesNot) {
  int spoiled = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    start({.seed = seed});
    std::string early = "early";
    send_parcel(*a, "m", early);
    network->run_until(network->now() + Nanoseconds(3'000));
    early = "SPOIL";
    settle();
    ASSERT_EQ(sink_b.log.size(), 1U);
    if (sink_b.take()[0].ends_with("SPOIL")) ++spoiled;

    std::string patient = "right";
    send_parcel(*a, "m", patient);
    sink_a.take();
    do poll();
    while (network->advance_to_next() && (sink_a.log.empty() || sink_a.log.back() != "write_done 11"));
    patient = "SPOIL";
    settle();
    EXPECT_THAT(sink_b.take(), ElementsAre("parcel " + kNobody + " m right")) << "seed " << seed;
  }
  EXPECT_GT(spoiled, 0);
  EXPECT_LT(spoiled, 40);
}

TEST_F(SimulatedParcels, ParcelToADeadReceiverEndsWithAnError) {
  send(*a, "m");
  settle();
  network->kill(kB, Death::kNoticed);
  settle();
  sink_a.take();
  EXPECT_EQ(send_parcel(*a, "m", "payload"), PostStatus::kOk);
  settle();
  EXPECT_THAT(sink_a.log, UnorderedElementsAre("failed 0 the connection was refused", "write_done 11 the connection was refused"));
  EXPECT_EQ(network->counters().messages_lost, 1U);
}

TEST_F(SimulatedParcels, OfAParcelToAReceiverThatDiedSilentlyNothingMoreIsHeard) {
  network->kill(kB, Death::kSilent);
  send_parcel(*a, "m", "payload");
  settle();
  EXPECT_THAT(sink_a.log, ElementsAre("left 0"));
}

TEST_F(SimulatedParcels, ParcelToAReceiverThatDiesMeanwhileEndsOnce) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    start({.seed = seed});
    Room room(8);
    b->expect_parcel(a_at_b, kKey, room.span());
    send_parcel(*a, "m", "payload");
    network->kill(kB, Death::kNoticed);
    settle();
    EXPECT_EQ(room.bytes, "........");
    std::size_t ends = 0;
    for (const std::string& line : sink_a.log) ends += line.starts_with("write_done 11") ? 1 : 0;
    EXPECT_EQ(ends, 1U) << "seed " << seed;
  }
}

TEST_F(SimulatedParcels, DeathThatIsNoticedEndsWhatIsExpected) {
  Room room(8);
  b->expect_parcel(a_at_b, kKey, room.span());
  network->kill(kA, Death::kNoticed);
  EXPECT_EQ(b->forget_parcel(a_at_b), Forgotten::kWithdrawn);
  b->expect_parcel(a_at_b, kKey, room.span());
  settle();
  EXPECT_THAT(sink_b.log, Contains(HasSubstr("failed 0")));
  EXPECT_EQ(b->forget_parcel(a_at_b), Forgotten::kNone);
}

TEST_F(SimulatedParcels, ParcelThatHasLandedComesAlthoughItsSenderIsDead) {
  Room room(8);
  b->expect_parcel(a_at_b, kKey, room.span());
  send_parcel(*a, "m", "payload");
  deliver();
  network->kill(kA, Death::kNoticed);
  settle();
  EXPECT_THAT(sink_b.log, ElementsAre("parcel 0 m payload", HasSubstr("failed 0")));
}

TEST_F(SimulatedParcels, PayloadOfADeadSenderIsNotReadAndItsParcelIsLost) {
  {
    const std::string payload = "payload";
    send_parcel(*a, "m", payload);
    network->kill(kA, Death::kSilent);
    a.reset();
  }
  settle();
  EXPECT_THAT(sink_b.log, IsEmpty());
  EXPECT_EQ(network->counters().messages_lost, 1U);
}

TEST_F(SimulatedParcels, MemoryOfADeadReceiverIsLeftAlone) {
  Room room(8);
  b->expect_parcel(a_at_b, kKey, room.span());
  send_parcel(*a, "m", "payload");
  b.reset();
  b = network->join(kB);
  settle();
  EXPECT_EQ(room.bytes, "........");
  EXPECT_THAT(sink_b.log, IsEmpty());
}

TEST_F(SimulatedParcels, RunWithParcelsRepeatsWithItsSeed) {
  const auto run = [this](std::uint64_t seed) {
    start({.seed = seed});
    for (const char* message : {"1", "2", "3", "4", "5"}) {
      send_parcel(*a, message, "payload");
      send_parcel(*c, message, "payload");
    }
    settle();
    return std::pair{sink_a.log, sink_b.log};
  };
  EXPECT_EQ(run(1), run(1));
  EXPECT_NE(run(1), run(2));
}

}  // namespace
}  // namespace lintel::transport
