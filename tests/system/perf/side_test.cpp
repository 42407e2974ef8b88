#include "side.h"

#include <gtest/gtest.h>

namespace lintel::perf {
namespace {

// An interface that records which operations were requested and performs none.
class RememberingInterface final : public TimedInterface {
 public:
  std::unique_ptr<MeasuredOperations> operations(const OperationsParameters& parameters) override {
    asked = parameters;
    return nullptr;
  }

  OperationsParameters asked;
};

TEST(PairSide, OneThatOnlyIsToldOfArrivalsCountsThemWithoutLoss) {
  RememberingInterface interface;
  SideParameters parameters{.size = 16, .events = 99, .exposed_events = true};
  const PairSide side(interface, {1, 2}, parameters);
  EXPECT_TRUE(interface.asked.only_arrivals);
  EXPECT_EQ(interface.asked.length, 16U);
  EXPECT_EQ(interface.asked.events, 99U);
  EXPECT_EQ(interface.asked.peer.pid, 2U);
}

}  // namespace
}  // namespace lintel::perf
