// Memory for payloads that nobody expects: its bound, and that it is used again.
#include "transport/direct/unexpected_memory.h"

#include <gtest/gtest.h>

#include <set>
#include <utility>

namespace lintel::transport {
namespace {

TEST(UnexpectedMemoryTest, HasSoManySlotsForAllPeers) {
  UnexpectedMemory memory;
  std::vector<UnexpectedMemory::Slot> slots;
  for (std::size_t i = 0; i < UnexpectedMemory::kMost; ++i) {
    EXPECT_FALSE(memory.is_used_up());
    slots.push_back(memory.take());
    ASSERT_NE(slots.back(), nullptr);
  }
  EXPECT_TRUE(memory.is_used_up());
  EXPECT_EQ(memory.take(), nullptr);
  EXPECT_EQ(memory.in_use(), UnexpectedMemory::kMost);
}

TEST(UnexpectedMemoryTest, ASlotThatIsGivenBackIsGivenAgain) {
  UnexpectedMemory memory;
  UnexpectedMemory::Slot slot = memory.take();
  const std::byte* const place = slot.get();
  memory.give_back(std::move(slot));
  EXPECT_EQ(memory.in_use(), 0U);
  EXPECT_EQ(memory.take().get(), place);
}

TEST(UnexpectedMemoryTest, GivingNothingBackChangesNothing) {
  UnexpectedMemory memory;
  const UnexpectedMemory::Slot slot = memory.take();
  memory.give_back(nullptr);
  EXPECT_EQ(memory.in_use(), 1U);
}

}  // namespace
}  // namespace lintel::transport
