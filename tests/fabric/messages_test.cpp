// Messages on real networks arrive whole and in order. A full queue is reported as kWouldBlock.
#include "tests/fabric/fabric_pair.h"

namespace lintel::transport {
namespace {

class FabricMessages : public FabricPair {
 protected:
  void open_with_the_fewest_and_smallest_receive_buffers() {
    FabricOptions fabric;
    fabric.receive_buffers = 2;
    fabric.receive_buffer_bytes = 1;  // both are raised to the least that the provider needs
    open_both(options_for(GetParam()), fabric);
  }
  // Messages of many sizes from a to b, which arrive in order.
  void send_many(std::uint32_t count) {
    const auto message = [](std::uint32_t i) { return pattern(8 + (i * 7919U) % 3000U, i); };
    for (std::uint32_t i = 0; i < count; ++i)
      ASSERT_TRUE(send(a, b_at_a, message(i), {&a, &b})) << i;

    ASSERT_TRUE(until_both([&] { return b.seen.messages.size() == count; }));
    for (std::uint32_t i = 0; i < count; ++i) ASSERT_EQ(b.seen.messages[i], message(i)) << i;
  }
};
LINTEL_FOR_EACH_PROVIDER(FabricMessages);

TEST_P(FabricMessages, OfEverySizeClassArriveWhole) {
  std::vector<std::size_t> sizes = {1, 2, 7, 8, 63, 64, 65, 127, 128, 129, 1000};
  const std::size_t largest = a.transport->attributes().max_message_bytes;
  for (std::size_t size = 1024; size < largest; size *= 2)
    sizes.insert(sizes.end(), {size - 1, size, size + 1});
  sizes.insert(sizes.end(), {largest - 1, largest});

  for (std::size_t i = 0; i < sizes.size(); ++i) {
    ASSERT_TRUE(send(a, b_at_a, pattern(sizes[i], static_cast<std::uint32_t>(i)), {&a, &b}))
        << sizes[i];
  }

  ASSERT_TRUE(until_both([&] {
    return b.seen.messages.size() == sizes.size() && a.seen.messages_left == sizes.size();
  }));
  for (std::size_t i = 0; i < sizes.size(); ++i)
    EXPECT_EQ(b.seen.messages[i], pattern(sizes[i], static_cast<std::uint32_t>(i))) << sizes[i];
}

TEST_P(FabricMessages, TenThousandArriveInOrderWithTheFewestAndSmallestReceiveBuffers) {
  open_with_the_fewest_and_smallest_receive_buffers();
  send_many(10000);
}

class LibfabricMessages : public FabricMessages {};
LINTEL_FOR_EACH_LIBFABRIC_PROVIDER(LibfabricMessages);

TEST_P(LibfabricMessages, AllArriveAlsoIfThereIsNoMemoryForWhatEachCauses) {
  open_with_the_fewest_and_smallest_receive_buffers();
  std::uint32_t thrown = 0;
  b.seen.when_message = [] { throw std::bad_alloc(); };
  b.when_no_memory = [&] { ++thrown; };

  send_many(2000);

  EXPECT_EQ(thrown, 2000U);
}

TEST_P(FabricMessages, InBothDirectionsDoNotDeadlock) {
  constexpr std::uint32_t kCount = 500;
  const std::size_t bytes = a.transport->attributes().max_message_bytes;
  for (std::uint32_t i = 0; i < kCount; ++i) {
    ASSERT_TRUE(send(a, b_at_a, pattern(bytes, i), {&a, &b}));
    ASSERT_TRUE(send(b, a_at_b, pattern(bytes, i + kCount), {&a, &b}));
  }
  ASSERT_TRUE(until_both(
      [&] { return a.seen.messages.size() == kCount && b.seen.messages.size() == kCount; }));
  EXPECT_EQ(a.seen.messages.back(), pattern(bytes, 2 * kCount - 1));
  EXPECT_EQ(b.seen.messages.back(), pattern(bytes, kCount - 1));
}

TEST_P(FabricMessages, ToAPeerThatDoesNotPollWouldBlockAndAllArriveLater) {
  connect();
  const std::size_t bytes = a.transport->attributes().max_message_bytes;
  std::uint32_t accepted = 0;
  bool blocked = false;
  while (!blocked && accepted < 5000) {
    const MessageBuffer buffer = a.transport->reserve(b_at_a, bytes);
    blocked = !buffer;
    if (blocked) break;
    const std::vector<std::byte> message = pattern(bytes, accepted);
    std::memcpy(buffer.data, message.data(), bytes);
    blocked = a.transport->commit(b_at_a, buffer, bytes) == PostStatus::kWouldBlock;
    if (blocked) a.transport->abandon(b_at_a, buffer);
    accepted += blocked ? 0 : 1;
    a.poll();  // only the sender polls
  }
  ASSERT_TRUE(blocked);

  ASSERT_TRUE(until_both([&] { return b.seen.messages.size() == accepted; }));
  for (std::uint32_t i = 0; i < accepted; ++i)
    ASSERT_EQ(b.seen.messages[i], pattern(bytes, i)) << i;
  EXPECT_TRUE(a.seen.failures.empty());
}

// libfabric only. On the other networks a session does not send to itself through the transport.
class FabricToOneself : public FabricPair {};
LINTEL_FOR_EACH_LIBFABRIC_PROVIDER(FabricToOneself);

TEST_P(FabricToOneself, MessagesArrive) {
  const PeerId self = a.transport->resolve(a.transport->self()).value();
  for (std::uint32_t i = 0; i < 100; ++i) ASSERT_TRUE(send(a, self, pattern(1000, i), {&a}));
  ASSERT_TRUE(until({&a}, [&] { return a.seen.messages.size() == 100; }));
  EXPECT_EQ(a.seen.messages[99], pattern(1000, 99));
}

TEST_P(FabricToOneself, WritesLand) {
  const PeerId self = a.transport->resolve(a.transport->self()).value();
  const std::vector<std::byte> source = pattern(100000, 5);
  std::vector<std::byte> target(source.size());
  const Registration region =
      a.transport->register_memory(self, target, Access::kWriteTarget).value();
  ASSERT_TRUE(write(a, self, source, {region.key, region.base}, Immediate(2), Context(3), {&a}));
  ASSERT_TRUE(
      until({&a}, [&] { return a.seen.immediates.size() == 1 && a.seen.write_ends.size() == 1; }));
  EXPECT_EQ(target, source);
  a.transport->deregister_memory(region);
}

TEST_P(FabricMessages, SeveralMayBeReservedAtOnceAndAreSentInTheOrderOfCommit) {
  const MessageBuffer first = a.transport->reserve(b_at_a, 8);
  const MessageBuffer second = a.transport->reserve(b_at_a, 8);
  const MessageBuffer third = a.transport->reserve(b_at_a, 8);
  ASSERT_TRUE(first && second && third);
  first.data[0] = std::byte{1};
  second.data[0] = std::byte{2};
  a.transport->abandon(b_at_a, third);
  ASSERT_TRUE(
      until_both([&] { return a.transport->commit(b_at_a, second, 1) == PostStatus::kOk; }));
  ASSERT_TRUE(until_both([&] { return a.transport->commit(b_at_a, first, 1) == PostStatus::kOk; }));
  ASSERT_TRUE(until_both([&] { return b.seen.messages.size() == 2; }));
  EXPECT_EQ(b.seen.messages[0][0], std::byte{2});
  EXPECT_EQ(b.seen.messages[1][0], std::byte{1});
}

TEST_P(FabricMessages, LeaveOnceEach) {
  connect();
  for (std::uint32_t i = 0; i < 1000; ++i) ASSERT_TRUE(send(a, b_at_a, pattern(100, i), {&a, &b}));
  ASSERT_TRUE(
      until_both([&] { return a.seen.messages_left >= 1000 && b.seen.message_count == 1000; }));
  a.poll();
  EXPECT_EQ(a.seen.messages_left, 1000U);
}

}  // namespace
}  // namespace lintel::transport
