// Networks whose allocations fail, one after the other, in calls that send: nothing is thrown, no
// frame is lost, and the next attempt succeeds.
#include <cerrno>
#include <deque>
#include <fstream>
#include <utility>

#include "tests/fabric/fabric_pair.h"
#include "tests/failing_allocation.h"
#include "transport/direct/outbound_table.h"

namespace lintel::transport {
namespace {

using lintel::testing::allocations_until_failure;
using lintel::testing::kNoFailure;

constexpr long kMostAllocations = 200;

class NoMemoryToSend : public FabricPair {
 protected:
  void SetUp() override {
    LINTEL_NEEDS_FAILING_ALLOCATIONS();
    FabricPair::SetUp();
  }
  // How many frames the peer may have at once. Gives them back.
  std::size_t frames() {
    std::vector<MessageBuffer> lent;
    while (MessageBuffer buffer = a.transport->reserve(b_at_a, 8))
      lent.push_back(std::move(buffer));
    for (const MessageBuffer& buffer : lent) a.transport->abandon(b_at_a, buffer);
    return lent.size();
  }
  // Calls `call` with an allocation that fails, then with the next one, and so on, until none
  // fails. `prepare` comes before each call and `check` after it.
  template <class Prepare, class Call, class Check>
  static int each_fails(Prepare prepare, Call call, Check check) {
    int failures = 0;
    for (long nth = 0; nth < kMostAllocations; ++nth) {
      prepare();
      if (HasFatalFailure()) return failures;
      allocations_until_failure = nth;
      EXPECT_NO_THROW(call()) << "allocation " << nth;
      const bool failed = allocations_until_failure < 0;
      allocations_until_failure = kNoFailure;
      check();
      if (HasFailure() || !failed) return failures;
      ++failures;
    }
    ADD_FAILURE() << "allocations fail without end";
    return failures;
  }
};
LINTEL_FOR_EACH_PROVIDER(NoMemoryToSend);

TEST_P(NoMemoryToSend, AMessageThatMakesTheConnectionWaitsOrLeaves) {
  std::size_t all = 0;
  MessageBuffer buffer;
  PostStatus status = PostStatus::kFailed;
  const int failures = each_fails(
      [&] {
        open_both(options_for(GetParam()));
        all = frames();
        ASSERT_GT(all, 1U);
        buffer = a.transport->reserve(b_at_a, 8);
        ASSERT_TRUE(buffer);
        std::memset(buffer.data, 1, 8);
      },
      [&] { status = a.transport->commit(b_at_a, buffer, 8); },
      [&] {
        ASSERT_NE(status, PostStatus::kFailed);
        if (status == PostStatus::kWouldBlock) {
          a.transport->abandon(b_at_a, buffer);
          EXPECT_EQ(frames(), all);
        }
        const std::size_t expected = status == PostStatus::kOk ? 2 : 1;
        ASSERT_TRUE(send(a, b_at_a, pattern(8, 1), {&a, &b}));
        EXPECT_TRUE(until_both([&] { return b.seen.message_count == expected; }));
        // Those of the messages come back when they have left, or are acknowledged.
        EXPECT_TRUE(until_both([&] { return frames() == all; }));
        EXPECT_TRUE(a.seen.failures.empty());
      });
  if (GetParam() == std::string("direct")) {
    EXPECT_GT(failures, 0) << "the test saw what it is about";
  }
}

TEST_P(NoMemoryToSend, AFrameBeyondThePoolIsAddedLater) {
  MessageBuffer first;
  MessageBuffer second;
  const int failures = each_fails(
      [&] {
        NetworkOptions options = options_for(GetParam());
        options.send_frames = 1;
        open_both(options);
        first = a.transport->reserve(b_at_a, 8);
        ASSERT_TRUE(first);
      },
      [&] { second = a.transport->reserve(b_at_a, 8); },
      [&] {
        if (!second) second = a.transport->reserve(b_at_a, 8);
        ASSERT_TRUE(second);
        a.transport->abandon(b_at_a, first);
        a.transport->abandon(b_at_a, second);
        const std::vector<std::byte> message =
            pattern(a.transport->attributes().max_message_bytes, 3);
        for (int i = 0; i < 3; ++i) ASSERT_TRUE(send(a, b_at_a, message, {&a, &b}));
        ASSERT_TRUE(until_both([&] { return b.seen.message_count == 3; }));
        for (const std::vector<std::byte>& came : b.seen.messages) EXPECT_EQ(came, message);
      });
  EXPECT_GT(failures, 0) << "the test saw what it is about";
}

// Address space of this process, in bytes.
std::size_t mapped_bytes() {
  std::size_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return pages * 4096;
}

// In each place within the blocks in which records are allocated.
TEST(NoMemoryForFrames, MemoryWithoutRecordsIsGivenBack) {
  LINTEL_NEEDS_FAILING_ALLOCATIONS();
  constexpr std::size_t kFrameBytes = std::size_t{1} << 20;
  int without_a_record = 0;
  for (std::size_t frames = 1; frames <= 8; ++frames) {
    OutboundTable table(frames, kFrameBytes, 1);
    std::deque<SendShare> shares;
    for (std::size_t i = 0; i < frames; ++i)
      ASSERT_NE(table.take_frame(shares.emplace_back()), nullptr);
    SendShare& share = shares.emplace_back();
    const std::size_t before = mapped_bytes();
    // The first allocation is for the list of blocks.
    allocations_until_failure = 1;
    Outbound* taken = table.take_frame(share);
    allocations_until_failure = kNoFailure;
    ASSERT_EQ(taken, nullptr);
    const std::size_t after = mapped_bytes();
    allocations_until_failure = 0;
    taken = table.take_frame(share);
    allocations_until_failure = kNoFailure;
    if (taken != nullptr) continue;  // some records were made
    ++without_a_record;
    EXPECT_LT(after, before + kFrameBytes);
  }
  EXPECT_GT(without_a_record, 0) << "the test saw what it is about";
}

class NoMemoryForConnections : public NoMemoryToSend {
 protected:
  // One of these polls asks epoll about all sockets.
  static void poll_some(Node& node) {
    for (int polls = 0; polls < 4; ++polls) node.poll();
  }
};
INSTANTIATE_TEST_SUITE_P(Provider, NoMemoryForConnections, ::testing::Values("direct"),
                         provider_test_name);

TEST_P(NoMemoryForConnections, OneThatComesIsAcceptedLater) {
  const int failures = each_fails(
      [&] {
        open_both(options_for(GetParam()));
        const MessageBuffer buffer = a.transport->reserve(b_at_a, 8);
        ASSERT_EQ(a.transport->commit(b_at_a, buffer, 8), PostStatus::kWouldBlock);
        a.transport->abandon(b_at_a, buffer);
      },
      [&] { poll_some(b); },
      [&] {
        ASSERT_TRUE(send(a, b_at_a, pattern(8, 1), {&a, &b}));
        EXPECT_TRUE(until_both([&] { return b.seen.message_count == 1; }));
      });
  EXPECT_GT(failures, 0) << "the test saw what it is about";
}

TEST_P(NoMemoryForConnections, OneThatIsLostIsResumedLater) {
  const int failures = each_fails(
      [&] {
        open_both(options_for(GetParam()));
        a.key = b.key = ResumptionKey{std::byte{1}};
        connect();
        a.transport->interrupt(b_at_a);
      },
      [&] { poll_some(a); },
      [&] {
        EXPECT_TRUE(until_both([&] { return a.transport->frame_counts().resumed == 1; }));
        one_more_each_way(1);
        EXPECT_TRUE(a.seen.failures.empty());
      });
  EXPECT_GT(failures, 0) << "the test saw what it is about";
}

TEST_P(NoMemoryForConnections, TheLossOfAPeerThatIsNotReachedNamesTheReason) {
  NetworkOptions options = options_for(GetParam());
  options.connect_timeout = std::chrono::milliseconds(50);
  open_both(options);
  const MessageBuffer buffer = a.transport->reserve(b_at_a, 8);
  ASSERT_TRUE(until({&a}, [&] {
    allocations_until_failure = 0;
    EXPECT_EQ(a.transport->commit(b_at_a, buffer, 8), PostStatus::kWouldBlock);
    allocations_until_failure = kNoFailure;
    return !a.seen.failures.empty();
  }));
  EXPECT_EQ(a.seen.failures[0].second.code(), ENOMEM);
  EXPECT_STREQ(a.seen.failures[0].second.reason(), "this process has no memory for a connection");
  a.transport->abandon(b_at_a, buffer);
}

TEST_P(NoMemoryForConnections, ALossThatFindsNoMemoryIsReportedOnceLater) {
  connect();
  b.transport.reset();
  bool failed = false;
  ASSERT_TRUE(until({}, [&] {
    allocations_until_failure = 0;
    try {
      a.poll();
    } catch (const std::bad_alloc&) {
      failed = true;
    }
    allocations_until_failure = kNoFailure;
    return failed;
  }));
  ASSERT_TRUE(a.seen.failures.empty());
  poll_some(a);
  ASSERT_EQ(a.seen.failures.size(), 1U);
  EXPECT_EQ(a.seen.failures[0].first, b_at_a);
}

}  // namespace
}  // namespace lintel::transport
