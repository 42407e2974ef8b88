#include "portals/engine/matching/key_table.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <unordered_map>
#include <vector>

namespace lintel::portals {
namespace {

struct Keyed {
  std::uint64_t key = 0;
};

// Hashes by the lowest bits of the key alone, so that keys meet.
class KeyTableTest : public ::testing::Test {
 protected:
  static std::uint64_t hash(std::uint64_t key) { return key % 16; }
  auto& slot(std::uint64_t key) {
    return table.find(hash(key), [key](const Keyed& thing) { return thing.key == key; });
  }
  void add(Keyed& thing) {
    ASSERT_TRUE(table.make_room());
    auto& free = slot(thing.key);
    ASSERT_EQ(free.first, nullptr);
    table.occupy(free, hash(thing.key));
    free.first = &thing;
  }
  void remove(std::uint64_t key) { table.erase(slot(key)); }

  KeyTable<Keyed, 8> table;
};

TEST_F(KeyTableTest, HasNoMemoryBeforeTheFirstKey) {
  EXPECT_FALSE(table.allocated());
  EXPECT_EQ(table.keys(), 0U);
  EXPECT_TRUE(table.make_room());
  EXPECT_TRUE(table.allocated());
}

TEST_F(KeyTableTest, FindsEachOfSeveralKeysWithOneHash) {
  std::vector<Keyed> things = {{3}, {19}, {35}};
  for (Keyed& thing : things) add(thing);
  for (Keyed& thing : things) EXPECT_EQ(slot(thing.key).first, &thing);
  EXPECT_EQ(slot(51).first, nullptr);
  EXPECT_EQ(table.keys(), 3U);
}

TEST_F(KeyTableTest, AKeyIsFoundAfterAnotherOneOnItsWayIsErased) {
  std::vector<Keyed> things = {{3}, {19}, {35}};
  for (Keyed& thing : things) add(thing);
  remove(3);
  EXPECT_EQ(slot(3).first, nullptr);
  EXPECT_EQ(slot(19).first, &things[1]);
  EXPECT_EQ(slot(35).first, &things[2]);
  EXPECT_EQ(table.keys(), 2U);
}

// A table that removes wrongly loses keys only where runs of slots meet, also around its end.
TEST_F(KeyTableTest, HasTheSameKeysAsAMapAfterRandomChanges) {
  std::mt19937_64 random(1);
  std::vector<Keyed> things(64);
  for (std::uint64_t key = 0; key < things.size(); ++key) things[key].key = key;
  std::unordered_map<std::uint64_t, const Keyed*> expected;
  for (int step = 0; step < 20000; ++step) {
    Keyed& thing = things[random() % things.size()];
    if (expected.erase(thing.key) != 0) {
      remove(thing.key);
    } else {
      add(thing);
      expected[thing.key] = &thing;
    }
    ASSERT_EQ(table.keys(), expected.size());
    for (const Keyed& one : things) {
      const auto found = expected.find(one.key);
      ASSERT_EQ(slot(one.key).first, found == expected.end() ? nullptr : found->second)
          << "key " << one.key << " after step " << step;
    }
  }
}

}  // namespace
}  // namespace lintel::portals
