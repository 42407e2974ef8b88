// The records of DirectTransport: peers by name, connections that are used again, and which of them
// are read first.
#include <gtest/gtest.h>

#include "transport/direct/connection_records.h"
#include "transport/direct/direct_peers.h"
#include "transport/direct/read_order.h"
#include "transport/direct/reserved_list.h"

namespace lintel::transport {
namespace {

constexpr ProcessId kFirst{NodeId(0x7F000001), Pid(10)};
constexpr ProcessId kSecond{NodeId(0x7F000001), Pid(11)};
constexpr InboundStream::PieceLimits kRecordLimits{1000, 100000, 50000};
constexpr auto kNoRoomNeeded = [](std::size_t) {};

TEST(DirectPeersTest, APeerHasOneRecordUnderItsName) {
  DirectPeers peers;
  EXPECT_EQ(peers.find(kFirst), kNoPeer);
  const PeerId first = peers.add(kFirst, kNoRoomNeeded);
  const PeerId second = peers.add(kSecond, kNoRoomNeeded);
  EXPECT_EQ(peers.find(kFirst), first);
  EXPECT_EQ(peers[second].name, kSecond);
  EXPECT_EQ(peers[second].attempt.peer, second);
  EXPECT_EQ(peers.named(), 2U);
}

TEST(DirectPeersTest, TheRecordOfAForgottenPeerIsUsedAgain) {
  DirectPeers peers;
  const PeerId first = peers.add(kFirst, kNoRoomNeeded);
  peers[first].peer_generation = 5;
  peers.forget(first);
  peers.forget(first);
  EXPECT_EQ(peers.find(kFirst), kNoPeer);
  EXPECT_EQ(peers.named(), 0U);
  EXPECT_EQ(peers.add(kSecond, kNoRoomNeeded), first);
  EXPECT_EQ(peers[first].peer_generation, 0U);
  EXPECT_EQ(peers.size(), 1U);
}

TEST(DirectPeersTest, WithoutRoomForAnotherRecordNothingHasChanged) {
  DirectPeers peers;
  const auto fails = [](std::size_t) { throw std::bad_alloc(); };
  EXPECT_THROW(peers.add(kFirst, fails), std::bad_alloc);
  EXPECT_EQ(peers.find(kFirst), kNoPeer);
  EXPECT_EQ(peers.named(), 0U);
}

TEST(DirectPeersTest, APeerIsInUseWhileAnythingOfItIsUnderWay) {
  DirectPeer peer;
  EXPECT_FALSE(peer.is_in_use());
  peer.targets = 1;
  EXPECT_TRUE(peer.is_in_use());
  peer.targets = 0;
  peer.left.count = 1;
  EXPECT_TRUE(peer.is_in_use());
}

TEST(ReservedListTest, AddingBeyondTheRoomThatWasMadeIsADefect) {
  ReservedList<int> list;
  list.reserve(3);
  for (int i = 0; i < 3; ++i) list.add(i);
  EXPECT_EQ(list.size(), 3U);
  EXPECT_DEATH(list.add(3), "capacity");
}

TEST(ReservedListTest, TheOthersKeepTheirOrderUnlessTheOwnerWantsNone) {
  ReservedList<int> list;
  list.reserve(5);
  for (int i = 0; i < 5; ++i) list.add(i);
  list.remove(1);
  list.remove(7);
  EXPECT_EQ(std::vector(list.begin(), list.end()), (std::vector{0, 2, 3, 4}));
  list.remove_unordered(0);
  EXPECT_EQ(std::vector(list.begin(), list.end()), (std::vector{4, 2, 3}));
  EXPECT_EQ(list.take_last(), 3);
  list.remove_if([](int item) { return item > 2; });
  EXPECT_EQ(std::vector(list.begin(), list.end()), std::vector{2});
}

TEST(ConnectionRecordsTest, ARetiredRecordIsSpareAfterRecycling) {
  ConnectionRecords records;
  ASSERT_TRUE(records.has_spare(kRecordLimits, kNoRoomNeeded));
  DirectConnection& first = records.take_spare();
  records.retire(first);
  ASSERT_TRUE(records.has_spare(kRecordLimits, kNoRoomNeeded));
  DirectConnection& second = records.take_spare();
  EXPECT_NE(&first, &second);
  records.recycle();
  ASSERT_TRUE(records.has_spare(kRecordLimits, kNoRoomNeeded));
  EXPECT_EQ(&records.take_spare(), &first);
  EXPECT_EQ(records.all().size(), 2U);
}

TEST(ConnectionRecordsTest, WithoutMemoryThereIsNoSpareOne) {
  ConnectionRecords records;
  EXPECT_FALSE(records.has_spare(kRecordLimits, [](std::size_t) { throw std::bad_alloc(); }));
  EXPECT_EQ(records.all().size(), 0U);
}

class ReadOrderTest : public ::testing::Test {
 protected:
  using Order = std::vector<DirectConnection*>;
  Order recent() const { return {order.recent().begin(), order.recent().end()}; }
  ReadOrder order;
  DirectConnection a{kRecordLimits}, b{kRecordLimits}, c{kRecordLimits};
};

TEST_F(ReadOrderTest, TheLatestComesFirst) {
  order.note(a, 2);
  order.note(b, 2);
  EXPECT_EQ(recent(), (Order{&b, &a}));
  order.note(a, 2);
  EXPECT_EQ(recent(), (Order{&a, &b}));
}

TEST_F(ReadOrderTest, OfMoreThanTwoOnlyTheLatestIsReadAtOnce) {
  order.note(a, 2);
  order.note(b, 2);
  order.note(c, 3);
  EXPECT_EQ(recent(), (Order{&c}));
  order.note(c, 3);
  EXPECT_EQ(recent(), (Order{&c}));
}

TEST_F(ReadOrderTest, AConnectionThatHasEndedIsNotReadAgain) {
  order.note(a, 2);
  order.note(b, 2);
  order.remove(b);
  order.remove(c);
  EXPECT_EQ(recent(), (Order{&a}));
}

TEST_F(ReadOrderTest, OtherConnectionsAreAskedAboutMoreOften) {
  order.set_all_due(false);
  int alone = 0;
  int with_others = 0;
  for (int turn = 0; turn < 64; ++turn) alone += order.is_turn_of_all(true) ? 1 : 0;
  for (int turn = 0; turn < 64; ++turn) with_others += order.is_turn_of_all(false) ? 1 : 0;
  EXPECT_EQ(alone, 2);
  EXPECT_EQ(with_others, 32);
}

TEST_F(ReadOrderTest, AStepOfACallerIsFollowedByTurnsThatAskAboutAll) {
  order.set_all_due(false);
  order.expect_more();
  int turns = 0;
  while (order.is_turn_of_all(true)) ++turns;
  EXPECT_GE(turns, 32);
  EXPECT_LT(turns, 64) << "a caller that says no more is not asked about for ever";
}

TEST_F(ReadOrderTest, WhatIsDueIsAskedForInEachTurn) {
  order.set_all_due(true);
  EXPECT_TRUE(order.is_turn_of_all(true));
  EXPECT_TRUE(order.is_turn_of_all(true));
}

}  // namespace
}  // namespace lintel::transport
