#include "base/slot_pool.h"

#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <vector>

namespace lintel {
namespace {

TEST(SlotPool, AHandleLeadsToItsObject) {
  SlotPool<int> pool(10);
  const auto [object, id] = pool.create(7);
  ASSERT_NE(object, nullptr);
  EXPECT_EQ(pool.get(id), object);
  EXPECT_EQ(*pool.get(id), 7);
  EXPECT_EQ(SlotId::unpack(id.packed()), id);
}

TEST(SlotPool, AStaleHandleNeverReachesTheNextObjectOfItsSlot) {
  SlotPool<int> pool(1);
  const SlotId first = pool.create(1).second;
  pool.destroy(first);
  const SlotId second = pool.create(2).second;
  EXPECT_EQ(second.slot, first.slot);
  EXPECT_EQ(pool.get(first), nullptr);
  EXPECT_EQ(*pool.get(second), 2);
}

TEST(SlotPool, AHandleThatNeverWasIsNotFound) {
  SlotPool<int> pool(4);
  EXPECT_EQ(pool.get({0, 1}), nullptr);
  pool.create(1);
  EXPECT_EQ(pool.get({0, 0}), nullptr);
  EXPECT_EQ(pool.get({0xffffffffU, 1}), nullptr);
}

TEST(SlotPool, RefusesMoreThanItsLimitAndTakesAgainAfterAnEnd) {
  SlotPool<int> pool(100);
  std::set<std::uint32_t> slots;
  SlotId last;
  for (int i = 0; i < 100; ++i) {
    last = pool.create(i).second;
    slots.insert(last.slot);
  }
  EXPECT_EQ(slots.size(), 100U);
  EXPECT_EQ(pool.create(100).first, nullptr);
  EXPECT_EQ(pool.size(), 100U);
  pool.destroy(last);
  EXPECT_NE(pool.create(100).first, nullptr);
}

TEST(SlotPool, SlotsAreReusedOldestFirst) {
  SlotPool<int> pool(3);
  const SlotId a = pool.create(1).second;
  const SlotId b = pool.create(2).second;
  pool.create(3);
  pool.destroy(b);
  pool.destroy(a);
  EXPECT_EQ(pool.create(4).second.slot, b.slot);
  EXPECT_EQ(pool.create(5).second.slot, a.slot);
}

TEST(SlotPool, ANarrowGenerationWrapsWithoutEverBeingZero) {
  SlotPool<int> pool(1, 2);
  std::vector<std::uint32_t> generations;
  for (int i = 0; i < 5; ++i) {
    const SlotId id = pool.create(i).second;
    generations.push_back(id.generation);
    pool.destroy(id);
  }
  EXPECT_EQ(generations, (std::vector<std::uint32_t>{1, 2, 3, 1, 2}));
}

TEST(SlotPool, EndsItsObjectsWithItself) {
  const auto shared = std::make_shared<int>(1);
  {
    SlotPool<std::shared_ptr<int>> pool(200);
    for (int i = 0; i < 150; ++i) pool.create(shared);
    EXPECT_EQ(shared.use_count(), 151);
  }
  EXPECT_EQ(shared.use_count(), 1);
}

TEST(SlotPool, ForEachVisitsEachLivingObjectAndMayEndIt) {
  SlotPool<int> pool(10);
  pool.create(1);
  pool.destroy(pool.create(2).second);
  pool.create(3);
  int sum = 0;
  pool.for_each([&](SlotId id, int& value) {
    sum += value;
    pool.destroy(id);
  });
  EXPECT_EQ(sum, 4);
  EXPECT_EQ(pool.size(), 0U);
}

TEST(SlotPool, TheFirstGenerationsAreRandomNumbersAndGrowFromThere) {
  RandomNumbers numbers;
  SlotPool<int> pool(2, numbers);
  const SlotId first = pool.create(1).second;
  const SlotId second = pool.create(2).second;
  EXPECT_GT(first.generation, 1U);
  EXPECT_GT(second.generation, 1U);
  EXPECT_NE(first.generation, second.generation);
  pool.destroy(first);
  EXPECT_EQ(pool.create(3).second.generation, first.generation + 1);
}

}  // namespace
}  // namespace lintel
