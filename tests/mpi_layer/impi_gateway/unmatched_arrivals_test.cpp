#include "mpi_layer/impi/gateway/unmatched_arrivals.h"

#include <gtest/gtest.h>

#include <functional>

namespace lintel::testing {
namespace {

using namespace mpi::impi;

class UnmatchedArrivalsTest : public ::testing::Test {
 protected:
  // Adds an arrival and delivers it. False: it waits.
  bool arrive(ArrivalNumber number, std::int32_t source) {
    arrivals.add(number, {}, source, {});
    return arrivals.deliver(number, deliver_one());
  }
  // A messenger that has room for `room` arrivals, and numbers them from 1.
  std::function<std::uint64_t(const UnmatchedArrival&)> deliver_one() {
    return [this](const UnmatchedArrival&) -> std::uint64_t {
      if (room == 0) return 0;
      --room;
      return ++last;
    };
  }

  UnmatchedArrivals arrivals;
  std::size_t room = 10;
  std::uint64_t last = 0;
};

TEST_F(UnmatchedArrivalsTest, AnArrivalIsTakenByItsSourceAndTheMessengersNumber) {
  EXPECT_TRUE(arrive(7, 1));
  EXPECT_TRUE(arrive(8, 2));
  EXPECT_EQ(arrivals.take(2, 2).key(), 8U);
  EXPECT_EQ(arrivals.find(8), nullptr);
  EXPECT_NE(arrivals.find(7), nullptr);
}

TEST_F(UnmatchedArrivalsTest, ArrivalsOfOneSourceWaitBehindEachOther) {
  room = 0;
  EXPECT_FALSE(arrive(7, 1));
  room = 10;
  EXPECT_FALSE(arrive(8, 1));
  EXPECT_TRUE(arrive(9, 2));
  EXPECT_EQ(arrivals.without_room(), 2U);
  EXPECT_EQ(arrivals.deliver_waiting(deliver_one()), 2U);
  EXPECT_EQ(arrivals.without_room(), 0U);
  EXPECT_EQ(arrivals.take(1, 2).key(), 7U);
  EXPECT_EQ(arrivals.take(1, 3).key(), 8U);
}

TEST_F(UnmatchedArrivalsTest, OneThatIsWithdrawnWhileItWaitsIsNotDelivered) {
  room = 0;
  EXPECT_FALSE(arrive(7, 1));
  EXPECT_FALSE(arrive(8, 1));
  arrivals.remove(7);
  room = 10;
  EXPECT_EQ(arrivals.deliver_waiting(deliver_one()), 1U);
  EXPECT_EQ(arrivals.take(1, 1).key(), 8U);
  EXPECT_EQ(arrivals.size(), 0U);
}

}  // namespace
}  // namespace lintel::testing
