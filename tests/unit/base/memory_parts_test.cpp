#include "base/memory_parts.h"

#include <gtest/gtest.h>

#include "base/memory_budget.h"

namespace lintel {
namespace {

TEST(MemoryParts, TheirSumIsTheLimit) {
  for (const std::uint64_t limit : {std::uint64_t{16} << 20, std::uint64_t{512} << 20,
                                    std::uint64_t{1} << 40, (std::uint64_t{64} << 20) + 1}) {
    const MemoryParts parts = MemoryParts::of(limit);
    const std::uint64_t sum = parts.answers + parts.peers + parts.operations + parts.headers;
    EXPECT_LE(sum, limit);
    EXPECT_LE(limit - sum, 8U) << "of the division";
  }
}

TEST(MemoryBudget, WhatExceedsTheLimitIsNotTaken) {
  MemoryBudget budget(100);
  EXPECT_TRUE(budget.take(60));
  EXPECT_FALSE(budget.take(41));
  EXPECT_TRUE(budget.take(40));
  budget.give_back(60);
  EXPECT_EQ(budget.taken(), 40U);
}

}  // namespace
}  // namespace lintel
