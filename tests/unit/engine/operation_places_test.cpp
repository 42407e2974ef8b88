#include "portals/engine/protocol/operation_places.h"

#include <gtest/gtest.h>

#include <vector>

namespace lintel::portals {
namespace {

// Takes places until there are no more, and returns their number.
std::size_t begin_all(OperationPlaces& places, OperationPlaces::Held& held) {
  std::size_t taken = 0;
  for (; places.may_begin(held); ++taken) places.take(held, true);
  return taken;
}

TEST(OperationPlaces, APeerThatIsAloneMayHaveTheWholeTable) {
  OperationPlaces places(16);
  OperationPlaces::Held held;
  EXPECT_EQ(begin_all(places, held), 16U);
}

TEST(OperationPlaces, WhatAPeerHasBeyondItsQuarterIsNotCountedAgainstTheOthers) {
  OperationPlaces places(16);
  OperationPlaces::Held first;
  begin_all(places, first);
  OperationPlaces::Held second;
  EXPECT_EQ(begin_all(places, second), 4U);
  EXPECT_FALSE(places.may_begin(first));
}

TEST(OperationPlaces, APlaceThatWasGivenBackIsTakenAgain) {
  OperationPlaces places(16);
  OperationPlaces::Held first;
  OperationPlaces::Held second;
  begin_all(places, first);
  begin_all(places, second);
  places.give_back(second, true);
  EXPECT_TRUE(places.may_begin(second));
}

TEST(OperationPlaces, OperationsOfOthersHaveATableOfTheirOwn) {
  OperationPlaces places(16);
  OperationPlaces::Held held;
  begin_all(places, held);
  std::size_t accepted = 0;
  for (; places.may_accept(held); ++accepted) places.take(held, false);
  EXPECT_EQ(accepted, places.most_of_peer());
  EXPECT_EQ(held.others, accepted);
}

TEST(OperationPlaces, TheMemoryOfOthersIsSharedAsTheirPlacesAre) {
  constexpr std::size_t kPlace = OperationPlaces::kPlaceBytes;
  OperationPlaces places(1000, 16 * kPlace);
  OperationPlaces::Held held[4];
  std::vector<std::size_t> accepted;
  for (OperationPlaces::Held& peer : held) {
    accepted.push_back(0);
    for (; places.may_accept(peer); ++accepted.back()) places.take(peer, false);
  }
  EXPECT_EQ(accepted, (std::vector<std::size_t>{4, 4, 3, 2}));
  EXPECT_TRUE(places.may_accept({})) << "another peer";
}

TEST(OperationPlaces, WhatAnOperationTakesBesideItsPlaceCountsUntilItEnds) {
  constexpr std::size_t kPlace = OperationPlaces::kPlaceBytes;
  OperationPlaces places(1000, 16 * kPlace);
  OperationPlaces::Held held;
  places.take(held, false);
  EXPECT_FALSE(places.may_keep(held, 3 * kPlace + 1));
  ASSERT_TRUE(places.may_keep(held, 3 * kPlace));
  places.resize(held, 0, 3 * kPlace);
  EXPECT_FALSE(places.may_accept(held));
  places.resize(held, 3 * kPlace, 0);
  EXPECT_TRUE(places.may_accept(held));
  places.give_back(held, false);
  EXPECT_EQ(held.memory, 0U);
}

}  // namespace
}  // namespace lintel::portals
