// When parcels are welcome: only while they find their receives.

#include "mpi_layer/p2p/parcel_habit.h"

#include <gtest/gtest.h>

namespace lintel::mpi {
namespace {

// How many such messages it takes until the verdict changes; 0: more than anybody waits for.
int until_change(ParcelHabit& habit, bool well) {
  for (int count = 1; count <= 5000; ++count) {
    if (habit.note(well)) return count;
  }
  return 0;
}

TEST(ParcelHabit, TheyAreNotWelcomeAtFirst) { EXPECT_FALSE(ParcelHabit().welcome()); }

TEST(ParcelHabit, TwoInARowThatWouldHaveLandedMakeThemWelcome) {
  ParcelHabit habit;
  EXPECT_EQ(until_change(habit, true), 2);
  EXPECT_TRUE(habit.welcome());
}

TEST(ParcelHabit, OneThatWouldNotHaveBeginsTheRowAnew) {
  ParcelHabit habit;
  EXPECT_FALSE(habit.note(true));
  EXPECT_FALSE(habit.note(false));
  EXPECT_FALSE(habit.note(true));
  EXPECT_TRUE(habit.note(true));
}

TEST(ParcelHabit, WhatWasOnItsWayBeforeTheSenderHeardIsForgiven) {
  ParcelHabit habit;
  until_change(habit, true);
  EXPECT_EQ(until_change(habit, false), 129);
  EXPECT_FALSE(habit.welcome());
}

TEST(ParcelHabit, OnceSomeHaveLandedFiveInARowThatDoNotAreTooMany) {
  ParcelHabit habit;
  until_change(habit, true);
  habit.note(true);
  for (int i = 0; i < 4; ++i) EXPECT_FALSE(habit.note(false));
  habit.note(true);
  EXPECT_EQ(until_change(habit, false), 5);
}

TEST(ParcelHabit, EachMistakeDoublesWhatItTakes) {
  ParcelHabit habit;
  int taken = 2;
  for (int mistakes = 0; mistakes < 12; ++mistakes) {
    EXPECT_EQ(until_change(habit, true), taken);
    EXPECT_GT(until_change(habit, false), 0);
    taken = taken < 1024 ? 2 * taken : 1024;
  }
}

}  // namespace
}  // namespace lintel::mpi
