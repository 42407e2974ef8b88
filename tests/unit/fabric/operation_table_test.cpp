// The records of the provider's operations: found by their pointers, and by no other pointer.
#include "transport/fabric/operation_table.h"

#include <gtest/gtest.h>

#include <set>

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

}  // namespace
}  // namespace lintel::transport
