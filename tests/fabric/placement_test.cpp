// Placed messages through a real provider: where payloads arrive, and their order among other
// messages.
#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "tests/fabric/placement_fixture.h"
#include "tests/fabric/provider_names.h"

namespace lintel::transport {
namespace {

std::vector<const char*> and_net_if(bool included, std::vector<const char*> providers) {
  if (included) providers.push_back("net");
  return providers;
}

INSTANTIATE_TEST_SUITE_P(Provider, FabricPlacement,
                         testing::ValuesIn(and_net_if(has_net(), {"direct"})), provider_test_name);

class FabricWithoutPlacement : public FabricPair {};
INSTANTIATE_TEST_SUITE_P(Provider, FabricWithoutPlacement,
                         testing::ValuesIn(and_net_if(!has_net(), {"tcp;ofi_rxm", "shm"})),
                         provider_test_name);

TEST_P(FabricWithoutPlacement, ReportsItAndAcceptsNoExpectation) {
  std::byte memory[8];
  EXPECT_EQ(b.transport->attributes().max_placed_bytes, 0U);
  EXPECT_EQ(b.transport->attributes().max_placed_message, 0U);
  b.transport->enable_placement();
  EXPECT_FALSE(b.transport->expect_placement(a_at_b, PlacementKey{1}, memory));
  EXPECT_EQ(b.transport->withdraw_placement(a_at_b), Withdrawal::kNone);
  connect();
}

TEST_P(FabricPlacement, HasRoomForASessionFrameAndALargePayload) {
  EXPECT_EQ(a.transport->attributes().max_placed_bytes, kLargest);
  EXPECT_GE(a.transport->attributes().max_placed_message, 128U);
}

TEST_P(FabricPlacement, MessagesOfEverySizeLandWhereTheyAreExpectedOnly) {
  std::uint32_t number = 0;
  for (const std::size_t size : kSizes) {
    const std::vector<std::byte> payload = pattern(size, ++number);
    Room room(size);
    ASSERT_TRUE(b.transport->expect_placement(a_at_b, kKey, room.span()));
    ASSERT_TRUE(send_placed(number, payload));
    ASSERT_TRUE(until_both([&] {
      return b.seen.came.size() == number && a.seen.write_ends.size() == number;
    })) << size;
    const Came& came = b.seen.came.back();
    EXPECT_TRUE(came.placed_message && is_message(came, number)) << size;
    EXPECT_EQ(came.from, a_at_b);
    EXPECT_EQ(came.place, room.span().data());
    EXPECT_EQ(came.payload.size(), size);
    EXPECT_EQ(came.length, size);
    EXPECT_TRUE(room.holds(payload)) << size;
    EXPECT_TRUE(a.seen.write_ends.back().error.ok());
    EXPECT_EQ(a.seen.write_ends.back().context, Context(number));
    EXPECT_EQ(a.seen.messages_left, number);
  }
}

// The provider first hands out only the first 9,000 bytes that wait in a socket.
TEST_P(FabricPlacement, MessagesThatWaitInTheirSocketsLandInOnePoll) {
  connect();
  const std::vector<std::byte> payload = pattern(40000, 1);
  Room room(payload.size());
  ASSERT_TRUE(b.transport->expect_placement(a_at_b, kKey, room.span()));
  ASSERT_TRUE(send_placed(a, b_at_a, 1, payload, kKey, {&a}));
  ASSERT_TRUE(has_gone(1));
  ASSERT_NE(pattern(kMessageBytes, 1).front(), std::byte{0});
  b.poll();
  ASSERT_EQ(b.seen.came.size(), 1U);
  EXPECT_TRUE(room.holds(payload));
}

TEST_P(FabricPlacement, UnexpectedMessagesArriveWholeInMemoryOfTheTransport) {
  std::uint32_t number = 0;
  for (const std::size_t size : kSizes) {
    const std::vector<std::byte> payload = pattern(size, ++number);
    ASSERT_TRUE(send_placed(number, payload));
    ASSERT_TRUE(until_both([&] { return b.seen.came.size() == number; })) << size;
    const Came& came = b.seen.came.back();
    EXPECT_TRUE(came.placed_message && is_message(came, number)) << size;
    EXPECT_EQ(came.from, b.transport->attributes().knows_source ? a_at_b : kNoPeer);
    EXPECT_EQ(came.payload, payload) << size;
    EXPECT_EQ(came.length, size);
  }
}

// The peer made the connection before anybody here knew its name.
TEST_P(FabricPlacement, MessagesOfAPeerThatConnectedFirstLandToo) {
  for (const bool answered : {false, true}) {
    Side stranger = open();
    const PeerId to = at(stranger, b);
    b.seen = {};
    ASSERT_TRUE(send(stranger, to, 0, {&stranger, &b}));
    ASSERT_TRUE(until_all({&stranger, &b}, [&] { return b.seen.came.size() == 1; }));
    const PeerId from = at(b, stranger);
    if (answered) {
      ASSERT_TRUE(send(b, from, 1, {&stranger, &b}));
      ASSERT_TRUE(until_all({&stranger, &b}, [&] { return stranger.seen.came.size() == 1; }));
    }
    const std::vector<std::byte> payload = pattern(1000, 1);
    Room room(payload.size());
    ASSERT_TRUE(b.transport->expect_placement(from, kKey, room.span()));
    ASSERT_TRUE(send_placed(stranger, to, 2, payload, kKey, {&stranger, &b}));
    ASSERT_TRUE(until_all({&stranger, &b}, [&] { return b.seen.came.size() == 2; }));
    EXPECT_EQ(b.seen.came[1].from, from) << "answered: " << answered;
    EXPECT_TRUE(room.holds(payload)) << "answered: " << answered;
  }
}

TEST_P(FabricPlacement, TheLongestAndTheShortestMessageArrive) {
  const std::vector<std::byte> payload = pattern(1000, 1);
  for (const std::size_t bytes : {std::size_t{0}, a.transport->attributes().max_placed_message}) {
    const std::vector<std::byte> message = pattern(bytes, 5);
    const MessageBuffer buffer = a.transport->reserve(b_at_a, bytes);
    if (bytes > 0) std::memcpy(buffer.data, message.data(), bytes);
    ASSERT_TRUE(until_both([&] {
      return a.transport->commit_placed(b_at_a, buffer, bytes, payload, kKey, Context(1)) ==
             PostStatus::kOk;
    }));
    b.seen.came.clear();
    ASSERT_TRUE(until_both([&] { return b.seen.came.size() == 1; }));
    EXPECT_TRUE(std::equal(message.begin(), message.end(), b.seen.came[0].message.begin()));
    EXPECT_EQ(b.seen.came[0].payload, payload);
  }
}

TEST_P(FabricPlacement, UnexpectedMessagesKeepTheirOrderAmongOthers) {
  constexpr std::uint32_t kCount = 300;
  std::vector<std::vector<std::byte>> payloads(kCount);
  for (std::uint32_t i = 0; i < kCount; ++i) {
    if (i % 7 == 0) payloads[i] = pattern(i % 2 == 0 ? 1 : 1 + (i * 7919U) % 100000U, i);
    ASSERT_TRUE(payloads[i].empty() ? send(i) : send_placed(i, payloads[i])) << i;
  }
  ASSERT_TRUE(until_both([&] { return b.seen.came.size() == kCount; }));
  for (std::uint32_t i = 0; i < kCount; ++i) {
    const Came& came = b.seen.came[i];
    ASSERT_TRUE(is_message(came, i)) << i;
    ASSERT_EQ(came.placed_message, !payloads[i].empty()) << i;
    ASSERT_EQ(came.payload, payloads[i]) << i;
  }
}

TEST_P(FabricPlacement, PlacedMessagesKeepTheirOrderAmongOthers) {
  const std::vector<std::byte> payload = pattern(kLargest, 1);
  Room room(kLargest);
  ASSERT_TRUE(b.transport->expect_placement(a_at_b, kKey, room.span()));
  ASSERT_TRUE(send(0));
  ASSERT_TRUE(send_placed(1, payload));
  for (std::uint32_t i = 2; i < 10; ++i) ASSERT_TRUE(send(i));
  ASSERT_TRUE(until_both([&] { return b.seen.came.size() == 10; }));
  for (std::uint32_t i = 0; i < 10; ++i) {
    EXPECT_TRUE(is_message(b.seen.came[i], i)) << i;
    EXPECT_EQ(b.seen.came[i].placed_message, i == 1) << i;
  }
  EXPECT_TRUE(room.holds(payload));
}

TEST_P(FabricPlacement, BeforePlacementIsEnabledMessagesWaitWithThoseBehindThem) {
  Side late = open();
  const PeerId late_at_a = at(a, late);
  const std::vector<std::byte> payload = pattern(1000, 1);
  ASSERT_TRUE(send(a, late_at_a, 0, {&a, &late}));
  ASSERT_TRUE(send_placed(a, late_at_a, 1, payload, kKey, {&a, &late}));
  ASSERT_TRUE(send(a, late_at_a, 2, {&a, &late}));
  ASSERT_TRUE(until_all({&a, &late},
                        [&] { return late.seen.came.size() == 1 && a.seen.messages_left == 3; }));
  for (int i = 0; i < 1000; ++i) late.poll();
  EXPECT_EQ(late.seen.came.size(), 1U);
  EXPECT_FALSE(late.transport->expect_placement(at(late, a), PlacementKey{8},
                                                std::span(late.seen.came[0].message)));
  late.transport->enable_placement();
  ASSERT_TRUE(until_all({&a, &late}, [&] { return late.seen.came.size() == 3; }));
  for (std::uint32_t i = 0; i < 3; ++i) EXPECT_TRUE(is_message(late.seen.came[i], i)) << i;
  EXPECT_EQ(late.seen.came[1].payload, payload);
}

TEST_P(FabricPlacement, AMessageLongerThanItsMemoryIsTruncatedAndHarmsNothingElse) {
  const std::vector<std::byte> payload = pattern(kLargest, 1);
  std::uint32_t number = 0;
  for (const std::size_t room_bytes :
       {std::size_t{1}, std::size_t{1000}, std::size_t{16} << 10, kLargest - 1}) {
    Room room(room_bytes);
    ASSERT_TRUE(b.transport->expect_placement(a_at_b, kKey, room.span()));
    b.seen.came.clear();
    ASSERT_TRUE(send_placed(++number, payload));
    ASSERT_TRUE(send(++number));
    ASSERT_TRUE(until_both([&] { return b.seen.came.size() == 2; })) << room_bytes;
    EXPECT_EQ(b.seen.came[0].length, payload.size());
    EXPECT_EQ(b.seen.came[0].payload.size(), room_bytes);
    EXPECT_TRUE(
        room.holds({payload.begin(), payload.begin() + static_cast<std::ptrdiff_t>(room_bytes)}))
        << room_bytes;
    EXPECT_TRUE(is_message(b.seen.came[1], number));
  }
  EXPECT_TRUE(a.seen.failures.empty());
}

TEST_P(FabricPlacement, AMessageShorterThanItsMemoryLeavesTheRestUnchanged) {
  const std::vector<std::byte> payload = pattern(1000, 1);
  Room room(5000);
  ASSERT_TRUE(b.transport->expect_placement(a_at_b, kKey, room.span()));
  ASSERT_TRUE(send_placed(1, payload));
  ASSERT_TRUE(until_both([&] { return b.seen.came.size() == 1; }));
  EXPECT_EQ(b.seen.came[0].payload, payload);
  EXPECT_EQ(b.seen.came[0].length, payload.size());
  std::vector<std::byte> whole(5000, std::byte{0xaa});
  std::copy(payload.begin(), payload.end(), whole.begin());
  EXPECT_TRUE(room.holds(whole));
}

TEST_P(FabricPlacement, AnotherKeyOrSenderLeavesTheExpectationInPlace) {
  Side c = open();
  const std::vector<std::byte> payload = pattern(1000, 1);
  Room room(1000);
  ASSERT_TRUE(b.transport->expect_placement(a_at_b, kKey, room.span()));
  ASSERT_TRUE(send_placed(1, payload, PlacementKey{8}));
  ASSERT_TRUE(send_placed(c, at(c, b), 2, payload, kKey, {&a, &b, &c}));
  ASSERT_TRUE(until_all({&a, &b, &c}, [&] { return b.seen.came.size() == 2; }));
  for (const Came& came : b.seen.came) {
    EXPECT_NE(came.place, room.span().data());
    EXPECT_EQ(came.payload, payload);
  }
  EXPECT_TRUE(room.untouched());
  ASSERT_TRUE(send_placed(3, payload));
  ASSERT_TRUE(until_both([&] { return b.seen.came.size() == 3; }));
  EXPECT_EQ(b.seen.came[2].from, a_at_b);
  EXPECT_TRUE(room.holds(payload));
}

TEST_P(FabricPlacement, OneMessageIsExpectedAtATimeFromAPeer) {
  Room first(10);
  Room second(10);
  EXPECT_TRUE(b.transport->expect_placement(a_at_b, kKey, first.span()));
  EXPECT_FALSE(b.transport->expect_placement(a_at_b, PlacementKey{8}, second.span()));
}

TEST_P(FabricPlacement, ManyPeersAreExpectedAndOneMoreAfterAWithdrawal) {
  constexpr std::uint32_t kMost = 64;
  Room room(10);
  std::vector<PeerId> peers;
  for (std::uint32_t i = 0; i <= kMost; ++i)
    peers.push_back(b.transport->resolve({b.transport->self().nid, Pid(20000 + i)}).value());
  for (std::uint32_t i = 0; i < kMost; ++i)
    ASSERT_TRUE(b.transport->expect_placement(peers[i], kKey, room.span())) << i;
  if (std::string(GetParam()) == "net") {
    EXPECT_FALSE(b.transport->expect_placement(peers[kMost], kKey, room.span()));
  }
  EXPECT_EQ(b.transport->withdraw_placement(peers[10]), Withdrawal::kWithdrawn);
  EXPECT_TRUE(b.transport->expect_placement(peers[kMost], kKey, room.span()));
  for (std::uint32_t i = 0; i <= kMost; ++i) {
    EXPECT_EQ(b.transport->withdraw_placement(peers[i]),
              i == 10 ? Withdrawal::kNone : Withdrawal::kWithdrawn)
        << i;
  }
}

TEST_P(FabricPlacement, AWithdrawnMessageArrivesInMemoryOfTheTransport) {
  const std::vector<std::byte> payload = pattern(std::size_t{64} << 10, 1);
  connect();
  Room room(payload.size());
  EXPECT_EQ(b.transport->withdraw_placement(a_at_b), Withdrawal::kNone);
  for (std::uint32_t i = 1; i <= 50; ++i) {
    ASSERT_TRUE(b.transport->expect_placement(a_at_b, kKey, room.span()));
    EXPECT_EQ(b.transport->withdraw_placement(a_at_b), Withdrawal::kWithdrawn);
    EXPECT_EQ(b.transport->withdraw_placement(a_at_b), Withdrawal::kNone);
    ASSERT_TRUE(send_placed(i, payload));
    ASSERT_TRUE(until_both([&] { return b.seen.came.size() == i; })) << i;
    EXPECT_NE(b.seen.came.back().place, room.span().data());
    EXPECT_EQ(b.seen.came.back().payload, payload);
  }
  EXPECT_TRUE(room.untouched());
}

TEST_P(FabricPlacement, AnArrivedMessageCannotBeWithdrawn) {
  const std::vector<std::byte> payload = pattern(100, 1);
  Room room(100);
  ASSERT_TRUE(b.transport->expect_placement(a_at_b, kKey, room.span()));
  ASSERT_TRUE(send_placed(1, payload));
  ASSERT_TRUE(until_both([&] { return b.seen.came.size() == 1; }));
  EXPECT_EQ(b.transport->withdraw_placement(a_at_b), Withdrawal::kNone);
}

// Either answer must be true. After kWithdrawn the memory does not change. After kArriving the
// placed message is reported there.
TEST_P(FabricPlacement, AWithdrawalDuringTheArrivalIsAnsweredTruthfully) {
  connect();
  narrow_all_sockets();
  const std::vector<std::byte> payload = pattern(kLargest, 1);
  std::size_t arriving = 0;
  std::size_t withdrawn = 0;
  constexpr std::uint32_t kRounds = 60;
  for (std::uint32_t i = 1; i <= kRounds; ++i) {
    Room room(kLargest);
    ASSERT_TRUE(b.transport->expect_placement(a_at_b, kKey, room.span()));
    ASSERT_TRUE(send_placed(i, payload));
    // only B polls: what A's kernel already holds arrives
    for (std::uint32_t polls = i % 4; polls > 0 && b.seen.came.empty(); --polls) b.poll();
    const Withdrawal forgotten = b.transport->withdraw_placement(a_at_b);
    if (forgotten == Withdrawal::kWithdrawn) {
      ++withdrawn;
      EXPECT_FALSE(room.begun()) << i;
    }
    if (forgotten == Withdrawal::kArriving) {
      ++arriving;
      EXPECT_TRUE(b.seen.came.empty()) << i;
      EXPECT_EQ(b.transport->withdraw_placement(a_at_b), Withdrawal::kArriving) << "still " << i;
    }
    ASSERT_TRUE(until_both([&] { return b.seen.came.size() == 1; })) << i;
    EXPECT_EQ(b.seen.came[0].payload, payload) << i;
    if (forgotten == Withdrawal::kWithdrawn) {
      EXPECT_TRUE(room.untouched()) << i;
    } else {
      EXPECT_TRUE(room.holds(payload)) << i;
    }
    EXPECT_EQ(b.transport->withdraw_placement(a_at_b), Withdrawal::kNone);
    b.seen.came.clear();
  }
  EXPECT_GT(arriving, 0U);
  EXPECT_GT(withdrawn, 0U);
}

// Messages that withdraw_placement() reads are reported by the next poll().
TEST_P(FabricPlacement, AWithdrawalLosesNoMessages) {
  connect();
  Room room(100);
  for (std::uint32_t i = 0; i < 200; ++i) {
    ASSERT_TRUE(send(i));
    ASSERT_TRUE(b.transport->expect_placement(a_at_b, kKey, room.span()));
    EXPECT_EQ(b.transport->withdraw_placement(a_at_b), Withdrawal::kWithdrawn);
  }
  ASSERT_TRUE(until_both([&] { return b.seen.came.size() == 200; }));
  for (std::uint32_t i = 0; i < 200; ++i) ASSERT_TRUE(is_message(b.seen.came[i], i)) << i;
}

// The same, called while a failure is reported, with messages behind it.
TEST_P(FabricPlacement, AWithdrawalDuringAReportChangesNoOrder) {
  connect();
  Side c = open();
  const PeerId c_at_b = at(b, c);
  ASSERT_TRUE(send(b, c_at_b, 0, {&b, &c}));
  ASSERT_TRUE(until_all({&b, &c}, [&] { return c.seen.came.size() == 1; }));
  const std::vector<std::byte> payload = pattern(kLargest, 1);
  for (std::uint32_t i = 0; i < 12; ++i) ASSERT_TRUE(send_placed(b, c_at_b, i, payload, kKey, {}));
  Room room(100);
  const auto expect_again = [&] {
    EXPECT_TRUE(b.transport->expect_placement(a_at_b, kKey, room.span()));
  };
  expect_again();
  b.seen.when_failed_write = [&] {
    EXPECT_EQ(b.transport->withdraw_placement(a_at_b), Withdrawal::kWithdrawn);
    expect_again();
  };
  c.transport.reset();
  constexpr std::uint32_t kCount = 500;
  for (std::uint32_t i = 0; i < kCount; ++i) ASSERT_TRUE(send(i));
  ASSERT_TRUE(until_both([&] { return b.seen.came.size() == kCount; }));
  EXPECT_FALSE(b.seen.write_ends.back().error.ok()) << "the test saw what it is about";
  for (std::uint32_t i = 0; i < kCount; ++i) ASSERT_TRUE(is_message(b.seen.came[i], i)) << i;
}

TEST_P(FabricPlacement, MessagesInARowLandOrArriveWholeWhenEachIsExpectedAfterTheLast) {
  constexpr std::uint32_t kCount = 2000;
  const auto size_of = [](std::uint32_t i) {
    return 1 + (i * 7919U) % (i % 100 == 0 ? 1000000U : 40000U);
  };
  std::vector<std::vector<std::byte>> rooms;
  for (std::uint32_t i = 0; i < kCount; ++i) rooms.emplace_back(size_of(i));
  std::uint32_t landed = 0;
  std::uint32_t next = 0;
  bool right = true;
  const auto expect_next = [&] {
    if (next == kCount) return;
    EXPECT_TRUE(b.transport->expect_placement(a_at_b, PlacementKey(next), rooms[next])) << next;
  };
  b.seen.when_placed = [&](const Came& came) {
    const bool here = came.place == rooms[next].data();
    landed += here ? 1 : 0;
    right = right && is_message(came, next) && came.payload == pattern(size_of(next), next);
    // If a message came elsewhere, its expectation still stands.
    EXPECT_EQ(b.transport->withdraw_placement(a_at_b),
              here ? Withdrawal::kNone : Withdrawal::kWithdrawn)
        << next;
    ++next;
    b.seen.came.clear();
    expect_next();
  };
  expect_next();
  std::vector<std::vector<std::byte>> payloads;
  for (std::uint32_t i = 0; i < kCount; ++i) {
    payloads.push_back(pattern(size_of(i), i));
    ASSERT_TRUE(send_placed(i, payloads.back(), PlacementKey(i))) << i;
  }
  ASSERT_TRUE(until_both([&] {
    return next == kCount && a.seen.write_ends.size() == kCount && a.seen.messages_left >= kCount;
  })) << next;
  EXPECT_TRUE(right);
  EXPECT_GT(landed, kCount / 2);
  EXPECT_EQ(a.seen.messages_left, kCount);
  EXPECT_EQ(failed_receives(b), 0U);
  if (const auto* fabric = dynamic_cast<const FabricTransport*>(b.transport.get())) {
    EXPECT_EQ(fabric->counters().foreign_completions, 0U);
  }
}

TEST_P(FabricPlacement, MessagesInBothDirectionsDoNotDeadlock) {
  constexpr std::uint32_t kCount = 100;
  const std::vector<std::byte> payload = pattern(300000, 1);
  Room of_a(payload.size());
  Room of_b(payload.size());
  const auto expect_again = [](Side& side, PeerId from, Room& room) {
    side.seen.when_placed = [&side, &room, from](const Came&) {
      (void)side.transport->expect_placement(from, kKey, room.span());
    };
  };
  expect_again(a, b_at_a, of_b);
  expect_again(b, a_at_b, of_a);
  for (std::uint32_t i = 0; i < kCount; ++i) {
    ASSERT_TRUE(send_placed(i, payload));
    ASSERT_TRUE(send_placed(b, a_at_b, i, payload, kKey, {&a, &b}));
  }
  ASSERT_TRUE(
      until_both([&] { return a.seen.came.size() == kCount && b.seen.came.size() == kCount; }));
  for (const Side* side : {&a, &b}) {
    for (std::uint32_t i = 0; i < kCount; ++i) {
      ASSERT_TRUE(is_message(side->seen.came[i], i)) << i;
      ASSERT_EQ(side->seen.came[i].payload, payload) << i;
    }
  }
}

TEST_P(FabricPlacement, MessagesOfSeveralSendersArriveInTheOrderOfEach) {
  constexpr std::uint32_t kCount = 100;
  constexpr std::uint32_t kSenders = 4;
  std::vector<Side> senders;
  for (std::uint32_t s = 0; s < kSenders; ++s) senders.push_back(open());
  const std::vector<std::byte> payload = pattern(20000, 1);
  std::vector<Room> rooms(kSenders, Room(payload.size()));
  std::vector<PeerId> ids;
  for (Side& sender : senders) ids.push_back(at(b, sender));
  std::size_t landed = 0;
  b.seen.when_placed = [&](const Came& came) {
    landed +=
        std::ranges::any_of(rooms, [&](Room& room) { return came.place == room.span().data(); })
            ? 1
            : 0;
    for (std::size_t s = 0; s < kSenders; ++s)
      (void)b.transport->expect_placement(ids[s], kKey, rooms[s].span());
  };
  for (std::uint32_t i = 0; i < kCount; ++i) {
    for (std::uint32_t s = 0; s < kSenders; ++s) {
      const std::uint32_t number = i * kSenders + s;
      ASSERT_TRUE(send_placed(senders[s], at(senders[s], b), number, payload, kKey,
                              {&b, &senders[0], &senders[1], &senders[2], &senders[3]}));
    }
  }
  ASSERT_TRUE(until_all({&b, &senders[0], &senders[1], &senders[2], &senders[3]},
                        [&] { return b.seen.came.size() == kCount * kSenders; }));
  std::uint32_t next[kSenders] = {};
  for (const Came& came : b.seen.came) {
    std::uint32_t sender = 0;
    while (sender < kSenders && !is_message(came, next[sender] * kSenders + sender)) ++sender;
    ASSERT_LT(sender, kSenders) << "out of order";
    ++next[sender];
    ASSERT_TRUE(came.from == kNoPeer || came.from == ids[sender]);
    ASSERT_EQ(came.payload, payload);
  }
  EXPECT_GT(landed, 0U);
}

}  // namespace
}  // namespace lintel::transport
