// Sleeping on wait_fd(): no message is missed, and no thread is kept awake without reason.
#include <atomic>
#include <mutex>
#include <string_view>
#include <thread>

#include "tests/fabric/fabric_pair.h"
#include "tests/fabric/provider_names.h"
#include "tests/fabric/waiting.h"
#include "tests/sanitized.h"

namespace lintel::transport {
namespace {

class FabricWaiting : public FabricPair {
 protected:
  void SetUp() override {
    if (lintel::testing::kThreadSanitized && !has_net() && GetParam() == std::string_view("shm"))
      GTEST_SKIP()
          << "the sanitizer does not see the atomics by which libfabric from 1.18 on orders "
             "the accesses to its shared memory";
    FabricPair::SetUp();
  }
};
LINTEL_FOR_EACH_PROVIDER(FabricWaiting);

TEST_P(FabricWaiting, ASleeperIsWokenByEachMessage) {
  connect();
  constexpr std::size_t kMessages = 50;
  std::atomic<std::size_t> answered{0};
  std::thread sleeper([&] {
    while (answered < kMessages) {
      b.poll();
      if (b.seen.message_count > answered) {
        answered = b.seen.message_count;
      } else if (!sleep_once(*b.transport, kTimeout)) {
        return;
      }
    }
  });
  for (std::size_t i = 0; i < kMessages; ++i) {
    EXPECT_TRUE(send(a, b_at_a, pattern(64, 1), {&a}));
    EXPECT_TRUE(until({&a}, [&] { return answered > i; })) << i;
  }
  sleeper.join();
  EXPECT_EQ(answered, kMessages);
}

TEST_P(FabricWaiting, ASleeperIsWokenByALargeWriteUntilItIsComplete) {
  connect();
  const std::vector<std::byte> source = pattern(std::size_t{16} << 20, 4);
  std::vector<std::byte> target(source.size());
  const Registration region =
      b.transport->register_memory(a_at_b, target, Access::kWriteTarget).value();
  std::atomic<bool> landed{false};
  std::thread sleeper([&] {
    while (b.seen.immediates.empty()) {
      b.poll();
      if (b.seen.immediates.empty() && !sleep_once(*b.transport, kTimeout)) return;
    }
    landed = true;
    for (int i = 0; i < 100; ++i) b.poll();
  });
  EXPECT_TRUE(write(a, b_at_a, source, {region.key, region.base}, Immediate(1), Context(1), {&a}));
  EXPECT_TRUE(until({&a}, [&] { return landed && a.seen.write_ends.size() == 1; }));
  sleeper.join();
  EXPECT_EQ(target, source);
}

TEST_P(FabricWaiting, ASleeperIsWokenByTheFirstMessageOfAnUnknownPeer) {
  std::atomic<bool> got{false};
  std::thread sleeper([&] {
    while (!got) {
      b.poll();
      got = b.seen.message_count > 0;
      if (!got && !sleep_once(*b.transport, kTimeout)) return;
    }
  });
  EXPECT_TRUE(send(a, b_at_a, pattern(64, 1), {&a}));
  EXPECT_TRUE(until({&a}, [&] { return got.load(); }));
  sleeper.join();
}

TEST_P(FabricWaiting, ASleepingSenderLearnsThatItsMessagesHaveLeft) {
  connect();
  std::atomic<bool> stop{false};
  std::thread receiver([&] {
    while (!stop) b.poll();
  });
  const std::size_t bytes = a.transport->attributes().max_message_bytes;
  std::size_t sent = 0;
  bool in_time = true;
  while (a.seen.messages_left < 1000 && in_time) {
    if (sent < 1000) {
      if (const MessageBuffer buffer = a.transport->reserve(b_at_a, bytes)) {
        if (a.transport->commit(b_at_a, buffer, bytes) == PostStatus::kOk) {
          ++sent;
          continue;
        }
        a.transport->abandon(b_at_a, buffer);
      }
    }
    in_time = sleep_once(*a.transport, kTimeout);
    a.poll();
  }
  EXPECT_TRUE(until({&a}, [&] { return a.seen.messages_left == sent; }));
  stop = true;
  receiver.join();
  EXPECT_TRUE(in_time);
}

TEST_P(FabricWaiting, IdleUsesNoProcessorTime) {
  connect();
  for (int i = 0; i < 1000; ++i) {
    a.poll();
    b.poll();
  }
  expect_idle_costs_nothing(b);
}

}  // namespace
}  // namespace lintel::transport
