// OutboundTable: the records of what is sent.
#include "transport/direct/outbound_table.h"

#include <gtest/gtest.h>

#include <cstring>
#include <set>

namespace lintel::transport {
namespace {

TEST(OutboundTableTest, HasTheGivenNumberOfFramesAndWrites) {
  OutboundTable table(3, 100, 2);
  std::set<Outbound*> taken;
  for (int i = 0; i < 3; ++i) taken.insert(table.take_frame());
  for (int i = 0; i < 2; ++i) taken.insert(table.take_write());
  EXPECT_EQ(taken.size(), 5U);
  EXPECT_EQ(taken.count(nullptr), 0U);
  EXPECT_EQ(table.take_frame(), nullptr);
  EXPECT_EQ(table.take_write(), nullptr);
  EXPECT_EQ(table.frames_taken(), 3U);
  EXPECT_EQ(table.writes_taken(), 2U);
  for (Outbound* const record : taken) table.give_back(*record);
  EXPECT_EQ(table.frames_taken() + table.writes_taken(), 0U);
  EXPECT_NE(table.take_frame(), nullptr);
  EXPECT_NE(table.take_write(), nullptr);
}

TEST(OutboundTableTest, LendsTheFrameThatWasUsedLast) {
  OutboundTable table(3, 100, 0);
  table.take_frame();
  Outbound* const last = table.take_frame();
  table.give_back(*last);
  EXPECT_EQ(table.take_frame(), last);
}

TEST(OutboundTableTest, HasMemoryForEachFrameWithRoomInFrontOfIt) {
  OutboundTable table(4, 1000, 1);
  std::vector<Outbound*> frames;
  for (int i = 0; i < 4; ++i) {
    frames.push_back(table.take_frame());
    std::memset(table.memory(*frames.back()) - OutboundTable::kHeadroom, i + 1,
                OutboundTable::kHeadroom + 1000);
  }
  for (int i = 0; i < 4; ++i) {
    const std::byte* const begin =
        table.memory(*frames[static_cast<std::size_t>(i)]) - OutboundTable::kHeadroom;
    for (std::size_t at = 0; at < OutboundTable::kHeadroom + 1000; ++at)
      ASSERT_EQ(begin[at], std::byte(i + 1));
  }
}

TEST(OutboundRowTest, ReturnsRecordsInTheOrderInWhichTheyWereAdded) {
  OutboundTable table(2, 100, 2);
  OutboundQueue queue;
  EXPECT_TRUE(queue.empty());
  Outbound* const records[] = {table.take_write(), table.take_frame(), table.take_write(),
                               table.take_frame()};
  for (Outbound* const record : records) table.append(queue, *record);
  for (Outbound* const record : records) {
    ASSERT_FALSE(queue.empty());
    EXPECT_EQ(&table.front(queue), record);
    table.pop_front(queue);
    table.give_back(*record);
  }
  EXPECT_TRUE(queue.empty());
  table.append(queue, *table.take_frame());
  EXPECT_FALSE(queue.empty());
}

TEST(OutboundRecordTest, AdvancesOverBothOfItsPieces) {
  std::byte head[10];
  std::byte data[100];
  Outbound record;
  record.rest[0] = {head, sizeof head};
  record.rest[1] = {data, sizeof data};
  record.advance(4);
  EXPECT_EQ(record.rest[0].iov_base, head + 4);
  EXPECT_EQ(record.bytes_left(), 106U);
  record.advance(10);
  EXPECT_EQ(record.rest[0].iov_len, 0U);
  EXPECT_EQ(record.rest[1].iov_base, data + 4);
  record.advance(96);
  EXPECT_EQ(record.bytes_left(), 0U);
}

}  // namespace
}  // namespace lintel::transport
