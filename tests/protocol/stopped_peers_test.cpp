// Peers that have stopped keep what was begun with them until they are given up. Meanwhile what is
// begun with others starts at once, and goes on at the rate that it has when nothing is wanted of
// the stopped ones. Processes linger, so that calls may wait in virtual time.

#include <algorithm>
#include <array>
#include <vector>

#include "tests/protocol/protocol_test.h"
#include "tests/protocol/stopped_ranks.h"

namespace lintel::testing {
namespace {

class StoppedPeers : public ProtocolTest, protected StoppedRanks {
 protected:
  StoppedPeers() : ProtocolTest({.processes = 0, .open = false}) {}

  // All have met. The last ranks answer nothing from now on.
  void begin(std::size_t most) {
    start({.processes = kProcesses,
           .endpoint = {.eager_limit = 1024, .max_operations = most},
           .linger = 2s});
    for (std::size_t rank = 1; rank < kProcesses; ++rank) {
      target(there, {.options = kBoth | PTL_MD_MANAGE_REMOTE, .quiet = true}, {}, rank);
      ASSERT_EQ(put(source(data), {.to = rank, .ack = true}), PTL_OK);
      EXPECT_EQ(kinds(0), "SEND_START SEND_END ACK");
    }
    quiet = source(data, {.quiet = true});
    acked = source(data);
    for (std::size_t rank = kFirstStopped; rank < kProcesses; ++rank)
      job->kill(rank, transport::Death::kSilent);
  }
  // Starts so many puts to each stopped peer that a further one would wait, with and without an
  // acknowledgement. The first one gets all places.
  void send_to_stopped() {
    for (std::size_t rank = kFirstStopped; rank < kProcesses; ++rank) {
      for (std::size_t i = 0; has_room(rank); ++i)
        ASSERT_EQ(post_put(quiet, {.to = rank, .ack = i % 2 == 0}), PTL_OK);
    }
  }
  bool has_room(std::size_t rank) { return testing::has_room(*job, rank); }
  // The time that so many acknowledged puts to each healthy peer take, begun one after the other.
  Nanoseconds time_of(std::size_t puts) {
    const TimePoint begin = job->network().now();
    const auto acks = [&] { return job->process(0).counters().get(Counter::kAcksReceived); };
    const std::uint64_t all = acks() + puts * (kFirstStopped - 1);
    for (std::size_t i = 0; i < puts; ++i) {
      for (std::size_t rank = 1; rank < kFirstStopped; ++rank)
        EXPECT_EQ(job->waiting(0, [&] { return post_put(quiet, {.to = rank, .ack = true}); }),
                  PTL_OK);
    }
    while (acks() < all && job->network().advance_to_next()) job->settle(0ns);
    EXPECT_EQ(acks(), all);
    return job->network().now() - begin;
  }
  std::uint64_t lost() const { return job->process(0).counters().get(Counter::kPeerFailures); }

  Bytes data = pattern(8), there = Bytes(8), back = Bytes(8);
  ptl_handle_md_t quiet = PTL_INVALID_HANDLE, acked = PTL_INVALID_HANDLE;
};

TEST_F(StoppedPeers, OperationsToOthersStartAtOnce) {
  begin(kFew);
  send_to_stopped();
  const ptl_handle_md_t in = source(back), out = source(data);
  const TimePoint before = job->network().now();
  for (std::size_t rank = 1; rank < kFirstStopped; ++rank) {
    const auto starts = [&](auto&& call) {
      EXPECT_EQ(job->waiting(0, call), PTL_OK);
      EXPECT_EQ(job->network().now(), before) << "a call has waited for room";
    };
    starts([&] { return post_put(acked, {.to = rank, .ack = true}); });
    starts([&] { return post_put(acked, {.to = rank}); });
    starts([&] { return post_get(in, {.to = rank}); });
    starts([&] { return PtlGetPut(in, out, job->id(rank), kPortal, 0, kBits, 0, 0); });
  }
  job->settle();
  const Events events = take(0);
  const auto how_many = [&](ptl_event_kind_t kind) {
    return static_cast<std::size_t>(std::ranges::count_if(events, [kind](const ptl_event_t& event) {
      return event.type == kind && event.ni_fail_type == PTL_NI_OK;
    }));
  };
  EXPECT_EQ(how_many(PTL_EVENT_ACK), kFirstStopped - 1);
  EXPECT_EQ(how_many(PTL_EVENT_REPLY_END), 2 * (kFirstStopped - 1));
  EXPECT_EQ(lost(), 0U) << "the stopped ones still hold what they have";
}

TEST_F(StoppedPeers, ACallThatWaitsForRoomForOneOfThemEndsWhenThatOneIsLost) {
  begin(kFew);
  send_to_stopped();
  ASSERT_EQ(job->waiting(0, [&] { return post_put(acked, {.to = kFirstStopped, .ack = true}); }),
            PTL_OK);
  EXPECT_EQ(kinds(0), "SEND_START SEND_END!PEER_DEAD");
  EXPECT_GE(lost(), 1U);
}

TEST_F(StoppedPeers, ACallWaitsForRoomForItsPeerOnly) {
  begin(kFew);
  send_to_stopped();
  while (has_room(1)) ASSERT_EQ(post_put(quiet, {.to = 1, .ack = true}), PTL_OK);
  ASSERT_EQ(job->waiting(0, [&] { return post_get(quiet, {.to = 1}); }), PTL_OK);
  EXPECT_EQ(lost(), 0U) << "it has not waited for a stopped one";
}

TEST_F(StoppedPeers, TheRateToOthersIsWithinATenthOfThatWithThemIdle) {
  constexpr std::size_t kPuts = 20'000;
  begin(kMany);
  const Nanoseconds idle = time_of(kPuts);
  send_to_stopped();
  const Nanoseconds beside = time_of(kPuts);
  EXPECT_EQ(lost(), 0U) << "the stopped ones still hold what they have";
  EXPECT_LT(beside, idle + idle / 10);
  EXPECT_GT(beside, idle - idle / 10) << "and so the comparison is of equal things";
}

TEST_F(StoppedPeers, EverythingIsGivenBackWhenTheyAreLost) {
  begin(kFew);
  send_to_stopped();
  job->run(30s);
  EXPECT_EQ(lost(), kStopped);
  std::array<std::size_t, kProcesses> fits{};
  for (const std::size_t rank : {std::size_t{1}, kFirstStopped}) {
    while (has_room(rank)) {
      ASSERT_EQ(post_put(quiet, {.to = rank, .ack = true}), PTL_OK);
      ++fits[rank];
    }
  }
  EXPECT_EQ(fits[1], kFew) << "all, because nothing is under way with others";
  EXPECT_EQ(fits[kFirstStopped], kFew / 4);
}

}  // namespace
}  // namespace lintel::testing
