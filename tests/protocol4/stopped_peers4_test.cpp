// Peers that have stopped keep what was begun with them until they are given up. Meanwhile what is
// begun with others, by calls or by counters, starts at once, and goes on at the rate that it has
// when nothing is wanted of the stopped ones. Processes linger, so that calls may wait in virtual
// time.

#include "tests/protocol/stopped_ranks.h"
#include "tests/protocol4/portals4_test.h"

namespace lintel::testing {
namespace {

constexpr unsigned kCounted = PTL_MD_EVENT_CT_ACK | PTL_MD_EVENT_CT_REPLY;

class StoppedPeers4 : public Portals4Test, protected StoppedRanks {
 protected:
  StoppedPeers4() : Portals4Test({.processes = 0, .open = false}) {}

  // All have met. The last ranks answer nothing from now on.
  void begin(std::size_t most) {
    start({.processes = kProcesses,
           .endpoint = {.eager_limit = 1024, .max_operations = most},
           .linger = 2s});
    for (std::size_t rank = 1; rank < kProcesses; ++rank) {
      append(there, {.options = kBoth | kNoLink | PTL_ME_EVENT_COMM_DISABLE}, rank);
      ASSERT_EQ(put(bind(data), {.to = rank, .ack = PTL_ACK_REQ}), PTL_OK);
      EXPECT_EQ(kinds(0), "SEND ACK");
    }
    lost = counter(0);
    never = bind(data, {.options = kCounted, .counter = lost, .quiet = true});
    done = counter(0);
    counted = bind(data, {.options = kCounted, .counter = done, .quiet = true});
    for (std::size_t rank = kFirstStopped; rank < kProcesses; ++rank)
      job->kill(rank, transport::Death::kSilent);
  }
  // Puts to each stopped peer as many as there is room for, with and without an acknowledgement,
  // and as many again that have fired and find no room.
  void send_to_stopped() {
    for (std::size_t rank = kFirstStopped; rank < kProcesses; ++rank) {
      Call call{.to = rank};
      std::size_t puts = 0;
      for (; has_room(rank); ++puts) {
        call.ack = puts % 2 == 0 ? PTL_CT_ACK_REQ : PTL_NO_ACK_REQ;
        with_ack += puts % 2 == 0 ? 1 : 0;
        ASSERT_EQ(post_put(never, call), PTL_OK);
      }
      call.ack = PTL_CT_ACK_REQ;
      call.trigger = Trigger{counter(0), 1};
      for (std::size_t i = 0; i < std::min(puts, kFew); ++i, ++with_ack)
        ASSERT_EQ(post_put(never, call), PTL_OK);
      ASSERT_EQ(PtlCTInc(call.trigger->counter, {1, 0}), PTL_OK);
    }
  }
  bool has_room(std::size_t rank) { return testing::has_room(*job, rank); }
  std::size_t successes() {
    ptl_ct_event_t value{};
    EXPECT_EQ(PtlCTGet(done, &value), PTL_OK);
    EXPECT_EQ(value.failure, 0U);
    return value.success;
  }
  // The time that so many acknowledged puts to each healthy peer take, begun one after the other.
  Nanoseconds time_of(std::size_t puts) {
    const TimePoint begin = job->network().now();
    const std::size_t all = successes() + puts * (kFirstStopped - 1);
    for (std::size_t i = 0; i < puts; ++i) {
      for (std::size_t rank = 1; rank < kFirstStopped; ++rank)
        EXPECT_EQ(
            job->waiting(0, [&] { return post_put(counted, {.to = rank, .ack = PTL_CT_ACK_REQ}); }),
            PTL_OK);
    }
    while (successes() < all && job->network().advance_to_next()) job->settle(0ns);
    EXPECT_EQ(successes(), all);
    return job->network().now() - begin;
  }
  void expect_none_lost() {
    EXPECT_EQ(job->process(0).counters().get(Counter::kPeerFailures), 0U)
        << "the stopped ones still hold what they have";
  }

  Bytes data = pattern(8), there = Bytes(8), fetched = Bytes(8);
  Md never, counted;
  std::size_t with_ack = 0;  // puts to stopped peers that want an acknowledgement
  ptl_handle_ct_t lost = PTL_CT_NONE, done = PTL_CT_NONE;
};

TEST_F(StoppedPeers4, OperationsToOthersStartAtOnce) {
  begin(kFew);
  send_to_stopped();
  const Md to = bind(fetched, {.options = kCounted, .counter = done, .quiet = true});
  const TimePoint before = job->network().now();
  for (std::size_t rank = 1; rank < kFirstStopped; ++rank) {
    const auto starts = [&](auto&& call) {
      EXPECT_EQ(job->waiting(0, call), PTL_OK);
      EXPECT_EQ(job->network().now(), before) << "a call has waited for room";
    };
    const Call call{.to = rank, .ack = PTL_CT_ACK_REQ};
    starts([&] { return post_put(counted, call); });
    starts([&] { return post_get(to, call); });
    starts([&] { return post_atomic(counted, PTL_SUM, PTL_INT64_T, call); });
    starts([&] { return post_fetch_atomic(to, counted, PTL_SUM, PTL_INT64_T, call); });
    starts([&] { return post_swap(to, counted, nullptr, PTL_SWAP, PTL_INT64_T, call); });
  }
  job->settle();
  EXPECT_EQ(successes(), 5 * (kFirstStopped - 1));
  expect_none_lost();
}

TEST_F(StoppedPeers4, OperationsToOthersThatACounterTriggersStartAtOnce) {
  begin(kFew);
  send_to_stopped();
  const ptl_handle_ct_t trigger = counter(0);
  for (std::size_t rank = 1; rank < kFirstStopped; ++rank)
    ASSERT_EQ(
        post_put(counted, {.to = rank, .ack = PTL_CT_ACK_REQ, .trigger = Trigger{trigger, 1}}),
        PTL_OK);
  ASSERT_EQ(increment(trigger, {1, 0}, 0), PTL_OK);
  EXPECT_EQ(successes(), kFirstStopped - 1);
  expect_none_lost();
}

TEST_F(StoppedPeers4, WhatWaitsForRoomFailsWhenTheyAreLost) {
  begin(kFew);
  send_to_stopped();
  job->run(120s);
  const std::string acked = std::to_string(with_ack);
  EXPECT_EQ(count(lost, 0), "0+" + acked);
  for (std::size_t rank = kFirstStopped; rank < kProcesses; ++rank) EXPECT_TRUE(has_room(rank));
}

TEST_F(StoppedPeers4, TheRateToOthersIsWithinATenthOfThatWithThemIdle) {
  constexpr std::size_t kPuts = 20'000;
  begin(kMany);
  const Nanoseconds idle = time_of(kPuts);
  send_to_stopped();
  const Nanoseconds beside = time_of(kPuts);
  expect_none_lost();
  EXPECT_LT(beside, idle + idle / 10);
  EXPECT_GT(beside, idle - idle / 10) << "and so the comparison is of equal things";
}

}  // namespace
}  // namespace lintel::testing
