// How a server handles the parameters that a client asks for.

#include "side.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "failure.h"

namespace lintel::perf {
namespace {

using testing::HasSubstr;

nlohmann::json asked_for() {
  return SideParameters{
      .api = Api::kPortals4, .notify = Notify::kCounters, .size = 64, .exposed = true};
}

std::string refusal_of(const nlohmann::json& json) {
  try {
    json.get<SideParameters>();
  } catch (const Failure& failure) {
    EXPECT_EQ(failure.code(), ExitCode::kUnusable);
    return failure.what();
  }
  return "";
}

TEST(SideParameters, ArriveAsTheyWereSent) {
  const auto arrived = asked_for().get<SideParameters>();
  EXPECT_EQ(arrived.api, Api::kPortals4);
  EXPECT_EQ(arrived.notify, Notify::kCounters);
  EXPECT_EQ(arrived.size, 64U);
  EXPECT_TRUE(arrived.exposed);
  EXPECT_FALSE(arrived.local);
}

TEST(SideParameters, AnApiThatIsNoneIsRefused) {
  auto json = asked_for();
  json["api"] = 5;
  EXPECT_THAT(refusal_of(json), HasSubstr("API 5; expected 3 or 4"));
}

TEST(SideParameters, AWayOfCompletionThatIsNoneIsRefused) {
  auto json = asked_for();
  json["notify"] = "pigeons";
  EXPECT_THAT(refusal_of(json), HasSubstr("'pigeons'; expected events or counters"));
}

TEST(SideParameters, NumbersOutOfRangeAreRefused) {
  for (const char* name : {"size", "pieces", "events"}) {
    auto json = asked_for();
    json[name] = 0;
    EXPECT_THAT(refusal_of(json), HasSubstr("asks for 0")) << name;
  }
}

// An interface that records which operations were requested and performs none.
class RememberingInterface final : public TimedInterface {
 public:
  const Limits& limits() const override { return limits_; }
  std::unique_ptr<Operations> operations(const OperationsParameters& parameters) override {
    asked = parameters;
    return nullptr;
  }
  void abandon() override {}

  OperationsParameters asked;

 private:
  Limits limits_;
};

TEST(Side, OneThatOnlyIsToldOfArrivalsCountsThemWithoutLoss) {
  RememberingInterface interface;
  SideParameters parameters{.size = 16, .events = 99, .exposed_events = true};
  const Side side(interface, {1, 2}, parameters);
  EXPECT_TRUE(interface.asked.only_arrivals);
  EXPECT_EQ(interface.asked.length, 16U);
  EXPECT_EQ(interface.asked.events, 99U);
  EXPECT_EQ(interface.asked.peer.pid, 2U);
}

}  // namespace
}  // namespace lintel::perf
