// PTL_MY_RID, PTL_NIDMAP and PTL_PIDMAP: valid values, and the messages for invalid ones.

#include "mpi_layer/p3rt/group_variables.h"

#include <gmock/gmock.h>

namespace lintel::p3rt {
namespace {

using ::testing::HasSubstr;

ProcessGroup told(const GroupVariables& variables) {
  mpi::Outcome<ProcessGroup> group = group_of(variables);
  EXPECT_TRUE(group.ok()) << (group.ok() ? "" : group.sentence());
  return group.ok() ? *group : ProcessGroup{};
}

std::string refusal(const GroupVariables& variables) {
  const mpi::Outcome<ProcessGroup> group = group_of(variables);
  return group.ok() ? "it is accepted" : group.sentence();
}

TEST(GroupVariablesTest, RankAndBothMapsMakeACompleteGroup) {
  const ProcessGroup group =
      told({.rank = "1", .nids = "127.0.0.1:0x7f000001:2130706434", .pids = "5:06:0x10"});
  EXPECT_EQ(group.rank, 1U);
  EXPECT_EQ(group.size, 3U);
  EXPECT_EQ(group.nids,
            (std::vector<NodeId>{NodeId(0x7f000001), NodeId(0x7f000001), NodeId(0x7f000002)}));
  EXPECT_EQ(group.pids, (std::vector<Pid>{Pid(5), Pid(6), Pid(16)}));
  EXPECT_TRUE(group.complete());
  EXPECT_FALSE(group.of_launcher);
}

TEST(GroupVariablesTest, ColonsMayBeMoreThanOneAndStandAtTheEnds) {
  EXPECT_EQ(told({.rank = "0", .nids = ":127.0.0.1::127.0.0.1:", .pids = "1:2::"}).size, 2U);
}

TEST(GroupVariablesTest, AllThreeBelongTogether) {
  EXPECT_EQ(refusal({.rank = "0", .pids = "1"}),
            "PTL_MY_RID is set and PTL_NIDMAP is not; expected PTL_MY_RID, PTL_NIDMAP and "
            "PTL_PIDMAP together");
  EXPECT_THAT(refusal({.rank = "0", .nids = "1"}), HasSubstr("PTL_PIDMAP is not"));
}

TEST(GroupVariablesTest, WhatIsNoNumberIsNamed) {
  EXPECT_EQ(refusal({.rank = "first", .nids = "1", .pids = "1"}),
            "PTL_MY_RID=first is not accepted; expected a rank");
  EXPECT_EQ(refusal({.rank = "0", .nids = "127.0.0.1:node7", .pids = "1:2"}),
            "PTL_NIDMAP=127.0.0.1:node7: 'node7' is not accepted; expected an IPv4 address, or its "
            "number");
  EXPECT_THAT(refusal({.rank = "0", .nids = "127.0.0.300", .pids = "1"}),
              HasSubstr("'127.0.0.300' is not accepted"));
  for (const char* pid : {"-1", "+1", "08", "0x", "4294967295", "4294967296", "1 "}) {
    EXPECT_THAT(refusal({.rank = "0", .nids = "127.0.0.1", .pids = pid}),
                HasSubstr("is not accepted; expected a pid"))
        << pid;
  }
}

TEST(GroupVariablesTest, MapsHaveAnEntryForEachRank) {
  EXPECT_EQ(refusal({.rank = "0", .nids = "127.0.0.1:127.0.0.1", .pids = "1"}),
            "PTL_NIDMAP has 2 entries and PTL_PIDMAP has 1; expected one for each rank in both");
  EXPECT_EQ(refusal({.rank = "2", .nids = "1:2", .pids = "1:2"}),
            "PTL_MY_RID=2 is not below the 2 entries of PTL_NIDMAP");
  EXPECT_THAT(refusal({.rank = "0", .nids = "::", .pids = "1"}), HasSubstr("names nobody"));
}

}  // namespace
}  // namespace lintel::p3rt
