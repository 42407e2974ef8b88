// The records of the provider's operations: found by their pointers, and by no other pointer.
#include "transport/fabric/operation_table.h"

#include <gtest/gtest.h>

#include <set>
#include <vector>

namespace lintel::transport {
namespace {

TEST(OperationTable, FindsARecordByThePointerThatTheProviderWasGiven) {
  OperationTable table(2, 3, 4, 5);
  FabricOperation* write = table.take(OperationKind::kWrite);
  EXPECT_EQ(table.find(&write->provider_room), write);
  EXPECT_EQ(table.find(write)->kind, OperationKind::kWrite);
}

TEST(OperationTable, KnowsPointersThatAreNotItsOwn) {
  OperationTable table(2, 3, 4, 5);
  auto* first = reinterpret_cast<std::byte*>(&table.at(OperationKind::kReceive, 0));
  FabricOperation stranger;
  EXPECT_EQ(table.find(nullptr), nullptr);
  EXPECT_EQ(table.find(&stranger), nullptr);
  EXPECT_EQ(table.find(first + 8), nullptr);
  EXPECT_EQ(table.find(first - sizeof(FabricOperation)), nullptr);
  EXPECT_EQ(table.find(first + 14 * sizeof(FabricOperation)), nullptr);
}

TEST(OperationTable, GivesEachRecordOnceUntilThereIsNone) {
  OperationTable table(2, 3, 4, 5);
  std::set<FabricOperation*> taken;
  while (FabricOperation* record = table.take(OperationKind::kSend)) taken.insert(record);
  EXPECT_EQ(taken.size(), 3U);
  EXPECT_EQ(table.taken_count(OperationKind::kSend), 3U);
  EXPECT_EQ(table.taken_count(OperationKind::kWrite), 0U);
  table.give_back(**taken.begin());
  EXPECT_EQ(table.take(OperationKind::kSend), *taken.begin());
}

TEST(OperationTable, UsesTheRecordThatCameBackLastFirst) {
  OperationTable table(0, 3, 0, 0);
  FabricOperation* a = table.take(OperationKind::kSend);
  FabricOperation* b = table.take(OperationKind::kSend);
  table.give_back(*a);
  table.give_back(*b);
  EXPECT_EQ(table.take(OperationKind::kSend), b);
  EXPECT_EQ(table.take(OperationKind::kSend), a);
}

TEST(OperationTable, UsesADoubtfulRecordLastOfAll) {
  OperationTable table(0, 3, 0, 0);
  FabricOperation* a = table.take(OperationKind::kSend);
  FabricOperation* b = table.take(OperationKind::kSend);
  FabricOperation* c = table.take(OperationKind::kSend);
  table.give_back_last(*a);
  table.give_back(*b);
  table.give_back_last(*c);
  EXPECT_EQ(table.take(OperationKind::kSend), b);
  EXPECT_EQ(table.take(OperationKind::kSend), a);
  EXPECT_EQ(table.take(OperationKind::kSend), c);
  EXPECT_EQ(table.take(OperationKind::kSend), nullptr);
}

// A pool of four frames and four writes.
class SharedRecords : public testing::Test {
 protected:
  FabricOperation* take(OperationKind kind, SendShare& share) {
    if (table.needs_more(kind, share)) table.add(kind);
    FabricOperation* const record = table.take(kind, share);
    if (record != nullptr) record->state = OperationState::kInFlight;
    return record;
  }
  std::size_t take_all(OperationKind kind, SendShare& share) {
    std::size_t taken = 0;
    while (take(kind, share) != nullptr) ++taken;
    return taken;
  }
  static constexpr OperationKind kSend = OperationKind::kSend;
  static constexpr OperationKind kWrite = OperationKind::kWrite;
  OperationTable table{2, 4, 4, 3};
  std::vector<SendShare> peers{12};
};

TEST_F(SharedRecords, EachPeerGetsTwoFramesAndOneWriteBeyondThePool) {
  for (SendShare& peer : peers) take(kSend, peer);
  EXPECT_EQ(table.taken_count(kSend), peers.size());
  for (SendShare& peer : peers) EXPECT_EQ(take_all(kSend, peer), 1U);
  std::vector<SendShare> writes(peers.size());
  for (SendShare& peer : writes) EXPECT_EQ(take_all(kWrite, peer), 1U);
  EXPECT_EQ(table.taken_count(kSend), 2 * peers.size());
  EXPECT_EQ(table.taken_count(kWrite), peers.size());
}

TEST_F(SharedRecords, AddedRecordsAreFoundByTheirPointersAndNoOthersAre) {
  std::set<FabricOperation*> taken;
  for (SendShare& peer : peers) taken.insert(take(kSend, peer));
  EXPECT_EQ(taken.size(), peers.size());
  for (FabricOperation* const record : taken) {
    ASSERT_EQ(table.find(&record->provider_room), record);
    EXPECT_EQ(&table.at(kSend, record->index), record);
    EXPECT_EQ(table.find(reinterpret_cast<std::byte*>(record) + 8), nullptr);
  }
  FabricOperation* const begin = &table.at(kSend, 4);
  EXPECT_EQ(table.find(begin - 1), nullptr);
  EXPECT_EQ(table.find(begin + OperationTable::kAddedAtOnce), nullptr);
}

TEST_F(SharedRecords, AddedRecordsAreUsedAgain) {
  std::vector<FabricOperation*> taken;
  for (SendShare& peer : peers) taken.push_back(take(kSend, peer));
  const std::size_t count = table.count(kSend);
  for (FabricOperation* const record : taken) table.give_back(*record);
  EXPECT_EQ(table.taken_count(kSend), 0U);
  for (SendShare& peer : peers) EXPECT_NE(take(kSend, peer), nullptr);
  EXPECT_EQ(table.count(kSend), count);
}

TEST_F(SharedRecords, PeersWithoutNumberGetNoMoreThanTheLimit) {
  const std::size_t most = SendShare::most_in_all(4);
  peers.resize(2 * most);
  std::vector<SendShare> writers(2 * most);
  std::vector<FabricOperation*> sends;
  std::vector<FabricOperation*> writes;
  for (std::size_t i = 0; i < 2 * most; ++i) {
    if (FabricOperation* const send = take(kSend, peers[i])) sends.push_back(send);
    if (FabricOperation* const write = take(kWrite, writers[i])) writes.push_back(write);
  }
  for (const std::vector<FabricOperation*>& taken : {sends, writes}) {
    EXPECT_GE(taken.size(), most);
    EXPECT_LT(taken.size(), most + OperationTable::kAddedAtOnce);
  }
  EXPECT_EQ(take(kSend, peers.back()), nullptr);
  EXPECT_EQ(take(kWrite, writers.back()), nullptr);
  table.give_back(*sends.back());
  table.give_back(*writes.back());
  EXPECT_NE(take(kSend, peers.back()), nullptr) << "as soon as another one is free";
  EXPECT_NE(take(kWrite, writers.back()), nullptr);
}

TEST_F(SharedRecords, FramesBeyondThePoolAreIdleWhenHalfOfThePoolIsFree) {
  std::vector<FabricOperation*> taken;
  for (SendShare& peer : peers) taken.push_back(take(kSend, peer));
  FabricOperation* const kept = taken.back();
  taken.pop_back();
  std::set<std::size_t> released;
  const auto release = [&](std::size_t index) { EXPECT_TRUE(released.insert(index).second); };
  // The frames of the pool were taken first, and come back last.
  for (std::size_t i = taken.size(); i-- > 0;) {
    EXPECT_FALSE(table.has_idle_frames()) << i;
    table.give_back(*taken[i]);
    if (table.taken_count(kSend) == 2) break;
  }
  ASSERT_TRUE(table.has_idle_frames());
  table.release_idle_frames(release);
  EXPECT_FALSE(table.has_idle_frames());
  EXPECT_EQ(released.size(), peers.size() - 4 - 1) << "one is in use";
  EXPECT_GE(*released.begin(), 4U) << "those of the pool stay";
  released.clear();
  table.give_back(*kept);
  ASSERT_TRUE(table.has_idle_frames());
  table.release_idle_frames(release);
  EXPECT_EQ(released, std::set<std::size_t>{kept->index});
}

TEST_F(SharedRecords, OfAPeerThatWasGivenUpDoNotCountAndAreReplaced) {
  FabricOperation* const first = take(kSend, peers[0]);
  FabricOperation* const second = take(kSend, peers[0]);
  second->state = OperationState::kLent;
  table.write_off(kSend, peers[0]);
  EXPECT_EQ(peers[0].held, 1U) << "what is lent is given back by who has it";
  EXPECT_EQ(table.taken_count(kSend), 1U);
  EXPECT_EQ(table.written_off_count(kSend), 1U);
  table.give_back(*second);
  std::set<FabricOperation*> taken;
  for (std::size_t i = 1; i <= 4; ++i) taken.insert(take(kSend, peers[i]));
  EXPECT_EQ(taken.count(nullptr), 0U);
  EXPECT_EQ(taken.count(first), 0U) << "the provider has it";
  table.give_back(*first);
  EXPECT_EQ(table.written_off_count(kSend), 0U);
  EXPECT_EQ(table.taken_count(kSend), 4U);
  EXPECT_EQ(table.find(first), first);
}

TEST_F(SharedRecords, AtMostAsManyAsThePoolHasAreWrittenOff) {
  for (SendShare& peer : peers) EXPECT_GE(take_all(kSend, peer), 1U);
  for (SendShare& peer : peers) table.write_off(kSend, peer);
  EXPECT_EQ(table.written_off_count(kSend), 4U);
  EXPECT_EQ(peers[0].held, 0U);
  EXPECT_EQ(peers.back().held, 2U) << "it keeps its own";
  EXPECT_EQ(take(kSend, peers.back()), nullptr);
  EXPECT_NE(take(kSend, peers.front()), nullptr) << "the others go on";
}

}  // namespace
}  // namespace lintel::transport
