// What the end of the last interface waits for, and for how long. If nothing else is said,
// processes linger for two seconds here, and a write takes a third of a second.

#include "tests/protocol/protocol_test.h"

namespace lintel::testing {
namespace {

class Linger : public ProtocolTest {
 protected:
  static constexpr std::size_t kWrites = 20;
  static constexpr std::size_t kSize = kWrites * 1000;

  Linger() {
    JobOptions options;
    options.linger = 2s;
    options.network.shortest_delay = options.network.longest_delay = 300ms;
    options.network.attributes.max_write_bytes = 1000;
    options.network.max_writes_in_flight = 1;
    start(options);
    target(memory, {.options = kBoth});
    EXPECT_EQ(put(source(nothing)), PTL_OK);  // connects
    job->run(1s);
    take(0);
    take(1);
  }
  // Returns how long PtlNIFini of process 0 takes.
  Nanoseconds end() {
    const TimePoint start = job->network().now();
    job->drive_by_clock(0);
    EXPECT_EQ(PtlNIFini(job->ni()), PTL_OK);
    return job->network().now() - start;
  }

  Bytes memory = Bytes(kSize);
  Bytes nothing;
  Bytes large = pattern(kSize);
};

TEST_F(Linger, TransferThatMovesIsWaitedFor) {
  ASSERT_EQ(post_put(source(large)), PTL_OK);
  EXPECT_GT(end(), 4s);
  EXPECT_EQ(memory, large);
}

TEST_F(Linger, TransferThatStandsStillIsNot) {
  ASSERT_EQ(post_put(source(large)), PTL_OK);
  job->run(1500ms);  // some writes have been done
  job->kill(1, transport::Death::kSilent);
  const Nanoseconds taken = end();
  EXPECT_GE(taken, 2s);
  EXPECT_LE(taken, 9s);  // also for the rest of what has left, and for the goodbye
}

TEST_F(Linger, WhatPeersStartMeanwhileEndsWithTheSession) {
  const ptl_handle_md_t landing = source(memory, {}, 1);
  target(large, {.options = kBoth}, {}, 0);
  ASSERT_EQ(post_put(source(large)), PTL_OK);
  job->run(1s);
  bool inside = false;
  std::size_t started = 0;
  job->poll_also([&]() -> std::size_t {
    if (inside || started == 100) return 0;
    inside = true;
    job->as(1);
    started += PtlGet(landing, job->id(0), kPortal, 0, kBits, 0) == PTL_OK ? 1U : 0U;
    job->as(0);
    inside = false;
    return 0;
  });
  EXPECT_LE(end(), 12s);
  job->run(1s);
  std::size_t failed = 0;
  for (const ptl_event_t& event : take(1)) {
    if (event.type != PTL_EVENT_REPLY_END) continue;
    EXPECT_EQ(event.ni_fail_type, PTL_NI_PEER_DEAD) << "get " << failed;
    ++failed;
  }
  EXPECT_EQ(failed, started);
}

class LingerForAll : public ProtocolTest {
 protected:
  LingerForAll() : ProtocolTest({.processes = 0, .open = false}) {}
  // Process 0 has met the others, which take as long for each message. Process 1 answers nothing
  // from now on.
  void begin(Nanoseconds linger, Nanoseconds delay) {
    JobOptions options{.processes = 3};
    options.linger = linger;
    options.network.shortest_delay = options.network.longest_delay = delay;
    options.session.window_frames = 2;
    start(options);
    for (std::size_t rank = 1; rank < 3; ++rank) {
      target(memory, {.options = kBoth, .quiet = true}, {}, rank);
      EXPECT_EQ(put(source(small), {.to = rank}), PTL_OK);
    }
    job->run(6 * delay);
    take(0);
    job->kill(1, transport::Death::kSilent);
  }
  Nanoseconds end() {
    const TimePoint start = job->network().now();
    EXPECT_EQ(job->waiting(0, [&] { return PtlNIFini(job->ni()); }), PTL_OK);
    return job->network().now() - start;
  }
  std::uint64_t counted(Counter counter) { return job->process(0).counters().get(counter); }

  Bytes memory = Bytes(1000), small = pattern(1000);
};

TEST_F(LingerForAll, APeerThatDoesNotAnswerIsWaitedForUntilItIsReported) {
  begin(12s, 1ms);
  ASSERT_EQ(post_put(source(small), {.to = 1}), PTL_OK);
  const Nanoseconds taken = end();
  EXPECT_GE(taken, 7500ms);
  EXPECT_LE(taken, 10100ms);
  EXPECT_EQ(counted(Counter::kPeerFailures), 1U);
  EXPECT_EQ(counted(Counter::kMessagesUnacknowledged), 1U);
}

TEST_F(LingerForAll, WhatWaitsForAStoppedPeerTakesNoTimeFromAnother) {
  begin(2s, 1500ms);
  const ptl_handle_md_t md = source(small);
  const std::uint64_t before = counted(Counter::kMessagesSent);
  for (int i = 0; i < 200; ++i) ASSERT_EQ(post_put(md, {.to = 1}), PTL_OK);
  job->run(0s);
  const std::uint64_t left = counted(Counter::kMessagesSent) - before;
  ASSERT_LT(left, 200U) << "the others wait";
  ASSERT_EQ(post_put(md, {.to = 2}), PTL_OK);
  EXPECT_GE(end(), 3s) << "until process 2 has acknowledged it";
  EXPECT_EQ(counted(Counter::kMessagesUnacknowledged), left) << "none of process 2";
}

}  // namespace
}  // namespace lintel::testing
