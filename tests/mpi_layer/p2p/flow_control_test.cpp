// Memory for unexpected messages is bounded, and at the bound nothing is lost or blocked.

#include "base/counters.h"
#include "tests/mpi_layer/p2p/p2p_test.h"

namespace lintel::testing {
namespace {

class FlowControl : public P2pTest {
 protected:
  static MessengerJobOptions with_memory(std::uint64_t bytes, std::size_t processes = 2) {
    MessengerJobOptions options;
    options.processes = processes;
    options.messenger.unexpected_bytes = bytes;
    return options;
  }
  // Address of the message that nobody has received yet. REQUIRES: there is one.
  const void* place_of_the_unexpected(std::size_t rank) {
    portals::Process& process = job->processes().process(rank);
    const MutexLock lock(process.lock());
    const void* place = nullptr;
    process.interface(portals::kLayerKind)
        ->portals[0]
        .unexpected.for_each([&](portals::UnexpectedHeader& header) {
          place = static_cast<portals::UnexpectedMessage&>(header).event.start;
        });
    return place;
  }
  void expect_no_drops() {
    for (std::size_t rank = 0; rank < job->processes().size(); ++rank) {
      EXPECT_EQ(job->processes().process(rank).counters().drops(), 0U) << rank;
      EXPECT_EQ(job->processes().process(rank).counters().get(Counter::kEventQueueOverflows), 0U)
          << rank;
    }
  }
};

TEST_F(FlowControl, SharesOfAllSendersFitIntoTheMemory) {
  for (const std::uint64_t bytes : {0U, 1000U, 10'000U, 100'000U, 1U << 20U, 64U << 20U}) {
    for (const std::uint64_t eager : {0U, 64U, 1024U, 16384U}) {
      EXPECT_LE(mpi::UnexpectedBlocks::window(bytes, eager), bytes / 3) << bytes << " " << eager;
    }
  }
  // A process with memory gets a useful window.
  EXPECT_GE(mpi::UnexpectedBlocks::window(64 << 20, 16384), std::uint64_t{20 << 20});
}

// A process that sometimes receives a message late must not map all the memory that it could have.
TEST_F(FlowControl, MessagesThatAreReceivedOneByOneLieInTheSameMemory) {
  start();
  std::vector<const void*> places;
  for (int i = 0; i < 5; ++i) {
    Transfer& sent = send(0, 1, 1000);
    job->settle();
    places.push_back(place_of_the_unexpected(1));
    EXPECT_TRUE(arrived(sent, receive(1, 0, 1000))) << i;
  }
  EXPECT_NE(places.front(), nullptr);
  EXPECT_EQ(places, std::vector<const void*>(5, places.front()));
}

TEST_F(FlowControl, MemoryIsNotUsedAgainWhileAnyOfItsMessagesIsLeft) {
  start();
  Transfer& kept = send(0, 1, 1000, {.tag = 7});
  for (int i = 0; i < 5; ++i) {
    Transfer& sent = send(0, 1, 900);
    EXPECT_TRUE(arrived(sent, receive(1, 0, 1000))) << i;
  }
  EXPECT_TRUE(arrived(kept, receive(1, 0, 1000, {.tag = 7})));
}

class FloodWithMemory : public FlowControl, public ::testing::WithParamInterface<std::uint64_t> {};

// A flood that nobody receives, then its last message first, then all others: everything arrives
// once, in order.
TEST_P(FloodWithMemory, AnyMessageMayBeReceivedAndAllArriveOnceInOrder) {
  start(with_memory(GetParam()));
  constexpr int kCount = 300;
  std::vector<Transfer*> sent;
  for (int i = 0; i < kCount; ++i)
    sent.push_back(&send(0, 1, static_cast<std::uint64_t>(i * 37 % 3000), {.tag = i % 7}));
  Transfer& last = send(0, 1, 2000, {.tag = 100});
  job->settle();
  EXPECT_TRUE(arrived(last, receive(1, 0, 2000, {.tag = 100})));
  for (std::int32_t tag = 6; tag >= 0; --tag) {
    for (int i = 0; i < kCount; ++i) {
      if (i % 7 != tag) continue;
      EXPECT_TRUE(arrived(*sent[static_cast<std::size_t>(i)], receive(1, 0, 3000, {.tag = tag})))
          << i;
    }
  }
  expect_no_drops();
}

// Messages that are received late or never must not use up the memory for others.
TEST_P(FloodWithMemory, OldMessagesDoNotStandInTheWayOfNewOnes) {
  start(with_memory(GetParam(), 3));
  std::vector<Transfer*> old;
  int ahead = 0;  // of the new ones
  for (int i = 0; i < 100; ++i) {
    old.push_back(&send(0, 2, 100, {.tag = 50 + i}));
    for (int j = 0; j < 10; ++j) {
      Transfer& sent = send(1, 2, 900);
      job->settle();
      // Complete without its receive: the whole message was sent ahead.
      if (ended(sent)) ++ahead;
      Transfer& received = receive(2, 1, 900);
      job->settle();
      ASSERT_TRUE(ended(received));
      EXPECT_TRUE(!sent.request().active() || ended(sent));
      EXPECT_TRUE(same(sent, received));
    }
  }
  if (at(1).window().bytes >= 900) {
    EXPECT_EQ(ahead, 1000);
  }
  for (int i = 0; i < 100; ++i)
    EXPECT_TRUE(arrived(*old[static_cast<std::size_t>(i)], receive(2, 0, 100, {.tag = 50 + i})))
        << i;
  expect_no_drops();
}

TEST_P(FloodWithMemory, StreamToPostedReceivesGoesOn) {
  start(with_memory(GetParam()));
  for (int i = 0; i < 2000; ++i) {
    Transfer& received = receive(1, 0, 1000);
    EXPECT_TRUE(arrived(send(0, 1, 1000), received)) << i;
  }
  expect_no_drops();
}

INSTANTIATE_TEST_SUITE_P(Bounds, FloodWithMemory,
                         ::testing::Values(0, 3000, 12'000, 20'000, 50'000, 1 << 20));

TEST_F(FlowControl, CreditComesBackWithOnePacketForMany) {
  start(with_memory(1 << 20));
  const auto control_packets = [this] {
    return job->processes().process(1).counters().get(Counter::kPutsSent);
  };
  for (int i = 0; i < 1000; ++i) {
    Transfer& received = receive(1, 0, 8);
    EXPECT_TRUE(arrived(send(0, 1, 8), received));
  }
  EXPECT_LE(control_packets(), 1000U / 200U);
}

TEST_F(FlowControl, BeyondTheBoundOfHeadersSendsWaitInOrder) {
  MessengerJobOptions options;
  options.messenger.unexpected_headers = 16;
  options.messenger.least_headers = 8;
  start(options);
  std::vector<Transfer*> sent;
  for (int i = 0; i < 100; ++i) sent.push_back(&send(0, 1, i % 3 == 0 ? 5000 : 10));
  job->settle();
  int ended_sends = 0;
  for (std::size_t i = 0; i < 100; ++i) {
    Transfer& received = receive(1, 0, 5000);
    job->settle();
    ASSERT_TRUE(ended(received)) << i;
    if (sent[i]->request().active()) {
      EXPECT_TRUE(ended(*sent[i])) << i;
    }
    ++ended_sends;
    EXPECT_TRUE(same(*sent[i], received)) << i;
  }
  EXPECT_EQ(ended_sends, 100);
  expect_no_drops();
}

TEST_F(FlowControl, EngineWithoutRoomForOperationsIsWaitedFor) {
  MessengerJobOptions options;
  options.endpoint.max_operations = 16;
  start(options);
  std::vector<Transfer*> sent;
  // Those for which the engine has room must not overtake the others.
  for (int i = 0; i < 100; ++i)
    sent.push_back(
        &send(0, 1, 8, {.mode = i % 20 < 19 ? SendMode::kSynchronous : SendMode::kStandard}));
  job->settle();
  for (std::size_t i = 0; i < 100; ++i) EXPECT_TRUE(arrived(*sent[i], receive(1, 0, 8))) << i;
}

// It keeps its share of the gets until it is given up.
TEST_F(FlowControl, PullsFromAStoppedProcessDelayNoOthers) {
  constexpr std::size_t kPlaces = 16;
  constexpr std::size_t kLong = 4000;
  MessengerJobOptions options;
  options.processes = 3;
  options.endpoint.max_operations = kPlaces;
  options.session.dead_peer_deadline = 1s;
  start(options);
  std::vector<Transfer*> from_stopped;
  for (std::size_t i = 0; i < 2 * kPlaces; ++i) send(1, 0, kLong);
  Transfer& sent = send(2, 0, kLong);
  job->settle();
  job->kill(1, transport::Death::kSilent);
  for (std::size_t i = 0; i < 2 * kPlaces; ++i) from_stopped.push_back(&receive(0, 1, kLong));
  EXPECT_TRUE(arrived(sent, receive(0, 2, kLong)));
  EXPECT_EQ(job->processes().process(0).counters().get(Counter::kPeerFailures), 0U);
  for (Transfer* transfer : from_stopped) EXPECT_FALSE(ended(*transfer));
  job->run(2s);
  for (Transfer* transfer : from_stopped) {
    EXPECT_TRUE(ended(*transfer));
    EXPECT_EQ(transfer->result().failure, RequestFailure::kPeerLost);
  }
}

// Processes of one job with different settings for the memory: messages without room at the
// receiver are refused, and their sends fail.
TEST_F(FlowControl, RefusedMessagesFailTheirSendsAndAreCounted) {
  MessengerJobOptions options;
  options.different_bytes = 0;
  start(options);
  EXPECT_TRUE(arrived(send(0, 1, 0), receive(1, 0, 0)));
  Transfer& synchronous = send(0, 1, 100, {.mode = SendMode::kSynchronous});
  Transfer& longer = send(0, 1, 50'000);
  send(0, 1, 100);
  job->settle();
  for (Transfer* sent : {&synchronous, &longer}) {
    ASSERT_TRUE(ended(*sent));
    EXPECT_EQ(sent->result().failure, RequestFailure::kFailed);
  }
  EXPECT_EQ(job->processes().process(1).counters().drops(), 3U);
  Transfer& posted = receive(1, 0, 50'000);
  EXPECT_TRUE(arrived(send(0, 1, 50'000), posted));
}

TEST_F(FlowControl, BufferedSendsBeyondTheBoundKeepTheirOwnCopies) {
  start(with_memory(3000));
  std::vector<std::vector<std::byte>> contents;
  for (int i = 0; i < 100; ++i) {
    Transfer& sent = send(0, 1, 700, {.mode = SendMode::kBuffered});
    EXPECT_TRUE(ended(sent));
    contents.push_back(sent.buffer);
    std::fill(sent.buffer.begin(), sent.buffer.end(), std::byte{0});
  }
  for (std::size_t i = 0; i < 100; ++i) {
    Transfer& received = receive(1, 0, 700);
    job->settle();
    ASSERT_TRUE(ended(received));
    EXPECT_EQ(received.buffer, contents[i]) << i;
  }
}

}  // namespace
}  // namespace lintel::testing
