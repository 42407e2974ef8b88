#include "portals/engine/matching/entry_table.h"

#include <gtest/gtest.h>

#include <vector>

#include "tests/unit/engine/interface_parts.h"

namespace lintel::portals {
namespace {

class EntryTableTest : public ::testing::Test, protected InterfaceParts {
 protected:
  bool is_found(std::uint32_t portal = 0) {
    kLock.is_held();
    return portals[portal].priority.find({NodeId(1), Pid(1)}, 7,
                                         [](const MatchEntry&) { return true; }) != nullptr;
  }
};

TEST_F(EntryTableTest, AnEntryIsMatchableWhileItsDescriptorIsActive) {
  kLock.is_held();
  SlotId entry;
  ASSERT_EQ(entries.attach(0, kAnybody, true, ListEnd::kTail, entry), Status::kOk);
  EXPECT_FALSE(is_found());
  SlotId id;
  ASSERT_EQ(entries.attach_descriptor(entry, rules(option::kPut), false, id), Status::kOk);
  EXPECT_TRUE(is_found());
  entries.charge(*descriptors.get(id));
  EXPECT_FALSE(is_found());
}

TEST_F(EntryTableTest, AUsedUpDescriptorUnlinksItselfWithItsEntry) {
  kLock.is_held();
  const SlotId queue = make_queue();
  SlotId entry;
  ASSERT_EQ(entries.attach(0, kAnybody, true, ListEnd::kTail, entry), Status::kOk);
  SlotId id;
  ASSERT_EQ(entries.attach_descriptor(entry, rules(option::kPut, queue), true, id), Status::kOk);
  MemoryDescriptor& descriptor = *descriptors.get(id);
  descriptor.begin();
  entries.charge(descriptor);
  EXPECT_EQ(events.queue(queue)->owed(), 1U);
  entries.unlink_if_due(descriptor, {}, false, 0);  // busy
  EXPECT_NE(descriptors.get(id), nullptr);
  descriptor.end();
  entries.unlink_if_due(descriptor, {}, false, 0);
  EXPECT_EQ(descriptors.get(id), nullptr);
  EXPECT_EQ(entries.get(entry), nullptr);
  EXPECT_EQ(kinds(queue), std::vector{EventKind::kUnlink});
  EXPECT_EQ(events.queue(queue)->owed(), 0U);
}

TEST_F(EntryTableTest, AnEntryInUseIsNotUnlinked) {
  kLock.is_held();
  SlotId entry;
  ASSERT_EQ(entries.attach(0, kAnybody, true, ListEnd::kTail, entry), Status::kOk);
  SlotId id;
  ASSERT_EQ(entries.attach_descriptor(entry, rules(option::kPut), false, id), Status::kOk);
  descriptors.get(id)->begin();
  EXPECT_EQ(entries.unlink(entry), Status::kEntryInUse);
  EXPECT_EQ(entries.unlink_descriptor(id), Status::kDescriptorInUse);
  descriptors.get(id)->end();
  EXPECT_EQ(entries.unlink(entry), Status::kOk);
  EXPECT_EQ(descriptors.size(), 0U);
}

TEST_F(EntryTableTest, AListHasSoManyEntries) {
  kLock.is_held();
  SlotId made;
  for (int i = 0; i < 3; ++i)
    ASSERT_EQ(entries.attach(0, kAnybody, true, ListEnd::kTail, made), Status::kOk);
  EXPECT_EQ(entries.attach(0, kAnybody, true, ListEnd::kTail, made), Status::kListTooLong);
  EXPECT_EQ(entries.append(0, PortalList::kPriority, kAnybody, rules(option::kPut)), nullptr);
}

TEST_F(EntryTableTest, SoManyDescriptorsAreBound) {
  kLock.is_held();
  SlotId made;
  ASSERT_EQ(entries.bind_descriptor(rules(0), false, made), Status::kOk);
  ASSERT_EQ(entries.bind_descriptor(rules(0), false, made), Status::kOk);
  SlotId more;
  EXPECT_EQ(entries.bind_descriptor(rules(0), false, more), Status::kNoSpace);
  EXPECT_EQ(entries.unlink_descriptor(made), Status::kOk);
  EXPECT_EQ(entries.bind_descriptor(rules(0), false, more), Status::kOk);
}

TEST_F(EntryTableTest, AnUpdateWaitsForAQuietQueue) {
  kLock.is_held();
  const SlotId queue = make_queue();
  SlotId id;
  ASSERT_EQ(entries.bind_descriptor(rules(option::kPut), false, id), Status::kOk);
  events.deposit(*events.queue(queue), {});
  EXPECT_EQ(entries.update_descriptor(id, rules(option::kGet), queue), Status::kNoUpdate);
  EXPECT_TRUE(descriptors.get(id)->has(option::kPut));
  EXPECT_EQ(entries.update_descriptor(id, rules(option::kGet), {}), Status::kOk);
  EXPECT_TRUE(descriptors.get(id)->has(option::kGet));
}

}  // namespace
}  // namespace lintel::portals
