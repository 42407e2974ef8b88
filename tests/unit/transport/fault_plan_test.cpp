// The text of a fault plan.

#include "transport/faulty/fault_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lintel::transport {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

TEST(FaultPlanText, EmptyTextIsNoFaults) {
  FaultPlan plan;
  EXPECT_EQ(parse_fault_plan("", plan), "");
  EXPECT_EQ(plan.drop, 0);
  EXPECT_FALSE(plan.death.has_value());
}

TEST(FaultPlanText, EveryFaultIsRead) {
  FaultPlan plan;
  ASSERT_EQ(parse_fault_plan("seed=7,drop=0.01,duplicate=0.5,delay=0.2:1ms,block=0.1:50,write_"
                             "error=1,post_failure=0.001,reset=0.3,silent_death=200:5",
                             plan),
            "");
  EXPECT_EQ(plan.seed, 7U);
  EXPECT_EQ(plan.drop, 0.01);
  EXPECT_EQ(plan.duplicate, 0.5);
  EXPECT_EQ(plan.delay, 0.2);
  EXPECT_EQ(plan.longest_delay, 1ms);
  EXPECT_EQ(plan.block, 0.1);
  EXPECT_EQ(plan.block_calls, 50U);
  EXPECT_EQ(plan.write_error, 1);
  EXPECT_EQ(plan.post_failure, 0.001);
  EXPECT_EQ(plan.reset, 0.3);
  ASSERT_TRUE(plan.death.has_value());
  EXPECT_EQ(plan.death->pid, Pid{200});
  EXPECT_EQ(plan.death->nth_message, 5U);
  EXPECT_TRUE(plan.death->silent);
}

TEST(FaultPlanText, ErrorNamesTheValueAndWhatWasExpected) {
  FaultPlan plan;
  EXPECT_EQ(parse_fault_plan("drop=2", plan),
            "fault plan: 'drop=2' is not understood; expected drop=P, P from 0 to 1");
  EXPECT_THAT(parse_fault_plan("seed=7,delay=0.2:1", plan), HasSubstr("'delay=0.2:1'"));
  EXPECT_THAT(parse_fault_plan("seed=7,delay=0.2:1", plan), HasSubstr("a duration such as 1ms"));
  EXPECT_THAT(parse_fault_plan("dorp=0.1", plan),
              HasSubstr("'dorp=0.1' is not understood; expected one of seed, drop"));
}

TEST(FaultPlanText, WhatIsNotUnderstoodLeavesThePlanAlone) {
  FaultPlan plan;
  plan.drop = 0.25;
  for (const char* text : {"drop",
                           "drop=",
                           "drop=x",
                           "drop=-0.1",
                           "drop=nan",
                           "reset",
                           "reset=2",
                           "drop=0.1x",
                           "seed=-1",
                           "delay=0.1",
                           "delay=0.1:",
                           "block=0.1:0",
                           "block=0.1",
                           "death=200",
                           "death=x:1",
                           "death=200:0",
                           "death=99999999999:1",
                           ",",
                           "drop=0.1,",
                           "drop=0.1,,seed=1",
                           "=",
                           "drop=0.1;seed=3"}) {
    EXPECT_NE(parse_fault_plan(text, plan), "") << text;
    EXPECT_EQ(plan.drop, 0.25) << text;
  }
}

}  // namespace
}  // namespace lintel::transport
