#include "transport/fabric/held_completions.h"

#include <gtest/gtest.h>

namespace lintel::transport {
namespace {

fi_cq_data_entry entry_of(std::uint64_t data) {
  fi_cq_data_entry entry{};
  entry.data = data;
  return entry;
}

TEST(HeldCompletions, AreTakenInTheOrderInWhichTheyWereRead) {
  HeldCompletions held;
  held.allocate(4);
  const fi_cq_data_entry batch[] = {entry_of(1), entry_of(2)};
  held.add(batch, 2);
  fi_cq_data_entry taken{};
  ASSERT_TRUE(held.take(taken));
  EXPECT_EQ(taken.data, 1U);
  ASSERT_TRUE(held.take(taken));
  EXPECT_EQ(taken.data, 2U);
  EXPECT_FALSE(held.take(taken));
}

TEST(HeldCompletions, AnErrorIsKeptToo) {
  HeldCompletions held;
  held.allocate(1);
  EXPECT_TRUE(held.empty());
  fi_cq_err_entry error{};
  error.err = 7;
  held.add_error(error);
  EXPECT_FALSE(held.empty());
  fi_cq_err_entry taken{};
  ASSERT_TRUE(held.take_error(taken));
  EXPECT_EQ(taken.err, 7);
  EXPECT_TRUE(held.empty());
}

TEST(HeldCompletions, NothingIsLostWhenRoomIsMadeBeforeEachOne) {
  HeldCompletions held;
  held.allocate(1);
  for (std::uint64_t i = 0; i < 9; ++i) {
    ASSERT_TRUE(held.make_room());
    const fi_cq_data_entry entry = entry_of(i);
    held.add(&entry, 1);
  }
  fi_cq_data_entry taken{};
  for (std::uint64_t i = 0; i < 9; ++i) {
    ASSERT_TRUE(held.take(taken));
    EXPECT_EQ(taken.data, i);
  }
}

}  // namespace
}  // namespace lintel::transport
