#include "side.h"

#include <gtest/gtest.h>

namespace lintel::perf {
namespace {

// An interface that records which operations were requested and performs none.
class RememberingInterface final : public TimedInterface {
 public:
  std::unique_ptr<MeasuredOperations> operations(const SideParameters& parameters) override {
    asked = parameters;
    return nullptr;
  }

  SideParameters asked;
};

TEST(PairSide, OneThatOnlyIsToldOfArrivalsCountsThemWithoutLoss) {
  RememberingInterface interface;
  const PairSide side(interface,
                      {.peer = {1, 2}, .size = 16, .events = 99, .exposed_events = true});
  EXPECT_TRUE(interface.asked.only_arrivals());
  EXPECT_EQ(interface.asked.size, 16U);
  EXPECT_EQ(interface.asked.events, 99U);
  EXPECT_EQ(interface.asked.peer.pid, 2U);
}

}  // namespace
}  // namespace lintel::perf
