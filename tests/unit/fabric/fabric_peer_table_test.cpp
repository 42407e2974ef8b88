// When a peer that accepts nothing counts as lost. Tests pass the time as an argument.
#include "transport/fabric/fabric_peer_table.h"

#include <gtest/gtest.h>

namespace lintel::transport {
namespace {

using std::chrono::milliseconds;

class FailureRecorder : public Sink {
 public:
  std::vector<std::pair<PeerId, Error>> failures;
  void on_message(PeerId, std::span<const std::byte>) override {}
  void on_message_left(PeerId) override {}
  void on_write_done(Context, Error) override {}
  void on_immediate(PeerId, Immediate) override {}
  void on_peer_failed(PeerId peer, Error error) override { failures.emplace_back(peer, error); }
};

class PeerTableTest : public testing::Test {
 protected:
  static constexpr TimePoint at(milliseconds since_start) {
    return TimePoint{1000000000} + since_start;
  }
  // A failed attempt at `now`, then a poll.
  void try_in_vain(TimePoint now) {
    if (table.may_try(table.at(peer), now)) {
      table.refused(peer, now);
      ++tries;
    }
    table.report_failures(now, sink);
  }
  FabricPeerTable table{milliseconds(100), true};
  FailureRecorder sink;
  PeerId peer = table.add({NodeId(1), Pid(2)}, 0);
  int tries = 0;
};

TEST_F(PeerTableTest, APeerThatAcceptsNothingForTheConnectTimeoutIsReportedOnce) {
  int ms = 0;
  for (; ms <= 100; ++ms) try_in_vain(at(milliseconds(ms)));
  EXPECT_TRUE(sink.failures.empty());
  try_in_vain(at(milliseconds(ms)));
  ASSERT_EQ(sink.failures.size(), 1U);
  EXPECT_EQ(sink.failures[0].first, peer);
  EXPECT_EQ(sink.failures[0].second.loss(), Loss::kPeer);
  table.report_failures(at(milliseconds(500)), sink);
  EXPECT_EQ(sink.failures.size(), 1U);
}

TEST_F(PeerTableTest, APeerThatIsReachedInTimeIsNotReported) {
  try_in_vain(at(milliseconds(0)));
  try_in_vain(at(milliseconds(90)));
  table.accepted(table.at(peer));
  table.report_failures(at(milliseconds(300)), sink);
  EXPECT_TRUE(sink.failures.empty());
  EXPECT_EQ(table.next_deadline(at(milliseconds(300))), kNever);
}

TEST_F(PeerTableTest, AFullQueueToAConnectedPeerIsNoAbsence) {
  table.accepted(table.at(peer));
  for (int ms = 0; ms < 1000; ++ms) try_in_vain(at(milliseconds(ms)));
  EXPECT_TRUE(sink.failures.empty());
}

TEST_F(PeerTableTest, ARefusalWithNothingUnderWayMeansThatTheConnectionIsLost) {
  table.accepted(table.at(peer));
  --table.at(peer).in_flight;
  for (int ms = 0; ms < 200; ++ms) try_in_vain(at(milliseconds(ms)));
  EXPECT_EQ(sink.failures.size(), 1U);
}

TEST_F(PeerTableTest, APeerThatNobodyTriesAnyMoreIsForgottenWithoutAReport) {
  try_in_vain(at(milliseconds(0)));
  table.report_failures(at(milliseconds(50)), sink);
  table.report_failures(at(milliseconds(5000)), sink);
  EXPECT_TRUE(sink.failures.empty());
  // The next attempt has the full timeout again.
  try_in_vain(at(milliseconds(9000)));
  try_in_vain(at(milliseconds(9090)));
  EXPECT_TRUE(sink.failures.empty());
}

TEST_F(PeerTableTest, APeerIsTriedAtOnceForAMillisecondAndThenOncePerMillisecond) {
  for (int us = 0; us < 900; us += 10) {
    const TimePoint now = at(milliseconds(0)) + std::chrono::microseconds(us);
    ASSERT_TRUE(table.may_try(table.at(peer), now)) << us;
    try_in_vain(now);
  }
  tries = 0;
  TimePoint now{};
  for (int us = 2000; us < 12000; us += 10) {
    now = at(milliseconds(0)) + std::chrono::microseconds(us);
    try_in_vain(now);
  }
  EXPECT_EQ(tries, 10);
  EXPECT_EQ(table.next_deadline(now), at(milliseconds(12)));
}

TEST_F(PeerTableTest, EachLossEndsAnEpochAndLossesInARowAreReportedOnce) {
  table.accepted(table.at(peer));
  const Error first{Loss::kPeer, "call", "first"};
  table.fail(peer, first);
  table.fail(peer, {Loss::kPeer, "call", "second"});
  EXPECT_EQ(table.at(peer).epoch, 2U);
  EXPECT_EQ(table.at(peer).in_flight, 0U);
  EXPECT_EQ(table.report_failures(at(milliseconds(0)), sink), 1U);
  ASSERT_EQ(sink.failures.size(), 1U);
  EXPECT_STREQ(sink.failures[0].second.reason(), "first");
}

TEST_F(PeerTableTest, IdsAreDenseAndFoundByName) {
  const PeerId second = table.add({NodeId(1), Pid(3)}, 7);
  EXPECT_EQ(peer, PeerId(0));
  EXPECT_EQ(second, PeerId(1));
  EXPECT_EQ(table.find({NodeId(1), Pid(3)}), second);
  EXPECT_EQ(table.find({NodeId(2), Pid(3)}), kNoPeer);
}

TEST_F(PeerTableTest, AnIdIsUsedAgainAfterRemovalWithALaterEpoch) {
  table.fail(peer, {Loss::kPeer, "call", "lost"});
  table.report_failures(at(milliseconds(0)), sink);
  const std::uint32_t epoch = table.at(peer).epoch;
  table.remove(peer);
  EXPECT_EQ(table.size(), 0U);
  EXPECT_EQ(table.find({NodeId(1), Pid(2)}), kNoPeer);
  EXPECT_EQ(table.add({NodeId(1), Pid(3)}, 1), peer);
  EXPECT_GT(table.at(peer).epoch, epoch) << "of completions that still come";
  EXPECT_EQ(table.at(peer).name, (ProcessId{NodeId(1), Pid(3)}));
}

TEST_F(PeerTableTest, APeerKnowsThatItsAddressWasUsedBefore) {
  const PeerId second = table.add({NodeId(1), Pid(3)}, 1);
  EXPECT_FALSE(table.at(second).address_used_before);
  table.remove(second);
  EXPECT_TRUE(table.at(table.add({NodeId(1), Pid(4)}, 1)).address_used_before);
  EXPECT_FALSE(table.at(table.add({NodeId(1), Pid(5)}, 2)).address_used_before);
  EXPECT_EQ(table.most_addresses(), 3U);
}

TEST_F(PeerTableTest, APeerIsInUseWhileTheProviderHasOperationsOfAnyEpoch) {
  EXPECT_FALSE(table.at(peer).in_use());
  table.at(peer).under_way = 1;
  table.disconnect(peer);
  EXPECT_TRUE(table.at(peer).in_use());
  table.at(peer).under_way = 0;
  EXPECT_FALSE(table.at(peer).in_use());
}

TEST_F(PeerTableTest, APeerThatIsUnwantedStaysWhileItIsInUse) {
  const ProcessId name{NodeId(1), Pid(3)};
  const PeerId unwanted = table.add(name, FI_ADDR_NOTAVAIL);
  table.at(unwanted).under_way = 1;
  table.drop_unwanted(unwanted, nullptr);
  EXPECT_EQ(table.find(name), unwanted);
  table.at(unwanted).under_way = 0;
  table.drop_unwanted(unwanted, nullptr);
  EXPECT_EQ(table.find(name), kNoPeer);
}

TEST_F(PeerTableTest, APeerStaysIfTheProviderCannotForgetItsAddress) {
  table.drop_unwanted(peer, nullptr);
  EXPECT_EQ(table.find({NodeId(1), Pid(2)}), peer);
}

}  // namespace
}  // namespace lintel::transport
