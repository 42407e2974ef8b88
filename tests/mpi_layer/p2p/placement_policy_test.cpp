// When eager direct placement is enabled: only while messages find their receives.

#include "mpi_layer/p2p/placement_policy.h"

#include <gtest/gtest.h>

namespace lintel::mpi {
namespace {

// How many such messages it takes until the decision changes. 0: more than the test tries.
int until_change(PlacementPolicy& policy, bool well) {
  for (int count = 1; count <= 5000; ++count) {
    if (policy.note(well)) return count;
  }
  return 0;
}

TEST(PlacementPolicy, ItIsNotEnabledAtFirst) { EXPECT_FALSE(PlacementPolicy().enabled()); }

TEST(PlacementPolicy, TwoInARowThatWouldHaveLandedEnableIt) {
  PlacementPolicy policy;
  EXPECT_EQ(until_change(policy, true), 2);
  EXPECT_TRUE(policy.enabled());
}

TEST(PlacementPolicy, OneThatWouldNotHaveBeginsTheRowAnew) {
  PlacementPolicy policy;
  EXPECT_FALSE(policy.note(true));
  EXPECT_FALSE(policy.note(false));
  EXPECT_FALSE(policy.note(true));
  EXPECT_TRUE(policy.note(true));
}

TEST(PlacementPolicy, MessagesUnderWayWhenPlacementIsEnabledAreTolerated) {
  PlacementPolicy policy;
  until_change(policy, true);
  EXPECT_EQ(until_change(policy, false), 129);
  EXPECT_FALSE(policy.enabled());
}

TEST(PlacementPolicy, AfterTheFirstLandingFiveFailuresInARowDisablePlacement) {
  PlacementPolicy policy;
  until_change(policy, true);
  policy.note(true);
  for (int i = 0; i < 4; ++i) EXPECT_FALSE(policy.note(false));
  policy.note(true);
  EXPECT_EQ(until_change(policy, false), 5);
}

TEST(PlacementPolicy, EachMistakeDoublesWhatItTakes) {
  PlacementPolicy policy;
  int taken = 2;
  for (int mistakes = 0; mistakes < 12; ++mistakes) {
    EXPECT_EQ(until_change(policy, true), taken);
    EXPECT_GT(until_change(policy, false), 0);
    taken = taken < 1024 ? 2 * taken : 1024;
  }
}

}  // namespace
}  // namespace lintel::mpi
