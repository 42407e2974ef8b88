// Ids of peers that are given again. Allocations fail at will.
#include "transport/contact/reusable_ids.h"

#include <gtest/gtest.h>

#include <new>

#include "tests/failing_allocation.h"

namespace lintel::transport {
namespace {

using testing::allocations_until_failure;
using testing::kNoFailure;

class ReusableIdsTest : public ::testing::Test {
 protected:
  PeerId take() {
    const PeerId id = ids.next([this] { ++records; });
    ids.take();
    return id;
  }

  ReusableIds ids;
  std::size_t records = 0;
};

TEST_F(ReusableIdsTest, IdsAreDenseAndEachHasARecord) {
  EXPECT_EQ(take(), PeerId(0));
  EXPECT_EQ(take(), PeerId(1));
  EXPECT_EQ(take(), PeerId(2));
  EXPECT_EQ(records, 3U);
  EXPECT_EQ(ids.taken(), 3U);
}

TEST_F(ReusableIdsTest, AnIdThatWasGivenBackIsGivenBeforeAFurtherOneIsMade) {
  for (int i = 0; i < 3; ++i) take();
  ids.give_back(PeerId(1));
  EXPECT_EQ(ids.taken(), 2U);
  EXPECT_EQ(take(), PeerId(1));
  EXPECT_EQ(records, 3U);
  EXPECT_EQ(take(), PeerId(3));
}

TEST_F(ReusableIdsTest, AnIdThatIsNotTakenIsGivenAgain) {
  EXPECT_EQ(ids.next([] {}), PeerId(0));
  EXPECT_EQ(ids.taken(), 0U);
  EXPECT_EQ(take(), PeerId(0));
  EXPECT_EQ(records, 0U) << "it has one already";
}

TEST_F(ReusableIdsTest, ARecordThatCannotBeMadeChangesNothing) {
  take();
  EXPECT_THROW(ids.next([] { throw std::bad_alloc(); }), std::bad_alloc);
  EXPECT_EQ(ids.taken(), 1U);
  EXPECT_EQ(take(), PeerId(1));
}

TEST_F(ReusableIdsTest, GivingBackNeedsNoMemory) {
  constexpr std::uint32_t kIds = 100;
  for (std::uint32_t i = 0; i < kIds; ++i) take();
  allocations_until_failure = 0;
  for (std::uint32_t i = 0; i < kIds; ++i) ids.give_back(PeerId(i));
  EXPECT_EQ(allocations_until_failure, 0) << "none was made";
  allocations_until_failure = kNoFailure;
  EXPECT_EQ(ids.taken(), 0U);
}

TEST_F(ReusableIdsTest, WithoutMemoryForAnIdNothingChanges) {
  LINTEL_NEEDS_FAILING_ALLOCATIONS();
  int failures = 0;
  for (std::size_t taken = 0; taken < 20; ++taken) {
    for (long which = 0; ids.taken() == taken; ++which) {
      allocations_until_failure = which;
      try {
        take();
      } catch (const std::bad_alloc&) {
        ++failures;
        EXPECT_EQ(ids.taken(), taken);
        EXPECT_EQ(records, taken);
      }
      allocations_until_failure = kNoFailure;
    }
  }
  EXPECT_GT(failures, 0);
  EXPECT_EQ(records, 20U);
}

}  // namespace
}  // namespace lintel::transport
