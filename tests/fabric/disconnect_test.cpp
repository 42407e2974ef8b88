// What disconnect() promises about a connection when it returns: one test for each clause of
// Transport::disconnect().
#include "tests/fabric/placement_fixture.h"
#include "transport/contact/send_share.h"
#include "transport/session/session.h"

namespace lintel::transport {
namespace {

// Two nodes on the direct network, which keeps the whole contract.
class DirectDisconnect : public TwoNodes, public testing::Test {
 protected:
  static constexpr std::size_t kLong = std::size_t{16} << 20;  // more than the kernel holds

  void SetUp() override {
    open_both(options_for("direct"));
    connect();
  }
  Result<Registration> target(std::span<std::byte> memory) {
    return b.transport->register_memory(a_at_b, memory, Access::kWriteTarget);
  }
  PostStatus write(std::span<const std::byte> from, const Registration& to, Context context) {
    return a.transport->post_write(b_at_a, {from.data(), from.size(), {}}, {to.key, to.base},
                                   Immediate(7), context);
  }
  // Sends messages until no more are accepted, while B does not poll. Returns how many were
  // accepted.
  std::size_t fill_the_way() {
    const std::vector<std::byte> message(60'000, std::byte{1});
    for (std::size_t sent = 0;; ++sent) {
      const MessageBuffer buffer = a.transport->reserve(b_at_a, message.size());
      if (!buffer) return sent;
      std::memcpy(buffer.data, message.data(), message.size());
      EXPECT_EQ(a.transport->commit(b_at_a, buffer, message.size()), PostStatus::kOk);
    }
  }
  void poll_for_a_while() {
    const TimePoint end = monotonic_now() + std::chrono::milliseconds(50);
    until_both([&] { return monotonic_now() > end; });
  }
};

TEST_F(DirectDisconnect, NoByteChangesAfterItInTheMiddleOfALongWrite) {
  const std::vector<std::byte> source(kLong, std::byte{1});
  std::vector<std::byte> memory(kLong);
  const Registration region = target(memory).value();
  ASSERT_EQ(write(source, region, Context(1)), PostStatus::kOk);
  ASSERT_TRUE(until({&b}, [&] { return memory.front() != std::byte{0}; }));
  ASSERT_EQ(memory.back(), std::byte{0}) << "the test saw what it is about";
  b.transport->disconnect(a_at_b);
  const std::vector<std::byte> then = memory;
  ASSERT_TRUE(until_both([&] { return !a.seen.failures.empty(); })) << "the connection has ended";
  poll_for_a_while();
  EXPECT_EQ(memory, then) << "though it is still registered";
  EXPECT_TRUE(b.seen.immediates.empty());
  EXPECT_TRUE(b.seen.failures.empty()) << "who disconnects knows";
}

TEST_F(DirectDisconnect, FramesAndWritesOfThePeerAreReturnedAtOnce) {
  const std::vector<std::byte> source(kLong, std::byte{1});
  const std::size_t taken_at_first = fill_the_way();
  std::vector<std::byte> memory(kLong);
  const Registration region = target(memory).value();
  ASSERT_EQ(write(source, region, Context(9)), PostStatus::kOk);
  a.poll();
  a.seen = Recorder();
  a.transport->disconnect(b_at_a);
  std::vector<MessageBuffer> lent;
  while (MessageBuffer buffer = a.transport->reserve(b_at_a, 8)) lent.push_back(std::move(buffer));
  EXPECT_EQ(lent.size(), SendShare::most(NetworkOptions{}.send_frames)) << taken_at_first;
  for (const MessageBuffer& buffer : lent) a.transport->abandon(b_at_a, buffer);
  a.poll();
  ASSERT_EQ(a.seen.write_ends.size(), 1U);
  EXPECT_EQ(a.seen.write_ends[0].context, Context(9));
  EXPECT_FALSE(a.seen.write_ends[0].error.ok());
  EXPECT_EQ(a.seen.messages_left, 0U);
  poll_for_a_while();
  EXPECT_TRUE(a.seen.failures.empty());
}

TEST_F(DirectDisconnect, MessagesSentBeforeArrive) {
  for (std::uint32_t i = 0; i < 3; ++i) ASSERT_TRUE(send(a, b_at_a, pattern(100, i), {&a}));
  // A has not read it: a plain close would then discard what A has sent
  ASSERT_TRUE(send(b, a_at_b, pattern(100, 9), {&b}));
  a.transport->disconnect(b_at_a);
  ASSERT_TRUE(until_both([&] { return !b.seen.failures.empty(); }));
  ASSERT_EQ(b.seen.message_count, 3U);
  EXPECT_EQ(b.seen.messages[2], pattern(100, 2));
}

TEST_F(DirectDisconnect, NothingOfThePeerIsReportedAfterwards) {
  ASSERT_TRUE(send(b, a_at_b, pattern(100, 1), {&b}));
  a.transport->disconnect(b_at_a);
  poll_for_a_while();
  EXPECT_EQ(a.seen.message_count, 0U);
  EXPECT_TRUE(a.seen.failures.empty());
}

TEST_F(DirectDisconnect, MayBeCalledWhileAMessageOfThePeerIsReported) {
  for (std::uint32_t i = 0; i < 3; ++i) ASSERT_TRUE(send(a, b_at_a, pattern(100, i), {&a}));
  std::vector<std::byte> read;
  b.seen.when_message = [&] { b.transport->disconnect(a_at_b); };
  ASSERT_TRUE(until_both([&] { return !a.seen.failures.empty(); }));
  EXPECT_EQ(b.seen.message_count, 1U);
  b.seen.when_message = {};
  one_more_each_way(5);
}

TEST_F(DirectDisconnect, EndsTheAttemptsToReachAPeer) {
  const PeerId absent = a.transport->resolve({a.transport->self().nid, Pid(1020)}).value();
  const MessageBuffer buffer = a.transport->reserve(absent, 8);
  ASSERT_EQ(a.transport->commit(absent, buffer, 8), PostStatus::kWouldBlock);
  a.poll();
  EXPECT_NE(a.transport->next_deadline(), kNever);
  a.transport->abandon(absent, buffer);
  a.transport->disconnect(absent);
  // What B has sent before is acknowledged by then.
  EXPECT_TRUE(until({&a}, [&] { return a.transport->next_deadline() == kNever; }));
}

class DirectPlacedMessageDisconnect : public FabricPlacement {};
INSTANTIATE_TEST_SUITE_P(Provider, DirectPlacedMessageDisconnect, testing::Values("direct"),
                         provider_test_name);

TEST_P(DirectPlacedMessageDisconnect, NoByteChangesAfterItInTheMiddleOfAPlacedMessage) {
  connect();
  narrow_all_sockets();
  const std::vector<std::byte> payload = pattern(kLargest, 1);
  Room room(kLargest);
  ASSERT_TRUE(b.transport->expect_placement(a_at_b, kKey, room.span()));
  ASSERT_TRUE(send_placed(1, payload));
  ASSERT_TRUE(until_all({&b}, [&] { return room.begun(); }));
  ASSERT_EQ(b.transport->withdraw_placement(a_at_b), Withdrawal::kArriving)
      << "the test saw what it is about";
  b.transport->disconnect(a_at_b);
  const std::vector<std::byte> then(room.span().begin(), room.span().end());
  ASSERT_TRUE(until_both([&] { return !a.seen.failures.empty(); }));
  EXPECT_TRUE(std::equal(then.begin(), then.end(), room.span().begin()));
  EXPECT_TRUE(b.seen.came.empty());
  EXPECT_EQ(b.transport->withdraw_placement(a_at_b), Withdrawal::kNone)
      << "it was taken from the peer";
}

// The same through a session that gives its peer up.
class SessionOverDirect : public DirectDisconnect {
 protected:
  void SetUp() override {
    open_both(options_for("direct"));
    for (Node* node : {&a, &b}) {
      SessionOptions options;
      options.incarnation = node == &a ? 1 : 2;
      options.dead_peer_deadline = std::chrono::milliseconds(100);
      node->transport = std::make_unique<Session>(std::move(node->transport), options);
    }
    b_at_a = a.transport->resolve(b.transport->self()).value();
    a_at_b = b.transport->resolve(a.transport->self()).value();
    connect();
  }
};

TEST_F(SessionOverDirect, NoByteChangesAfterAStoppedPeerWasReportedLostInTheMiddleOfALongWrite) {
  const std::vector<std::byte> source(kLong, std::byte{1});
  std::vector<std::byte> memory(kLong);
  const Registration region = target(memory).value();
  b.transport->watch(a_at_b, true);
  ASSERT_EQ(write(source, region, Context(1)), PostStatus::kOk);
  ASSERT_TRUE(until({&b}, [&] { return !b.seen.failures.empty(); }))
      << "A is not polled, as if it were stopped";
  ASSERT_NE(memory.front(), std::byte{0});
  ASSERT_EQ(memory.back(), std::byte{0}) << "the test saw what it is about";
  const std::vector<std::byte> then = memory;
  ASSERT_TRUE(until_both([&] { return !a.seen.failures.empty(); }))
      << "A goes on, and hears that it was given up";
  poll_for_a_while();
  EXPECT_EQ(memory, then) << "though it is still registered";
  b.transport->watch(a_at_b, false);
}

// On every network.
class Disconnect : public FabricPair {};
LINTEL_FOR_EACH_PROVIDER(Disconnect);

TEST_P(Disconnect, OfAPeerWithoutConnectionDoesNothing) {
  a.transport->disconnect(b_at_a);
  connect();
}

TEST_P(Disconnect, MessagesArriveOnTheNextConnection) {
  connect();
  for (std::uint32_t round = 0; round < 5; ++round) {
    a.transport->disconnect(b_at_a);
    // The other side may first have to see that the connection ended. What it sends until then may
    // be lost.
    ASSERT_TRUE(send(a, b_at_a, pattern(8, round), {&a, &b}));
    const std::size_t before = b.seen.message_count;
    ASSERT_TRUE(until_both([&] { return b.seen.message_count > before; })) << round;
    one_more_each_way(round);
  }
}

}  // namespace
}  // namespace lintel::transport
